"""``plyground openings``: openings that leave neither side ahead."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from ..lines import console, print_plain
from ..wording import counted
from .options import GameArgument, Seed

__all__ = ["openings"]


def openings(
    game: GameArgument,
    opening_plies: Annotated[int, typer.Option(help="Moves of each opening.", min=1)] = 8,
    count: Annotated[int, typer.Option(help="How many openings.", min=1)] = 100,
    judge: Annotated[
        str, typer.Option(help="The agent that values the positions, as in 'alphabeta(depth=8)' or 'solver'.")
    ] = "alphabeta(depth=8)",
    most: Annotated[float, typer.Option(help="How far ahead a side may be, of 1 for the largest win.", min=0)] = 0.05,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="A new text file. Default: the terminal.")] = None,
) -> None:
    """Find openings that leave neither side ahead, for matches."""
    from ...envs import make_game
    from ...envs.outside.files import check_new
    from ..openings import balanced_openings, write_openings
    from ..progress import watch_with_progress

    if out is not None:
        check_new(out)
    made = make_game(game)
    unit = made.max_utility if math.isfinite(made.max_utility) else 1.0
    found = balanced_openings(made, opening_plies, judge, most * unit, seed)
    lines: list[list[int]] = []
    wanted = (moves for _, moves in zip(range(count), found, strict=False))  # islice takes no count beyond 64 bits
    fault: ValueError | None = None
    try:
        is_interrupted = watch_with_progress(wanted, count, "searching", "openings", lines.append)
    except ValueError as error:  # there are no more
        if not lines:
            raise
        is_interrupted, fault = False, error
    if not lines:
        raise typer.Exit(130)
    heading = (
        f"{made.spec}: openings of {counted(opening_plies, 'ply', 'plies')} after which {judge} sees neither side "
        f"ahead by more than {most * unit:g}; seed {seed}"
    )
    if out is None:
        for moves in lines:
            print(" ".join(made.line_names(moves)))
    else:
        write_openings(out, made, lines, heading)
        print_plain(console(), f"saved {out}, {counted(len(lines), 'opening')}")
    if fault is not None:
        raise fault
    if is_interrupted:
        raise typer.Exit(130)
