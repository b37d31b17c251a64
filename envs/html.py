"""Small tables for notebooks, which show an object by its ``_repr_html_``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]


def html_table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), caption: str = "") -> str:
    """Return a table of rows of cells, as HTML.

    Args:
        rows: the cells, as text or numbers.
        head: headings of the columns; empty for none.
        caption: a line above the table; empty for none.
    """
    parts = ["<table>"]
    if caption:
        parts.append(f"<caption>{escape(caption)}</caption>")
    if head:
        parts.append("<tr>" + "".join(f"<th>{escape(one)}</th>" for one in head) + "</tr>")
    parts += ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return "".join([*parts, "</table>"])
