"""``plyground warm``: compile ahead, so that nobody waits for it later: for images, clusters and impatient people."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.table import Table

from ..bars import status
from ..lines import console, print_plain

__all__ = ["warm"]

_out = console()
_err = console(stderr=True)


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
    from ...envs.outside.arguments import check_jobs
    from .parts.warming import ENVIRONMENT, compiled, sorted_out

    check_jobs(jobs)
    games, agents = sorted_out(names or [])
    work = [(game, agent) for game in games for agent in (ENVIRONMENT, *agents)]
    table = Table("game", "what", "seconds", header_style="bold")
    done: list[tuple[str, str, float]] = []
    with status(_err, f"Compiling 1 of {len(work)} …") as tell:
        try:
            for row in compiled(work, jobs):
                done.append(row)
                tell(f"Compiling {min(len(done) + 1, len(work))} of {len(work)} …")
        finally:  # what was compiled before Ctrl-C is kept
            for game, agent, seconds in done:
                table.add_row(game, agent, f"{seconds:.1f}")
            _out.print(table)
    print_plain(_out, f"in {os.environ.get('NUMBA_CACHE_DIR') or 'the __pycache__ folders of the package'}")
