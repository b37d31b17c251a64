"""What may be set of an agent: attributes that are checked whenever they are set, and checks of arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from ..envs.outside.arguments import is_flag, is_positive
from ..envs.outside.messages import shown

__all__ = ["MOST_SIMULATIONS", "Budget", "Checked", "Setting", "check_arguments", "check_budget", "check_flags"]

MOST_SIMULATIONS = 2**31 - 1  # of a search, those that are kept included: trees count with 32 bits


class Checked:
    """An attribute of an agent that is checked whenever it is set.

    Args:
        checked: ``checked(name, value)`` returns what is kept of a value, or raises a `ValueError` that names it.
    """

    def __init__(self, checked: Callable[[str, Any], Any]) -> None:
        self._checked = checked

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, agent: Any, owner: type | None = None) -> Any:
        if agent is None:
            return self
        try:
            return vars(agent)[self._name]
        except KeyError:
            raise AttributeError(f"{type(agent).__name__} has no {self._name} yet") from None

    def __set__(self, agent: Any, value: Any) -> None:
        vars(agent)[self._name] = self._checked(self._name, value)


class Setting(Checked):
    """An attribute whose values are told apart by a condition.

    Args:
        fits: says of a value whether it fits.
        expected: what was expected, for the message of the `ValueError` where it does not.
        kept: makes of a value what is kept, such as `float`: of another type, compiled code would be compiled anew.
    """

    def __init__(self, fits: Callable[[Any], bool], expected: str, kept: Callable[[Any], Any] | None = None) -> None:
        def checked(name: str, value: Any) -> Any:
            check_arguments((name, value, fits(value), expected))
            return value if kept is None else kept(value)

        super().__init__(checked)


class Budget(Checked):
    """A budget of a search agent, or None: checked whenever it is set, and then one of Python's own numbers.

    NumPy's would be of another type to compiled code, and small ones overflow.
    """

    def __init__(self) -> None:
        super().__init__(_checked_budget)


def check_arguments(*checks: tuple[str, Any, bool, str]) -> None:
    """Check arguments one after the other.

    Args:
        checks: for each argument its name, its value, whether that fits, and what was expected, as in
            ``("c", c, c >= 0, "at least 0")``.

    Raises:
        ValueError: an argument does not fit; the message names the first that does not.
    """
    for name, value, fits, expected in checks:
        if not fits:
            raise ValueError(f"{name} must be {expected}, got {shown(value)}")


def check_flags(**flags: Any) -> None:
    """Check that each is True or False, or 0 or 1 in their place: any other value, such as a text, would count as true.

    Raises:
        ValueError: one is not; the message names it.
    """
    check_arguments(*((name, flag, is_flag(flag), "True or False") for name, flag in flags.items()))


def check_budget(*, seconds: float | None = None, **counts: int | None) -> None:
    """Check that each budget is positive, and whole unless it is a time. None is no budget.

    Raises:
        ValueError: a budget is not, or is more ``simulations`` than `MOST_SIMULATIONS`; the message names it.
    """
    for name, value in {"seconds": seconds, **counts}.items():
        fits = is_positive(value, math.inf) if name == "seconds" else isinstance(value, Integral) and int(value) > 0
        if value is not None and (isinstance(value, bool) or not fits):
            kind = "a number" if name == "seconds" else "a whole number"
            raise ValueError(
                f"{name} must be {kind} above 0, got {shown(value)}: a search needs a budget to choose a move"
            )
        if name == "simulations" and value is not None and int(value) > MOST_SIMULATIONS:
            raise ValueError(f"{name} must be a whole number up to {MOST_SIMULATIONS}, got {shown(value)}")


def _checked_budget(name: str, value: Any) -> Any:
    check_budget(**{name: value})
    return value.item() if isinstance(value, np.generic) else value
