"""Commands as they are written: a number, a name, and arguments; and what is said of those that are not understood."""

from __future__ import annotations

import math
import re

__all__ = ["COLOURS", "RefusalError", "integer_of", "number_of", "parsed", "player_of"]

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
_COMMAND = re.compile(r"\s*(\d*)\s*(\S*)(.*)", re.DOTALL)


class RefusalError(Exception):
    """What stands after the question mark."""


def parsed(line: str) -> tuple[str, str, list[str]]:
    """Return the number of a command, its name and its arguments; all empty for a line that has none."""
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line.partition("#")[0].replace("\t", " "))
    found = _COMMAND.match(text)
    assert found is not None  # all of it is optional
    return found[1], found[2], found[3].split()


def player_of(arguments: list[str]) -> int:
    """Return the player that the first argument names by a colour.

    Raises:
        RefusalError: it names none.
    """
    if not arguments or arguments[0].lower() not in COLOURS:
        raise RefusalError("syntax error")
    return COLOURS[arguments[0].lower()]


def number_of(arguments: list[str], place: int) -> float:
    """Return the number that stands in a place.

    Raises:
        RefusalError: there is none.
    """
    try:
        value = float(arguments[place])
    except (IndexError, ValueError):
        raise RefusalError("syntax error") from None
    if not math.isfinite(value):
        raise RefusalError("syntax error")
    return value


def integer_of(arguments: list[str], place: int) -> int:
    """Return the whole number that stands in a place.

    Raises:
        RefusalError: there is none.
    """
    value = number_of(arguments, place)
    if value != int(value):
        raise RefusalError("syntax error")
    return int(value)
