"""Spec strings: how games and players are named in text, as in ``connect_four(rows=5)`` or ``mcts(simulations=1000)``.

A spec is a name, optionally followed by arguments in parentheses. An argument is ``value`` or ``key=value``; a value is
a Python literal where it can be read as one, and otherwise stays text, so that file names and nested specs need no
quotes: ``ppo(models/c4.zip)``, ``mixture(random, alphabeta(depth=2))``.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from .messages import shown

__all__ = ["Spec", "nearest", "nearest_of", "parse_spec", "same_spec"]

_SPEC = re.compile(r"([A-Za-z_][\w-]*)\s*(?:\((.*)\))?", re.DOTALL)
_KEYWORD = re.compile(r"\s*([A-Za-z_]\w*)\s*=(.*)", re.DOTALL)
_WORDS = {"true": True, "false": False, "none": None}  # in any case: as people write them in a shell
_OPENING, _CLOSING = "([{", ")]}"
_NEAR = 0.65  # of the letters of a name and of the one that may be meant, by `difflib`
_LONGEST, _DEEPEST = 10_000, 50  # characters of a spec, and brackets within brackets


class Spec(NamedTuple):
    """A parsed spec string."""

    name: str
    args: list[Any]
    kwargs: dict[str, Any]


def parse_spec(text: str, place: str = "") -> Spec:
    """Parse ``name`` or ``name(value, key=value, …)``.

    Args:
        text: the spec.
        place: what it begins with in place of a name, as in ``./file.py:name``; the `Spec` then has no name.

    Raises:
        ValueError: the text has another form.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"cannot read {shown(text)}: it has {len(text)} characters, expected {_LONGEST} at most")
    behind = text.strip()[len(place) :]
    match = _SPEC.fullmatch(f"_{behind}" if place else behind)
    if match is None:
        raise ValueError(
            f"cannot read {shown(text)}: expected a name, or name(argument, key=value), as in 'connect_four(rows=5)' "
            "or 'mcts(simulations=100)'"
        )
    name, inside = match.groups()
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for part in _split(inside or "", text):
        keyword = _KEYWORD.fullmatch(part)
        if keyword is None:
            if kwargs:
                raise ValueError(
                    f"cannot read {shown(text)}: {shown(part.strip())} must come before the arguments with names"
                )
            args.append(_value(part))
        elif keyword[1] in kwargs:
            raise ValueError(f"cannot read {shown(text)}: {shown(keyword[1])} is given twice")
        else:
            kwargs[keyword[1]] = _value(keyword[2])
    return Spec("" if place else name, args, kwargs)


@lru_cache
def same_spec(one: str, other: str) -> bool:
    """Return whether two specs, of a name or of a place, are equal but for how their numbers are written.

    Records and stores of earlier versions have ``go(komi=7)`` as well as ``go(komi=7.0)``. Nothing is made or loaded.
    """
    try:
        return one == other or _comparable(one) == _comparable(other)
    except ValueError:
        return False


def _comparable(text: str) -> Any:
    named, bracket, inside = text.partition("(")
    _, args, kwargs = parse_spec(f"spec{bracket}{inside}")
    values = [*enumerate(args), *sorted(kwargs.items())]
    return named.strip(), [(key, isinstance(value, bool), value) for key, value in values]  # True is no 1


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return the end of an error message: the nearest of ``choices`` if one is near, and all of them."""
    choices = sorted(choices)
    close = nearest_of(name[:100], choices)
    if not close:  # initials, as in "lr" for "learning_rate"
        close = next((choice for choice in choices if "".join(word[:1] for word in choice.split("_")) == name), None)
    hint = f"did you mean {close!r}? " if close else ""
    return f"{hint}Choose from: {', '.join(choices)}"


def nearest_of(name: str, choices: Iterable[str]) -> str | None:
    """Return the nearest of ``choices``; None if none is near."""
    choices = list(choices)
    if alike := [choice for choice in choices if choice.lower() == name.lower()]:
        return alike[0]
    return next(iter(difflib.get_close_matches(name, choices, n=1, cutoff=_NEAR)), None)


def _split(inside: str, text: str) -> list[str]:
    """Split at the commas that stand in no bracket and no quotes."""
    parts, start, depth, quote = [], 0, 0, ""
    for i, character in enumerate(inside):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _OPENING:
            depth += 1
            if depth > _DEEPEST:
                raise ValueError(f"cannot read {shown(text)}: brackets are nested more than {_DEEPEST} deep")
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(inside[start:i])
            start = i + 1
        if depth < 0:
            break
    if depth != 0 or quote:
        raise ValueError(f"cannot read {shown(text)}: brackets or quotes do not match")
    parts.append(inside[start:])
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()  # a trailing comma
    if len(parts) > 1 and not all(part.strip() for part in parts):
        raise ValueError(f"cannot read {shown(text)}: an argument is empty")
    return [part for part in parts if part.strip()]


def _value(text: str) -> Any:
    text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return text  # TypeError: a list as a key; the last two: operators in hundreds
