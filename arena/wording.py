"""Words that come out of files, as parts of a line; numbers of things, sizes, estimates and intervals in words.

Names and reasons come from files of strangers. What would give the terminal orders is left out of them: it might change
its title, take lines away, or turn the writing round. So are colours and ends of lines, which break tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal

__all__ = [
    "ORDERS",
    "counted",
    "decimal_of",
    "estimated",
    "interval_of",
    "plain",
    "size_of",
    "told_ends",
    "without_orders",
]

# Colours and other sequences of control; control characters, but for tabs and ends of lines; changes of direction.
ORDERS = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_TOLD = 1000.0  # Elo from an estimate, as far as the ends of its interval are told
_ENDS = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")  # of lines, and tabs


def without_orders(text: str) -> str:
    """Return text without what would give orders or colours to a terminal, or turn the writing round after it."""
    return ORDERS.sub("", text)


def plain(text: str) -> str:
    """Return a name or a reason as a part of a line: without orders, colours, and ends of lines."""
    return without_orders(_ENDS.sub(" ", text))


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Return how many things there are, as in ``"1 game"`` or ``"1,200 games"``; ``things`` is an irregular plural."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def decimal_of(number: float) -> str:
    """Return a number as the shortest decimal without an exponent that reads back as the same, as in ``"60"``."""
    return f"{Decimal(repr(float(number))):f}".removesuffix(".0")  # float: NumPy shows its own otherwise


def interval_of(low: float, high: float, form: Callable[[float], str]) -> str:
    """Return an interval, of which an end may be infinite, or both.

    As in ``"-3 to +27"``, ``"-3 or more"``, ``"+27 or less"``, or ``"not known yet"``.

    Args:
        low: the lower end.
        high: the upper end.
        form: writes a number.
    """
    if math.isinf(low) and math.isinf(high):
        return "not known yet"
    if math.isinf(low) or math.isinf(high):
        return f"{form(high)} or less" if math.isinf(low) else f"{form(low)} or more"
    return f"{form(low)} to {form(high)}"


def estimated(value: float, low: float, high: float, form: Callable[[float], str], level: str = "") -> str:
    """Return an estimate in Elo with its interval as people are told it, which may have one end only, or none.

    As in ``"+12 (-3 to +27)"``, ``"+12 (-3 or more)"``, ``"-3 or more"`` of an infinite one, or ``"not known yet"``.

    Args:
        value: the estimate.
        low: the lower end of its interval.
        high: the upper end.
        form: writes a number.
        level: what the interval is, as in ``"95 %"``, which stands behind it.
    """
    low, high = told_ends(value, low, high)
    bounds, bounded = interval_of(low, high, form), math.isfinite(low) + math.isfinite(high)
    if not bounded:
        return bounds
    if bounded == 1 and math.isinf(value):
        return f"{bounds} ({level})" if level else bounds
    return f"{form(value)} ({bounds}{', ' if level else ''}{level})"


def told_ends(elo: float, low: float, high: float) -> tuple[float, float]:
    """Return the ends of an interval as people are told them: infinite where they are very far from the estimate.

    A few games that were all won bound a lead on one side only. What bounds it on the other is the prior, or what is
    added to the games. Of an infinite estimate, which is far from all, both stay as they are.

    Args:
        elo: the estimate.
        low: the lower end.
        high: the upper end.
    """
    if math.isinf(elo):
        return low, high
    return low if elo - low < _TOLD else -math.inf, high if high - elo < _TOLD else math.inf


def size_of(count: int) -> str:
    """Return a number of bytes with three digits at most, in the unit that suits it, as in ``"39.4 kB"``."""
    size, unit = float(count), "byte"
    for unit in ("byte", "kB", "MB", "GB"):
        if size < 999.5 or unit == "GB":
            break
        size /= 1000
    return counted(count, unit) if unit == "byte" else f"{size:,.{0 if size >= 99.95 else 1}f} {unit}"
