"""Small operations on bitboards, for rules: they compile into kernels and run as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

__all__ = ["popcount"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@register_jitable
def popcount(bits: Any) -> int:
    """Return the number of ones in a ``uint64``. LLVM turns the loop into one instruction where the CPU has it."""
    count = 0
    while bits != _ZERO:
        bits &= bits - _ONE
        count += 1
    return count
