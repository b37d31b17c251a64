"""``plyground convert``: games from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..records.formats import read_games, write_games

__all__ = ["convert"]

_out = Console()


def convert(
    source: Annotated[Path, typer.Argument(help="A .jsonl, .sgf or .pdn file.")],
    target: Annotated[Path, typer.Argument(help="The file to make; its suffix tells the format.")],
) -> None:
    """Convert games between JSON lines, SGF (Go, gomoku, Othello) and PDN (checkers)."""
    if target.exists():
        raise FileExistsError(f"{target} exists already: choose another name, or remove it first")
    records = list(read_games(source))  # all games, before anything is written
    write_games(target, records)
    _out.print(f"saved {target}, {len(records)} games", markup=False, highlight=False, soft_wrap=True)
