"""Whether rules are still what they were when their digest was taken, by which compiled code is kept.

A rule may reach a number or a table of its module, and these may change without a new definition: ``STEP = 2`` in
another cell, or ``TABLE[0] = 5``. What is compiled then would be kept under the digest of the rules as they were, for
all processes to come. And what a rule calls is compiled once in a process, with the numbers that it had then. So both
are looked at before anything is compiled or loaded, but for functions of this package, which do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from .digest import digest_of_reached, is_of_library, is_own, reached

__all__ = ["check_helpers", "check_rules", "remember"]

_contents: dict[str, str] = {}  # a digest of rules -> what they reached when it was taken
_compiled: WeakKeyDictionary[FunctionType, str] = WeakKeyDictionary()  # a helper -> what it reached when compiled


def remember(digest: str, rules: Iterable[Callable[..., Any]]) -> None:
    """Remember what rules with this digest reach, unless all of them are ours."""
    rules = list(rules)
    if not all(map(is_own, rules)):
        _contents.setdefault(digest, digest_of_reached(rules))


def check_rules(spec: str, digest: str, rules: Iterable[Callable[..., Any]]) -> None:
    """Check that rules are what they were when their digest was taken, and that what they call is compiled as it is.

    Raises:
        ValueError: they have changed, or something that they call has.
    """
    rules = list(rules)
    if digest not in _contents:
        return
    if digest_of_reached(rules) != _contents[digest]:
        raise ValueError(
            f"the rules of {spec} have changed since it was made, by a number, a table or a function that they use: "
            "make the game anew"
        )
    check_helpers(*rules)


def check_helpers(*functions: Callable[..., Any]) -> None:
    """Check that what some functions call is what it was when it was compiled in this process.

    Raises:
        ValueError: it was compiled with other numbers, tables or functions.
    """
    theirs = {getattr(one, "py_func", one) for one in functions if not is_own(one)}
    for helper in reached(*theirs):
        if helper in theirs or is_own(helper) or is_of_library(helper):
            continue
        now = digest_of_reached(helper)
        if _compiled.setdefault(helper, now) != now:
            raise ValueError(
                f"{helper.__name__!r} was compiled with other numbers, tables or functions than it uses now: run its "
                "definition again, or start Python anew"
            )
