"""``plyground show``: a position after some moves, in the terminal or as a picture, with a search of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..lines import board_of, console, print_plain
from .options import GameArgument, Json, Moves, PositionOption, Unicode, print_json

__all__ = ["show"]

_out = console()
_MODES = {"--out": ("size",), "text": ("unicode",)}


def show(
    context: typer.Context,
    game: GameArgument,
    moves: Moves = "",
    position: PositionOption = "",
    overlay: Annotated[
        str | None, typer.Option(help="An agent that searches the position, as in 'mcts(simulations=5000)'.")
    ] = None,
    size: Annotated[int, typer.Option(help="Pixels of the picture's longer side.")] = 800,
    out: Annotated[Path | None, typer.Option(help="A .svg or .png file. Default: text, in the terminal.")] = None,
    unicode: Unicode = False,
    as_json: Json = False,
) -> None:
    """Show a position, as text or as a picture, with a search of it."""
    from ...envs import make_game
    from ...envs.outside.arguments import checked_whole
    from ...envs.outside.files import check_writable
    from ...envs.render import picture
    from ...envs.render.drawing import PIXELS, picture_format
    from ..openings import read_moves
    from .parts.analysis import analysis_data, analysis_of, print_analysis, searcher
    from .parts.modes import check_options
    from .parts.positions import board_text, position_data, start_of, status_of

    check_options(context, "--out" if out is not None else "--json" if as_json else "text", _MODES)
    if out is not None:  # checked before the search, which may take long
        picture_format(out)
        check_writable(out)
        checked_whole("--size", size, *PIXELS)
    made = make_game(game)
    start = start_of(made, position)
    played = read_moves(made, moves, start)
    before = made.play_moves(played[:-1], start)
    state = made.play_moves(played[-1:], before)
    found = None if overlay is None else analysis_of(searcher(overlay, made), made, start, played)
    if out is not None:
        last = (before, played[-1]) if played else None
        picture(made, state, last=last, overlay=found, caption=status_of(made, state)).save(out, size)
        if not as_json:
            print_plain(_out, f"saved {out}")
            return
    if as_json:
        data = {**position_data(made, state), "moves": made.line_names(played, start)}
        print_json({**data, "saved": out and str(out), "analysis": found and analysis_data(made, state, found)})
        return
    print_plain(_out, board_of(f"{board_text(made, state, unicode)}\n{status_of(made, state)}"))
    if found is not None:
        _out.print()
        print_analysis(_out, made, state, found)
