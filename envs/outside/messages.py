"""Values, texts and lists in error messages, cut to a length that a line can hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["cut", "listed", "shown"]

_LONGEST = 300  # characters of a message
_MOST = 30  # names in a list


def cut(text: str, most: int = _LONGEST) -> str:
    """Return ``text`` on one line, without its middle where it has more than ``most`` characters."""
    if len(text) > 2 * most:  # the ends of a very long text, before anything looks at all of it
        text = f"{text[:most]} … {text[-most:]}"
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head = 2 * (most - 3) // 3
    return f"{text[:head]} … {text[head + 3 - most :]}"


def listed(names: Sequence[str], most: int = _MOST) -> str:
    """Return the first ``most`` names, and how many others there are."""
    others = f", … and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + others


def shown(value: Any, most: int = 60) -> str:
    """Return ``repr(value)``, on one line and cut to ``most`` characters."""
    if isinstance(value, str) and len(value) > most:
        value = cut(value, most - 2)
    try:
        return cut(repr(value), most)
    except (ValueError, RecursionError):  # a number of thousands of digits, or a list in a list in a list …
        return f"a very large {type(value).__name__}"
