"""Runs of bits on bitboards, followed from all cells at once.

The number of operations is the logarithm of a run's length (the parallel prefix of P. M. Kogge and H. S. Stone, IEEE
Transactions on Computers 22, 1973, on bitboards).
"""

from __future__ import annotations

from typing import Any

from .linked import helper

__all__ = ["run_down", "run_up"]


@helper
def run_up(start: Any, over: Any, step: Any) -> Any:
    """Return the bits of ``over`` in an unbroken run from a bit of ``start``, up to 6 long, towards higher bits."""
    run = over & (start << step)
    run |= over & (run << step)
    pairs, two = over & (over << step), step + step
    run |= pairs & (run << two)
    return run | (pairs & (run << two))


@helper
def run_down(start: Any, over: Any, step: Any) -> Any:
    """Return the bits of ``over`` in an unbroken run from a bit of ``start``, up to 6 long, towards lower bits."""
    run = over & (start >> step)
    run |= over & (run >> step)
    pairs, two = over & (over >> step), step + step
    run |= pairs & (run >> two)
    return run | (pairs & (run >> two))
