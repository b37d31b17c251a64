"""The transposition table: what the search knows of positions it has seen, in fixed memory.

The low bits of a scrambled key choose one of two neighbouring slots. The whole 64-bit key is stored and compared.

An entry is a value, searched to ``depth`` plies, that is exact or a bound. It serves another search of the same depth.
Where the depth limit cut off no line of that search, the entry is ``SOLVED``, and serves every deeper search too. So a
search with a table returns the same values as one without.

A new entry always takes its own slot, unless replacement is by depth. Then it takes the first of the two slots if that
is free, or holds an entry of an earlier search or one that is not deeper, which moves to the second slot. Otherwise it
takes the second slot. (TWODEEP in D. M. Breuker, J. W. H. M. Uiterwijk and H. J. van den Herik, "Replacement
schemes for transposition tables", ICCA Journal 17, 1994; the age is Stockfish's idea, and many another program's.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.jit import helper, prefetch
from ..search import table_memory

__all__ = [
    "EXACT",
    "LOWER",
    "SOLVED",
    "UPPER",
    "answers",
    "better_guess",
    "bound_of",
    "fetch",
    "new_table",
    "place",
    "probe",
    "remember",
]

EXACT, LOWER, UPPER = 1, 2, 3  # what the entry holds: the state's value, a lower bound of it, an upper bound
SOLVED = 4  # added to the bound where no line was cut off by the depth limit

_ENTRY = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("key", "u8"),
                ("value", "f8"),
                ("static", "f8"),
                ("action", "i4"),
                ("depth", "i2"),
                ("bound", "u1"),
                ("age", "u1"),
            ],
            align=True,
        ),
    )
)
_SCRAMBLE, _SHIFT, _ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(1)


def new_table(megabytes: float, most_positions: float = float("inf")) -> NDArray[Any]:
    """Return an empty table [slots], the largest power of two that fits; of no slots for 0 MB.

    A search that cannot see more than ``most_positions`` gets no larger table than it can fill: emptying it takes time.

    Raises:
        MemoryError: there is no memory for it.
    """
    with table_memory(megabytes):
        return np.zeros(slots_of(megabytes, most_positions), _ENTRY)  # bound 0: a free slot


def slots_of(megabytes: float, most_positions: float = float("inf")) -> int:
    """Return how many slots `new_table` gives a table."""
    if megabytes == 0:
        return 0
    slots = max(2, int(min(float(megabytes) * 2**20 / _ENTRY.itemsize, 2 * most_positions)))
    return 1 << (slots.bit_length() - 1)


@helper
def _slot_of(table: Any, key: Any) -> Any:
    return ((key * _SCRAMBLE) >> _SHIFT) & np.uint64(table.size - 1)


@helper
def fetch(table: Any, key: Any) -> None:
    """Have the slots of ``key`` at hand soon: a table is far from the processor."""
    prefetch(table, _slot_of(table, key))


@helper
def probe(table: Any, key: Any) -> Any:
    """Return the slot that holds ``key``, or one that does not: the caller compares the key, and ``bound`` with 0."""
    slot = _slot_of(table, key)
    neighbour = slot ^ _ONE
    if table[slot].key != key and table[neighbour].key == key:
        return neighbour
    return slot


@helper
def answers(bound: int, value: float, alpha: float, beta: float) -> bool:
    """Return whether a value that is exact, or a bound, says all of what a search with this window asks."""
    return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)


@helper
def better_guess(static: float, value: float, bound: int, top: float) -> float:
    """Return the evaluation, or what an entry says of it: a value that is exact, or a bound on the other side of it.

    Args:
        static: the evaluation.
        value: the value of the entry.
        bound: what that is; 0: there is no entry.
        top: the largest utility: what is proved is no guess.
    """
    if abs(value) >= top:
        return static
    if bound == EXACT or (bound == LOWER and value > static) or (bound == UPPER and value < static):
        return value
    return static


@helper
def bound_of(best: float, alpha: float, beta: float, top: float) -> int:
    """Return what a search with this window has found of a value: itself, or a bound of it; a certain win is one."""
    if best >= beta and best < top:
        return LOWER
    return UPPER if best <= alpha else EXACT


@helper
def remember(table: Any, key: Any, value: float, static: float, move: int, depth: int, bound: int, status: Any) -> None:
    """Enter what was found of a position, and its evaluation; NaN: it is not known."""
    entry = table[place(table, key, depth, status.age, status.by_depth != 0)]
    entry.key = key
    entry.value = value
    entry.static = static
    entry.action = move
    entry.depth = depth
    entry.bound = bound
    entry.age = status.age


@helper
def place(table: Any, key: Any, depth: int, age: int, by_depth: bool) -> Any:
    """Return the slot for a new entry, after making room in it; ``age`` is the number of the search, modulo 256."""
    slot = _slot_of(table, key)
    if not by_depth:
        return slot
    first = slot & ~_ONE
    second = first | _ONE
    entry = table[first]
    if entry.bound != 0 and entry.key != key:
        if entry.age == age and entry.depth > depth:
            return second
        table[second] = entry
    return first
