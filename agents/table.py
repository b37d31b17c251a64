"""The transposition table: what the search knows of positions it has seen, in fixed memory.

One entry for each slot, chosen by the low bits of a scrambled key; a newer entry replaces an older one. The whole
64-bit key is stored and compared.

An entry is a value, searched to ``depth`` plies, that is exact or a bound. It serves another search of the same depth.
Where no line of that search was cut off by the depth limit, the entry is ``SOLVED``, and serves every deeper search
too. So a search with a table returns the same values as one without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

__all__ = ["EXACT", "LOWER", "SOLVED", "UPPER", "new_table", "slot_of"]

EXACT, LOWER, UPPER = 1, 2, 3  # the value is the state's; at most the state's; at least the state's
SOLVED = 4  # added to one of these

_ENTRY = np.dtype(
    (
        np.record,
        np.dtype([("key", "u8"), ("value", "f8"), ("action", "i4"), ("depth", "i2"), ("bound", "u1")], align=True),
    )
)
_SCRAMBLE, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


def new_table(megabytes: float, most_positions: float = float("inf")) -> NDArray[Any]:
    """Return an empty table [slots], the largest power of two that fits; of no slots for 0 MB.

    A search that cannot see more than ``most_positions`` gets no larger table than it can fill: emptying it takes time.
    """
    if megabytes == 0:
        return np.zeros(0, _ENTRY)
    slots = max(2, int(min(megabytes * 2**20 / _ENTRY.itemsize, 2 * most_positions)))
    return np.zeros(1 << (slots.bit_length() - 1), _ENTRY)  # bound 0: a free slot


@register_jitable
def slot_of(table: Any, key: Any) -> Any:
    """Return the index of the one entry that may hold ``key``."""
    return ((key * _SCRAMBLE) >> _SHIFT) & np.uint64(table.size - 1)
