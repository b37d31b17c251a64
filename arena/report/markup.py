"""HTML from values: all text is escaped, unless it is `Html` already.

Characters that turn the direction of writing are left out: in a name they would turn the sentence that it stands in.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence

from ..wording import without_orders

__all__ = ["Html", "Value", "elo", "escaped", "listed", "named", "percent", "section", "share_text", "table", "tag"]

_LISTED = 4  # names, in words


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Value = str | int | float


def escaped(value: Value) -> Html:
    """Return a value as HTML."""
    return (
        value
        if isinstance(value, Html)
        else Html(html.escape(f"{value:g}" if isinstance(value, float) else without_orders(str(value))))
    )


def named(name: str, rank: int | None = None) -> Html:
    """Return the name of a player, which may be broken after a bracket or a comma, with its place in the table."""
    text = "".join(f"{escaped(part)}<wbr>" if part in "(," else escaped(part) for part in re.split("([(,])", name))
    return Html(text if rank is None else f'<span class="rank">{rank}</span> {text}')


def tag(name: str, content: Value | Iterable[Value] = "", **attributes: Value | None) -> Html:
    """Return an element.

    Args:
        name: the name of the element.
        content: what it has inside.
        attributes: by their names, with ``_`` for ``-``, and one at the end where Python keeps a name to itself, as in
            ``class_``; those that are None are left out.
    """
    inside = escaped(content) if isinstance(content, (str, int, float)) else "".join(map(escaped, content))
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{listed}>{inside}</{name}>")


def table(head: Sequence[Value], rows: Iterable[Sequence[Value]], caption: str, class_: str = "") -> Html:
    """Return a table in a box of its own, which scrolls where the table is wider than the page.

    Args:
        head: headings of the columns.
        rows: the cells; the first of each row is its heading. A cell that is a ``<td>`` already stays as it is.
        caption: what the table shows.
        class_: names for the style sheet.
    """
    above = tag("tr", [tag("th", one, scope="col") for one in head])
    body = [tag("tr", [tag("th", row[0], scope="row"), *map(_cell, row[1:])]) for row in rows]
    content = [tag("caption", caption), tag("thead", above), tag("tbody", body)]
    return tag(
        "div",
        tag("table", content, class_=class_ or None),
        class_="wide",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def _cell(value: Value) -> Html:
    return value if isinstance(value, Html) and value.startswith("<td") else tag("td", value)


def section(name: str, title: str, *content: Value) -> Html:
    """Return a section of the page; ``name`` is its anchor."""
    return tag("section", [tag("h2", title, id=f"{name}-title"), *content], id=name, aria_labelledby=f"{name}-title")


def percent(share: float) -> str:
    """Return a share in per cent, as in ``"62 %"``; a dash for none."""
    return "–" if math.isnan(share) else f"{100 * share:.0f} %"


def share_text(share: float, low: float, high: float) -> str:
    """Return a share with its interval, as in ``"62 % (55–69)"``."""
    return percent(share) if math.isnan(low) else f"{percent(share)} ({100 * low:.0f}–{100 * high:.0f})"


def elo(value: float) -> str:
    """Return a rating with its sign, as in ``"+120"``."""
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def listed(names: Sequence[str]) -> str:
    """Return two names or more in words, as in ``"a, b and c"``; of many the first, and how many others there are."""
    *first, last = names if len(names) <= _LISTED else [*names[:_LISTED], f"{len(names) - _LISTED} others"]
    return f"{', '.join(first)} and {last}"
