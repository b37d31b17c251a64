"""What ``plyground warm`` compiles: games and agents told apart, and each pair of them in a process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from joblib import Parallel, delayed

from ....agents import agent_names, make
from ....envs import BoardGameEnv, GameBatch, game_names, make_game
from ....envs.outside.spec import parse_spec
from ....envs.vector.opponents import prepare
from ...notices import notices_shown

__all__ = ["ENVIRONMENT", "compiled", "sorted_out"]

ENVIRONMENT = "environment and batch"  # what is compiled for a game without an agent


def sorted_out(names: list[str]) -> tuple[list[str], list[str]]:
    """Return which of the names are games, and which are agents; the defaults where there are none."""
    games, agents = [], []
    for name in names:
        if parse_spec(name).name in agent_names():
            agents.append(name)
        else:
            make_game(name)  # an unknown name is an error before anything is compiled
            games.append(name)
    return games or [*game_names(), "go_9x9"], agents or ["alphabeta", "mcts", "puct"]


def compiled(work: list[tuple[str, str]], jobs: int) -> Iterator[tuple[str, str, float]]:
    """Compile each pair of a game and an agent, or the environment, and yield the pair with the seconds it took."""
    parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
    return parallel(delayed(_compile)(game, agent) for game, agent in work)


def _compile(spec: str, agent: str) -> tuple[str, str, float]:
    """Let an agent prepare, or the environment and a batch step once; return the seconds it took."""
    start = time.perf_counter()
    game = make_game(spec)
    with notices_shown(quiet=True):  # the caller shows what is being compiled
        if agent == ENVIRONMENT:
            env = BoardGameEnv(game)
            env.reset()
            env.step(game.actions(game.new_state())[0])
            batch = GameBatch(game, 2, seed=0)
            batch.step(batch.random_actions())
        else:
            prepare(make(agent, game))
    return spec, agent, time.perf_counter() - start
