"""What scripts write: the part of a page between two markers, pictures, and the commit at which they measured."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

__all__ = ["check_all", "commit_at_hand", "markdown_table", "save_picture", "write_section"]

PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"


def write_section(name: str, lines: Sequence[str], path: Path | None = None) -> None:
    """Put ``lines`` between ``<!-- name: begin -->`` and ``<!-- name: end -->`` of a page, and drop what stood there.

    Raises:
        ValueError: the page has not one of each, in that order.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    path = path or PAGE
    page = path.read_text()
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    if page.count(begin) != 1 or page.count(end) != 1 or end not in rest:
        raise ValueError(f"{path} must have one line {begin.strip()} and below it one line {end.strip()}")
    path.write_text("\n".join([before + begin, *lines, "", end + after]))


def check_all(write: bool, only: str, what: str) -> None:
    """Raise `typer.BadParameter` if a part alone, what ``--only`` names, is to be written into a page."""
    if write and only:
        raise typer.BadParameter(f"the page shows all {what}: leave out --only", param_hint="--write")


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> list[str]:
    """Return the lines of a table, the first ``texts`` columns to the left and the others, numbers, to the right."""
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]


def save_picture(figure: Any, path: Path) -> None:
    """Save a figure of matplotlib as SVG; what is drawn again from the same numbers is the same file."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(path, metadata={"Date": None})


def commit_at_hand() -> str:
    """Return the short name of the commit that is checked out; empty where the code is in no repository of Git."""
    call = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(call, capture_output=True, text=True, check=False).stdout.strip()
