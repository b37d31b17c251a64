"""A 64-bit key for the states of any game, made from the layout of its record.

Transposition tables recognise a position by its key. A game may bring its own rule (one that merges symmetric
positions, or is cheaper); where it brings none, `key_rule` builds one from the record's fields: the fields side by side
where they fit into 64 bits, which is exact, and a hash of them where they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import scattered
from .linked import helper

__all__ = ["key_rule", "keys_by_playing"]

_ZERO = np.uint64(0)


def key_rule(layout: np.dtype[Any]) -> Callable[[Any], Any]:
    """Return a rule ``key(state) -> uint64`` for records of ``layout``.

    Raises:
        ValueError: a field is not made of integers or booleans, so that it has no obvious bits.
    """
    assert layout.names is not None
    assert layout.fields is not None
    elements = {name: layout.fields[name][0].base for name in layout.names}
    for name, element in elements.items():
        if element.kind not in "biu":
            raise ValueError(
                f"field {name!r} of the state has dtype {element}, and only integers and booleans have a default key: "
                "give the game a rule `key(state)` that returns a uint64"
            )
    exact = 8 * sum(layout.fields[name][0].itemsize for name in layout.names) <= 64
    rule = _nothing
    for name in layout.names:
        bits = 8 * elements[name].itemsize
        is_array = layout.fields[name][0].subdtype is not None
        rule = _with_field(rule, name, bits, exact, is_array)
    return rule


@cache
def keys_by_playing(
    legal_actions: Callable[..., Any], play: Callable[..., Any], repetition_key: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the rule ``keys_after(state, actions, keys, scratch)`` that plays each action in ``scratch[0]``."""
    return keys_by_calling(*(helper(getattr(rule, "py_func", rule)) for rule in (legal_actions, play, repetition_key)))


def keys_by_calling(
    legal_actions: Callable[..., Any], play: Callable[..., Any], repetition_key: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the same rule, which calls what it is given as it is: rules that are compiled are not compiled again."""

    def keys_after(state: Any, actions: Any, keys: Any, scratch: Any) -> int:
        count = legal_actions(state, actions)
        for i in range(count):
            scratch[0] = state
            child = scratch[0]
            play(child, np.int64(actions[i]))
            keys[i] = repetition_key(child)
        return count

    return keys_after


@helper
def _nothing(state: Any) -> Any:
    return _ZERO


def _with_field(
    before: Callable[[Any], Any], name: str, bits: int, exact: bool, is_array: bool
) -> Callable[[Any], Any]:
    """Return the rule that adds one field to the key that the rule ``before`` makes."""
    shift = np.uint64(bits % 64)  # a field of 64 bits that is packed exactly is alone: nothing stands left of it
    ones = np.uint64(2**bits - 1)

    @helper
    def add(key: Any, value: Any) -> Any:
        value = np.uint64(value) & ones
        return (key << shift) | value if exact else scattered(key ^ value)

    if not is_array:
        return helper(lambda state: add(before(state), state[name]))

    @helper
    def add_array(state: Any) -> Any:
        key = before(state)
        values: NDArray[Any] = state[name]
        for value in values.flat:
            key = add(key, value)
        return key

    return add_array
