"""``python -m tests.compare [NAME …] [--games N]``: games against other implementations, in full."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from pettingzoo.utils.env_logger import EnvLogger
from rich.console import Console
from rich.progress import track
from rich.table import Table

from .pairs import PAIRS


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Some of {', '.join(PAIRS)}; default: all.")] = None,
    games: Annotated[int | None, typer.Option(help="Random games of each; default: the full number.")] = None,
    seed: Annotated[int, typer.Option(help="Of the moves.")] = 0,
) -> None:
    """Compare every position of random games: legal actions, player to move, end and outcome."""
    if unknown := sorted(set(names or []) - set(PAIRS)):
        raise typer.BadParameter(f"no pair {unknown}: expected some of {', '.join(PAIRS)}")
    EnvLogger.suppress_output()  # of each illegal move, which some games have on purpose
    table = Table("game", "compared with", "games", "plies", "seconds", title="no differences", title_justify="left")
    for name in names or PAIRS:
        pair = PAIRS[name]
        number = games or pair.games
        start = time.perf_counter()
        plies = sum(track(pair.run(number, seed), name, number, console=Console(stderr=True)))
        table.add_row(pair.game, pair.peer, f"{number:,}", f"{plies:,}", f"{time.perf_counter() - start:.0f}")
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
