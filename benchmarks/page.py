"""The part of a page, docs/measurements.md if no other, that a script writes: what stands between two markers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["markdown_table", "write_section"]

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


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> list[str]:
    """Return the lines of a table, the first ``texts`` columns to the left and the others, numbers, to the right."""
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
