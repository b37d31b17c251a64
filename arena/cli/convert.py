"""``plyground convert``: games from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

__all__ = ["convert"]

_out = Console()


def convert(
    source: Annotated[Path, typer.Argument(help="A .jsonl, .sgf or .pdn file.")],
    target: Annotated[Path, typer.Argument(help="The file to make; its suffix tells the format.")],
) -> None:
    """Convert games between JSON lines, SGF (Go, gomoku, Othello) and PDN (checkers)."""
    from ...envs.outside.files import check_writable
    from ..progress import convert_with_progress
    from ..records.formats import check_format

    if target.exists():
        raise FileExistsError(f"{target} exists already: choose another name, or remove it first")
    check_format(target)
    check_writable(target)
    games = convert_with_progress(source, target)
    _out.print(f"saved {target}, {games} games", markup=False, highlight=False, soft_wrap=True)
