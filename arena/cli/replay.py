"""``plyground replay`` and ``watch``: games of a file at a terminal, board by board, and as they are played."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..lines import console, print_plain
from ..wording import counted
from .options import GamesFile

__all__ = ["replay", "watch"]

_out = console(highlight=False)


def replay(
    file: GamesFile,
    number: Annotated[int, typer.Argument(metavar="GAME", min=1, help="The number of the game in the file, from 1.")],
    ply: Annotated[int | None, typer.Option(min=0, help="Only the position after so many moves.")] = None,
    svg: Annotated[
        Path | None, typer.Option(help="Save a picture, .svg or .png, of the position of --ply, or of the last one.")
    ] = None,
) -> None:
    """Show a game from a file, board by board: with keys at a terminal, else one position below the other."""
    from ...envs.outside.files import check_writable
    from ...envs.render.drawing import picture_format
    from .parts.replaying import Reel, browse, nth_game

    if svg is not None:
        picture_format(svg)
        check_writable(svg)
    reel = Reel(nth_game(file, number), number)
    if ply is not None and ply > reel.last:
        raise ValueError(f"game {number} of {file} has {counted(reel.last, 'move')}: there is no position after {ply}")
    if svg is not None:
        reel.picture(reel.last if ply is None else ply).save(svg)
        print_plain(_out, f"saved {svg}")
    elif _out.is_terminal and ply is None:
        browse(_out, reel)
    else:
        print_plain(_out, reel.heading)
        for at in range(reel.last + 1) if ply is None else (ply,):
            _out.print()
            print_plain(_out, reel.frame(at))


def watch(
    context: typer.Context,
    file: GamesFile,
    games: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many games there will be, to tell when they will end. Default: what a store says."
        ),
    ] = None,
    every: Annotated[float, typer.Option(min=0.1, max=86_400, help="Seconds between updates.")] = 1,
    until_idle: Annotated[
        float | None, typer.Option(min=0, help="End when no game has come for so many seconds. Default: at Ctrl-C.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Print the table as it is now, and end.")] = False,
) -> None:
    """Show the table of a file of games as they come: points, Elo so far, the rate, and the expected end."""
    from .parts.modes import check_options
    from .parts.watching import follow

    check_options(context, "--once" if once else "looking again", {"looking again": ("every", "until_idle")})
    follow(console(), file, planned=games, every=every, until_idle=0 if once else until_idle)
