"""``plyground convert``: games from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..lines import console, print_plain
from ..wording import counted

__all__ = ["convert"]

_out = console()


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            help="A .jsonl, .db, .csv, .parquet, .sgf, .pdn or .pgn file; games.db#2 is a tournament in one."
        ),
    ],
    target: Annotated[Path, typer.Argument(help="The file to make; its suffix tells the format.")],
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Keep the games before a fault in the source; by default there is no new file."),
    ] = False,
) -> None:
    """Convert games: stores, JSON lines, CSV, Parquet, SGF (Go, gomoku, Othello), PDN (checkers), PGN (chess)."""
    from ...envs.outside.files import check_new
    from ..formats import check_format
    from ..progress import convert_with_progress
    from ..records.names import split_name

    check_new(split_name(target)[0])
    check_format(target)
    games, fault = convert_with_progress(source, target, partial)
    print_plain(_out, f"saved {target}, {counted(games, 'game')}")
    if fault is not None:
        raise fault
