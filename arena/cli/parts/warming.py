"""What ``plyground warm`` compiles: games and agents told apart, and each pair of them in a process."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator

from joblib import delayed

from ....agents import agent_names, make
from ....envs import BoardGameEnv, Game, GameBatch, game_names, make_game
from ....envs.outside.elsewhere import absolute, load, place_of
from ....envs.outside.messages import shown
from ....envs.outside.spec import nearest, parse_spec
from ....envs.vector.opponents import prepare
from ...notices import notices_shown
from ...processes import results_of

__all__ = ["ENVIRONMENT", "compiled", "sorted_out"]

ENVIRONMENT = "environment and batch"  # what is compiled for a game without an agent


def sorted_out(names: list[str]) -> tuple[list[str], list[str]]:
    """Return which of the names are games, and which are agents; the defaults where there are none.

    Raises:
        ValueError: a name is unknown, or a game cannot be made.
        FileNotFoundError: there is no file of one's own.
    """
    known = [*game_names(), "go_9x9"]
    games = [name for name in names if _is_game(name, known)]
    for name in games:
        make_game(name)  # what is wrong with it is an error before anything is compiled
    return games or known, [name for name in names if name not in games] or ["alphabeta", "mcts", "puct"]


def _is_game(spec: str, known: list[str]) -> bool:
    """Return whether a spec is that of a game, and not of an agent.

    Of one's own a game is a function that needs nothing, while an agent is made for a game, or needs an observation.
    """
    place = place_of(spec)
    if place is None:
        name = parse_spec(spec).name
        if name not in known and name not in agent_names():
            raise ValueError(f"unknown game or agent {shown(name)}: {nearest(name, [*known, *agent_names()])}")
        return name in known
    found = load(place)
    if not inspect.isfunction(found):
        return isinstance(found, Game)
    parameters = inspect.signature(found).parameters
    return "game" not in parameters and all(one.default is not one.empty for one in parameters.values())


def compiled(work: list[tuple[str, str]], jobs: int) -> Iterator[tuple[str, str, float]]:
    """Compile each pair of a game and an agent, or the environment, and yield the pair with the seconds it took.

    Raises:
        WorkerError: a process has died.
    """
    # Workers of an earlier call may be in another folder.
    calls = (delayed(_compile)(absolute(game), absolute(agent)) for game, agent in work)
    for (game, agent), seconds in zip(work, results_of(calls, jobs, "compiles"), strict=True):
        yield game, agent, seconds


def _compile(spec: str, agent: str) -> float:
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
    return time.perf_counter() - start
