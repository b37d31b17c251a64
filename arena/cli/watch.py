"""``plyground watch``: the table of games that are being played, live."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from .options import GamesFile

__all__ = ["watch"]


def watch(
    file: GamesFile,
    games: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many games there will be, to tell when they will end. Default: what a store says."
        ),
    ] = None,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks at the file.")] = 1,
    until_idle: Annotated[
        float | None, typer.Option(min=0, help="End when no game has come for so many seconds. Default: at Ctrl-C.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Print the table as it is now, and end.")] = False,
) -> None:
    """Show the table of a file of games as they come: points, Elo so far, the rate, and the expected end."""
    from .parts.watching import follow

    follow(Console(), file, planned=games, every=every, until_idle=0 if once else until_idle)
