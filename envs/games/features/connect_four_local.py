"""What is seen near a move of Connect Four, for linear policies of rollouts: a few numbers for each column.

======  ====================================================================  =====================
slot    what it says of the stone that falls                                  numbers
======  ====================================================================  =====================
0       the cell where it lands; mirror images are the same                   rows x half of columns
1       whether it makes four                                                 2
2       whether the opponent would make four there                            2
3       whether the opponent makes four on the cell above it                  2
4       whether its own side would make four on the cell above it             2
5       where it lands beside the last stone: in its column, next to it, off  4; 0: no last stone
======  ====================================================================  =====================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...jit import helper
from ...knowledge import Knowledge

__all__ = ["make_knowledge"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SLOTS = 6


def make_knowledge(rows: int, columns: int, steps: NDArray[np.uint64]) -> Knowledge:
    """Return what Connect Four of this size knows of good moves.

    Args:
        rows: rows of the board.
        columns: columns of the board.
        steps: [4] how far apart, in bits, the cells of a line are in each direction.
    """
    height = np.uint64(rows + 1)
    half = (columns + 1) // 2
    column_mask = np.uint64(2**rows - 1)
    cells = rows * half

    @helper
    def has_four(stones: Any) -> bool:
        for step in steps:
            pairs = stones & (stones >> step)
            if pairs & (pairs >> (step + step)) != _ZERO:
                return True
        return False

    def local_features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
        taken = state.mine | state.theirs
        count = 0
        for column in range(columns):
            shift = np.uint64(column) * height
            stones = (taken >> shift) & column_mask
            if stones == column_mask:
                continue
            row = 0
            while (stones >> np.uint64(row)) & _ONE != _ZERO:
                row += 1
            stone = _ONE << (shift + np.uint64(row))
            above = stone << _ONE if row + 1 < rows else _ZERO
            actions[count] = column
            features[count, 0] = row * half + min(column, columns - 1 - column)
            features[count, 1] = cells + int(has_four(state.mine | stone))
            features[count, 2] = cells + 2 + int(has_four(state.theirs | stone))
            features[count, 3] = cells + 4 + int(has_four(state.theirs | above))
            features[count, 4] = cells + 6 + int(has_four(state.mine | above))
            distance = abs(column - last)
            features[count, 5] = cells + 8 + (0 if last < 0 else 1 if distance == 0 else 2 if distance == 1 else 3)
            count += 1
        return count

    return Knowledge(local_features=local_features, slots=_SLOTS, num_weights=cells + 12)
