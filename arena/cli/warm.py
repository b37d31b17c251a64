"""``plyground warm``: compile ahead, so that nobody waits for it later: for images, clusters and impatient people."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from joblib import Parallel, delayed
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ...agents import agent_names, make
from ...envs import BoardGameEnv, GameBatch, game_names, make_game
from ...envs.outside.spec import parse_spec
from ...envs.vector.opponents import prepare
from ..notices import notices_shown

__all__ = ["warm"]

_out = Console()
_err = Console(stderr=True)

_ENVIRONMENT = "environment and batch"


def warm(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAMES] [AGENTS]",
            help="Games and agents, in any order. Default: all games; the environments, alphabeta, mcts and puct.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes that compile; -1 for one on each core.")] = 1,
) -> None:
    """Compile games and agents ahead, into Numba's cache (NUMBA_CACHE_DIR, or beside the package)."""
    if jobs == 0:
        raise ValueError("jobs must be a number of processes, or -1 for one on each core, got 0")
    games, agents = _sorted_out(names or [])
    work = [(game, agent) for game in games for agent in (_ENVIRONMENT, *agents)]
    table = Table("game", "what", "seconds", header_style="bold")
    done: list[tuple[str, str, float]] = []
    with _err.status(f"Compiling 1 of {len(work)} …") as status:
        try:
            for row in _compiled(work, jobs):
                done.append(row)
                status.update(f"Compiling {min(len(done) + 1, len(work))} of {len(work)} …")
        finally:  # what was compiled before Ctrl-C is kept
            for game, agent, seconds in done:
                table.add_row(escape(game), escape(agent), f"{seconds:.1f}")
            _out.print(table)
    _out.print(f"in {os.environ.get('NUMBA_CACHE_DIR') or 'the __pycache__ folders of the package'}", highlight=False)


def _sorted_out(names: list[str]) -> tuple[list[str], list[str]]:
    """Return which of the names are games, and which are agents; the defaults where there are none."""
    games, agents = [], []
    for name in names:
        if parse_spec(name).name in agent_names():
            agents.append(name)
        else:
            make_game(name)  # an unknown name is an error before anything is compiled
            games.append(name)
    return games or [*game_names(), "go_9x9"], agents or ["alphabeta", "mcts", "puct"]


def _compiled(work: list[tuple[str, str]], jobs: int) -> Iterator[tuple[str, str, float]]:
    parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
    return parallel(delayed(_compile)(game, agent) for game, agent in work)


def _compile(spec: str, agent: str) -> tuple[str, str, float]:
    """Let an agent prepare, or the environment and a batch step once; return the seconds it took."""
    start = time.perf_counter()
    game = make_game(spec)
    with notices_shown(quiet=True):  # the caller shows what is being compiled
        if agent == _ENVIRONMENT:
            env = BoardGameEnv(game)
            env.reset()
            env.step(game.actions(game.new_state())[0])
            batch = GameBatch(game, 2, seed=0)
            batch.step(batch.random_actions())
        else:
            prepare(make(agent, game))
    return spec, agent, time.perf_counter() - start
