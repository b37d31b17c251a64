"""Small operations on bitboards, for rules: they compile into kernels and run as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from .linked import helper

__all__ = ["highest", "lowest", "popcount", "scattered"]

_ZERO, _ONE, _U32 = np.uint64(0), np.uint64(1), np.uint64(32)
_LOW = np.uint64(2**32 - 1)
_PRIME_1, _PRIME_2 = np.uint64(0x9E3779B1), np.uint64(0x85EBCA77)  # of xxHash (Y. Collet, public specification)


@helper
def popcount(bits: Any) -> int:
    """Return the number of ones in a ``uint64``. LLVM turns the loop into one instruction where the CPU has it."""
    count = 0
    while bits != _ZERO:
        bits &= bits - _ONE
        count += 1
    return count


@helper
def lowest(bits: Any) -> int:
    """Return the number of the lowest one in a ``uint64``. There must be one."""
    return popcount(~bits & (bits - _ONE))


@helper
def highest(bits: Any) -> int:
    """Return the number of the highest one in a ``uint64``, 0 if there is none. LLVM knows this loop too."""
    number = 0
    bits >>= _ONE
    while bits != _ZERO:
        bits >>= _ONE
        number += 1
    return number


@helper
def scattered(bits: Any) -> Any:
    """Return 64 bits each of which depends on all of ``bits``, for hashing.

    It multiplies by halves, so that no product overflows, of which NumPy would warn. One round is not enough: a change
    of the highest bit would be a change of few, which what is hashed next could undo.
    """
    for _ in range(2):
        low, high = (bits & _LOW) * _PRIME_1, (bits >> _U32) * _PRIME_2
        bits = low ^ (high << _U32) ^ (high >> _U32)
    return bits
