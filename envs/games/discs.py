"""Discs on a square bitboard that enclose others: where the rules of Othello allow one, and what it turns."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..definition.terms import Rule
from ..jit import helper
from ..jit.runs import run_down, run_up

__all__ = ["Discs", "discs"]

_ZERO = np.uint64(0)


class Discs(NamedTuple):
    """What `discs` makes. Cell ``i``, counted row by row from the top left, is bit ``i``."""

    steps: NDArray[np.uint64]  # [4] from the bit of a cell to those on the right, down left, down, down right
    placements: Rule  # placements(own, other): the cells where ``own`` may place a disc
    turned: Rule  # turned(own, other, disc): the discs of ``other`` between the new ``disc`` and others of ``own``


@cache
def discs(size: int) -> Discs:
    """Return the operations for a board of ``size`` x ``size`` cells, at most 8 x 8."""
    board = np.uint64(2 ** (size * size) - 1)
    grid = np.arange(size * size).reshape(size, size)
    inner = np.uint64(sum(1 << int(cell) for cell in grid[:, 1:-1].flat))  # all columns but the first and the last
    steps = np.array([1, size - 1, size, size + 1], np.uint64)
    between = np.array([inner, inner, board, inner], np.uint64)  # where a run may pass, so that none wraps around

    @helper
    def placements(own: Any, other: Any) -> Any:
        """Return the cells where ``own`` may place a disc."""
        ends = _ZERO
        for i in range(4):
            step, over = steps[i], other & between[i]
            ends |= (run_up(own, over, step) << step) | (run_down(own, over, step) >> step)
        return ends & board & ~(own | other)

    @helper
    def turned(own: Any, other: Any, disc: Any) -> Any:
        """Return the discs of ``other`` between the new disc and others of ``own``."""
        found = _ZERO
        for i in range(4):
            step, over = steps[i], other & between[i]
            up, down = run_up(disc, over, step), run_down(disc, over, step)
            if (up << step) & own != _ZERO:
                found |= up
            if (down >> step) & own != _ZERO:
                found |= down
        return found

    return Discs(steps, placements, turned)
