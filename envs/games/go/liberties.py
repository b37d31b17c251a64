"""What may be asked of a point in Go before a stone is put there: is it legal, is it an eye, which position follows?

Each stone of a chain counts each empty point beside it, so that a point may count more than once, and a chain is
captured when this count of pseudo-liberties is zero (Ł. Lew's libEGO, 2008). Beside the count, a chain has the sums of
its pseudo-liberties' cells and of the squares of these. All of them are one and the same cell c if, and only if, the
sums are count * c and count * c * c: so one comparison tells whether a move on c takes the chain. The three numbers are
packed into one, `liberty` being what a single cell adds.

A single-point eye is an empty point with own stones on all sides, and with the opponent on one of the diagonals at
most, at the edge on none (B. Bouzy and B. Helmstetter, "Monte-Carlo Go developments", 2003).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...definition.terms import Rule
from ...jit import helper
from ..points import BORDER, EMPTY, points

__all__ = ["CELLS", "CELL_SUMS", "COUNT", "Liberties", "liberties"]

# Where the sums stand, above the count. On 19x19 there are less than 4 * 361 pseudo-liberties, on cells below 421.
COUNT = (1 << 11) - 1
CELL_SUMS = (1 << 20) - 1
CELLS, _SQUARES = 11, 31


class Liberties(NamedTuple):
    """What `liberties` makes. ``own`` is a colour, BLACK or WHITE; cells must be empty points, but for `is_lone`."""

    liberty: NDArray[np.int64]  # [cells] what a cell adds to the liberties of a chain
    is_lone: Rule  # is_lone(state, cell): whether the stone there is a chain with a single pseudo-liberty
    is_legal: Rule  # is_legal(state, cell, own): whether a stone may be put there: no suicide, not on `ko`
    is_eye: Rule  # is_eye(state, cell, own): whether it is a single-point eye
    after: Rule  # after(state, cell, own): whether that is legal, and what `hash` would be then
    list_empty: Rule  # list_empty(state, actions): write the empty points, ascending, and return how many there are
    is_last: Rule  # is_last(state, cell, beside): whether all liberties of the stone ``beside`` are on that cell


@cache
def liberties(board_size: int) -> Liberties:
    """Return the questions for a board of ``board_size`` points a side, whose state has the fields of `chains`."""
    num_points, cells, cell_of, _, around, diagonals, zobrist = points(board_size)
    liberty = np.array([1 | cell << CELLS | cell * cell << _SQUARES for cell in range(cells)], np.int64)

    @helper(forceinline=True)
    def is_last(state: Any, cell: int, beside: Any) -> bool:
        """Return whether ``cell`` is the last liberty of the stone ``beside``; anything if there is none."""
        total = state.liberties[state.head[beside]]
        return total == (total & COUNT) * liberty[cell]

    @helper(forceinline=True)
    def is_legal(state: Any, cell: int, own: int) -> bool:
        # Looks at all four sides without a jump: the processor could hardly foresee which of them decides.
        legal = 0
        for i in range(4):
            beside = np.uint64(cell + around[i])  # unsigned: then no code asks whether it counts from the end
            stone = state.board[beside]
            taken = is_last(state, cell, beside)
            # A free point, a chain of one's own that lives on, or one of the opponent's that does not.
            legal |= (stone == EMPTY) | ((stone == own) & (not taken)) | ((stone == 3 - own) & taken)
        return (legal != 0) & (cell != state.ko)

    @helper
    def is_lone(state: Any, cell: int) -> bool:
        head = state.head[cell]
        return state.length[head] == 1 and state.liberties[head] & COUNT == 1

    @helper
    def is_eye(state: Any, cell: int, own: int) -> bool:
        for step in around:
            stone = state.board[cell + step]
            if stone != own and stone != BORDER:
                return False
        theirs, edge = 0, 0
        for step in diagonals:
            stone = state.board[cell + step]
            if stone == BORDER:
                edge = 1
            elif stone == 3 - own:
                theirs += 1
        return theirs + edge < 2

    @helper
    def hash_of_taken(state: Any, cell: int, sides: int) -> Any:
        """Return Zobrist's hash of the chains on these sides of ``cell``, given as bits."""
        found = np.uint64(0)
        for i in range(4):
            if sides >> i & 1 == 0:
                continue
            head = np.int64(state.head[cell + around[i]])
            colour, stone = state.board[head], head
            while True:
                found ^= zobrist[colour, stone]
                stone = np.int64(state.next[stone])
                if stone == head:
                    break
            for j in range(i + 1, 4):  # the same chain, met again
                beside = cell + around[j]
                if state.board[beside] == colour and state.head[beside] == head:
                    sides &= ~(1 << j)
        return found

    @helper(forceinline=True)
    def after(state: Any, cell: int, own: int) -> tuple[bool, Any]:
        found = state.hash ^ zobrist[own, cell]
        # As in `is_legal`. Most moves take nothing, which is cheap to see this way.
        lives, sides = 0, 0
        for i in range(4):
            beside = np.uint64(cell + around[i])
            stone = state.board[beside]
            taken = is_last(state, cell, beside)
            lives |= (stone == EMPTY) | ((stone == own) & (not taken))
            sides |= ((stone == 3 - own) & taken) << i
        if sides != 0:
            found ^= hash_of_taken(state, cell, sides)
        return ((lives | sides) != 0) & (cell != state.ko), found

    # Listed without jumps, of which the processor could foresee none: all points are written, and those that are not to
    # stay are written over by the next.
    @helper(forceinline=True)
    def list_empty(state: Any, actions: Any) -> int:
        empties = 0
        for action in range(num_points):
            actions[empties] = action
            empties += state.board[cell_of[action]] == EMPTY
        return empties

    return Liberties(liberty, is_lone, is_legal, is_eye, after, list_empty, is_last)
