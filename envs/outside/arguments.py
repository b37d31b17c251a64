"""Checks of arguments that come from outside, each with an error that says what was expected."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any

import numpy as np

from .messages import shown
from .spec import nearest

__all__ = [
    "action_number",
    "check_jobs",
    "check_player",
    "checked_flag",
    "checked_options",
    "checked_span",
    "checked_tuple",
    "checked_whole",
    "is_between",
    "is_flag",
    "is_list",
    "is_positive",
    "is_text",
    "is_truth",
]

_LARGEST = sys.float_info.max
_OF_TESTS = "options"  # an option that PettingZoo's `api_test` gives to every environment
_MOST_JOBS = 10_000  # of one machine or cluster: far more, and the system's own numbers of processes overflow


def checked_whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number of Python's or NumPy's as an `int`.

    Raises:
        ValueError: it is none, or is not from ``least`` to ``most``; the message calls it ``name``.
    """
    try:
        number = least - 1 if is_truth(value) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        span = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number, {span}, got {value!r}")
    return number


def checked_span(name: str, value: Any, most: int) -> tuple[int, int]:
    """Return the fewest and the most of something, of which ``value`` is a pair, or the most alone: the fewest are 0.

    Raises:
        ValueError: they are no whole numbers from 0 to ``most``, or in the wrong order; the message calls them
            ``name``.
    """
    pair = value if isinstance(value, (tuple, list)) and len(value) == 2 else (0, value)
    try:
        last = checked_whole(name, pair[1], 0, most)
        return checked_whole(name, pair[0], 0, last), last
    except ValueError:
        raise ValueError(
            f"{name} must be a whole number, or a pair of the fewest and the most as in (2, 4), from 0 to {most}, "
            f"got {value!r}"
        ) from None


def checked_tuple(name: str, value: Any, example: str) -> tuple[Any, ...]:
    """Return the items of a value as a tuple; what they are is not looked at.

    Raises:
        ValueError: it has no items; the message calls it ``name``.
    """
    if not isinstance(value, Iterable):
        raise ValueError(f"{name} must be a tuple, as in {example}, got {value!r}")
    return tuple(value)


def check_jobs(jobs: int) -> None:
    """Check a number of processes, as joblib takes it: -1 is one on each core, -2 one less, and so on.

    Raises:
        ValueError: it is no whole number, 0, or more than any machine has.
    """
    try:
        number = operator.index(jobs)
    except TypeError:
        number = 0
    if number == 0 or number > _MOST_JOBS:
        raise ValueError(
            f"jobs must be a number of processes, up to {_MOST_JOBS}, or -1 for one on each core, got {jobs!r}"
        )


def is_between(value: Any, least: float, most: float = _LARGEST) -> bool:
    """Return whether a value is a number from ``least`` to ``most``, by default a finite one; text, say, is none."""
    try:
        return isinstance(value, Real) and least <= float(value) <= most
    except OverflowError:  # a whole number that no float can hold
        return False


def is_positive(value: Any, most: float = _LARGEST) -> bool:
    """Return whether a value is a number above 0, up to ``most``, by default a finite one."""
    return is_between(value, 0, most) and value > 0


def is_text(value: Any) -> bool:
    """Return whether a value is a string that files can hold: half of a surrogate pair alone has no bytes."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_truth(value: Any) -> bool:
    """Return whether a value is a truth value, of Python, NumPy or torch; all but NumPy's would pass as 0 or 1."""
    if type(value) is int or isinstance(value, np.integer):
        return False
    return isinstance(value, (bool, np.bool_)) or str(getattr(value, "dtype", "")).endswith("bool")


def is_flag(value: Any) -> bool:
    """Return whether a value is a truth value, or 0 or 1 in place of one; the text ``"False"``, say, would be true."""
    return isinstance(value, (bool, np.bool_, int, np.integer)) and value in (0, 1)


def checked_flag(name: str, value: Any) -> bool:
    """Return a truth value, for which 0 or 1 may stand, as a `bool`.

    Raises:
        ValueError: it is none; the message calls it ``name``.
    """
    if not is_flag(value):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_player(player: Any) -> None:
    """Check that a player is the first, 0, or the second, 1, as the rules of a game number them.

    Raises:
        ValueError: it is neither; compiled rules would answer all the same.
    """
    if player not in (0, 1):
        raise ValueError(f"player must be 0, who moves first, or 1, got {player!r}")


def action_number(value: Any, num_actions: int) -> int:
    """Return the number of an action, or -1 for what is none: text, truth values, fractions, numbers out of range."""
    if is_truth(value):
        return -1
    try:
        number = operator.index(value)
    except TypeError:
        return -1
    return number if 0 <= number < num_actions else -1


def is_list(value: Any) -> bool:
    """Return whether values can be taken from ``value`` one by one, in order; not from text, a set or a mapping."""
    listed = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Set, Mapping))
    return listed and getattr(value, "ndim", 1) > 0  # NumPy's array of no dimension looks iterable, and is not


def checked_options(options: Any, known: Iterable[str]) -> Mapping[str, Any]:
    """Return the options of a ``reset``; None stands for none.

    Raises:
        ValueError: they are no mapping, or a name is none of those that are ``known``.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dict such as {{'moves': [3, 3]}}, got {options!r}")
    known = list(known)
    for key in options:
        if key not in known and key != _OF_TESTS:
            raise ValueError(f"unknown option {shown(key)}: {nearest(str(key), known)}")
    return options
