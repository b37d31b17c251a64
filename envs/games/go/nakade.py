"""Nakade: the vital point of a small space in Go, where a stone keeps the space from becoming two eyes.

Of a space that the opponent surrounds, three points in a row have their middle as the vital point, and so do the shapes
of four to six points with a single best point: the pyramid, the bulky five, the crossed five, the rabbity six. The
vital point is told by the number of its neighbours in the space (as in the tables of life and death, and in M.
Enzenberger et al., "Fuego", IEEE TCIAIG 2 (2010), for three points).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ..points import EMPTY, points
from .liberties import liberties

__all__ = ["nakade"]

_MOST = 6  # points of a space that has a vital point
_OPEN = 5  # where more of the eight points round the move are free, nobody looks for a space
# The shapes by the sum of 16 ** neighbours over their points, and how many neighbours the vital point has.
_VITAL = {
    3: {2 * 16 + 16**2: 2},
    4: {3 * 16 + 16**3: 3},
    5: {16 + 3 * 16**2 + 16**3: 3, 4 * 16 + 16**4: 4},
    6: {2 * 16 + 3 * 16**2 + 16**4: 4},
}
_SUMS = np.array([total for some in _VITAL.values() for total in some], np.int64)
_NEIGHBOURS = np.array([most for some in _VITAL.values() for most in some.values()], np.int64)


@cache
def nakade(board_size: int) -> Rule:
    """Return ``vital_point(state, cell, own, actions)`` for a board of ``board_size`` points a side.

    It looks at the spaces beside ``cell``, unless the board is open there. If ``own``'s opponent surrounds one of them,
    and ``own`` may play on its vital point, it returns that, else 0. ``actions`` is scratch.
    """
    around, diagonals = points(board_size).around, points(board_size).diagonals
    is_legal = liberties(board_size).is_legal

    @helper
    def vital_of(state: Any, start: Any, own: int, space: Any) -> Any:
        """Return the vital point of the space around ``start``; 0 if it has none."""
        space[0] = start
        size, i, wide = 1, 0, 0
        total, most, best = np.int64(0), 0, np.int64(0)
        while i < size:
            here, free = np.int64(space[i]), 0
            for step in around:
                beside = here + step
                stone = state.board[beside]
                if stone == own:
                    return np.int64(0)
                if stone == EMPTY:
                    free += 1
                    is_new = True
                    for j in range(size):
                        if space[j] == beside:
                            is_new = False
                    if is_new:
                        if size == _MOST:
                            return np.int64(0)
                        space[size] = beside
                        size += 1
            # No shape has two points with three neighbours, and an open board has little else: this ends most walks.
            wide += free > 2
            if wide > 1:
                return np.int64(0)
            total += np.int64(1) << 4 * free
            if free > most:
                most, best = free, here
            i += 1
        for i in range(_SUMS.size):
            if total == _SUMS[i] and most == _NEIGHBOURS[i]:
                return best
        return np.int64(0)

    @helper
    def vital_point(state: Any, cell: Any, own: int, actions: Any) -> Any:
        free = 0
        for i in range(4):
            free += state.board[cell + around[i]] == EMPTY
            free += state.board[cell + diagonals[i]] == EMPTY
        if free > _OPEN:
            return np.int64(0)
        for step in around:
            start = cell + step
            if state.board[start] == EMPTY:
                vital = vital_of(state, start, own, actions)
                if vital != 0 and is_legal(state, vital, own):
                    return vital
        return np.int64(0)

    return vital_point
