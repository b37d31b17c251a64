"""3x3 patterns of Go: which empty points have a shape around them that is worth a move next to the last one.

The shapes are the hane, the cuts and the moves at the edge of S. Gelly, Y. Wang, R. Munos, O. Teytaud, "Modification of
UCT with patterns in Monte-Carlo Go", INRIA RR-6062 (2006), figures 3 to 5, in words of our own: each is tried in all
its eight images and for both colours.

The *surroundings* of a point are one number: what is on each of the eight cells around it, two bits each, those beside
it first.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...definition.terms import Rule
from ...jit import helper
from ..points import BLACK, BORDER, EMPTY, WHITE, points

__all__ = ["SURROUNDINGS", "shape_test", "shapes", "surroundings"]

SURROUNDINGS = 1 << 16  # numbers that surroundings may have

# X and O are the two colours, x is no X and o no O, and + is an empty point or a stone.
_SHAPES = (
    # hane
    ("XOX", ".*.", "+++"),
    ("XO.", ".*.", "+.+"),
    ("XO+", "X*.", "+.+"),
    (".O.", "X*.", "..."),
    ("XOO", ".*.", "+.+"),
    # cuts: of two chains that nothing connects, and by going between two stones
    ("XO+", "O*o", "+o+"),
    ("XO+", "O*X", "+++"),
    ("+X+", "O*O", "xxx"),
    # at the edge
    ("X.+", "O*+", "###"),
    ("+XO", "+*+", "###"),
    ("+X+", "O*+", "###"),
    ("OX+", "X*O", "###"),
)
_MEANING = {
    "X": (BLACK,),
    "O": (WHITE,),
    "x": (EMPTY, WHITE),
    "o": (EMPTY, BLACK),
    ".": (EMPTY,),
    "+": (EMPTY, BLACK, WHITE),
    "#": (BORDER,),
}
_PLACES = ((0, 1), (1, 0), (1, 2), (2, 1), (0, 0), (0, 2), (2, 0), (2, 2))  # as in `Points`: around, then diagonals


@cache
def shapes() -> NDArray[np.bool_]:
    """Return [SURROUNDINGS] whether the number is that of a shape."""
    found = np.zeros(SURROUNDINGS, np.bool_)
    for rows in _SHAPES:
        square = np.array([list(row) for row in rows])
        for image in (square, square.T):
            for turns in range(4):
                turned = np.rot90(image, turns)
                for swapped in (False, True):
                    codes = np.zeros(1, np.int64)
                    for i, place in enumerate(_PLACES):
                        kinds = np.array([_other(k) if swapped else k for k in _MEANING[turned[place]]])
                        codes = (codes[:, None] | kinds << 2 * i).ravel()
                    found[codes] = True
    return found


def _other(kind: int) -> int:
    """Return the same with the colours swapped."""
    return {BLACK: WHITE, WHITE: BLACK}.get(kind, kind)


@cache
def shape_test() -> Rule:
    """Return the rule ``is_shape(number)``: whether surroundings are those of a shape."""
    # A bit for each number: 8 kB, which stay in the processor's first cache.
    packed = np.packbits(shapes(), bitorder="little").view(np.uint64).copy()

    @helper(forceinline=True)
    def is_shape(number: Any) -> Any:
        return (packed[number >> 6] >> np.uint64(number & 63)) & np.uint64(1) != np.uint64(0)

    return is_shape


@cache
def surroundings(board_size: int) -> Rule:
    """Return the rule ``surroundings(state, cell)``, the number of what is around a point."""
    around, diagonals = points(board_size).around, points(board_size).diagonals

    @helper
    def surroundings_of(state: Any, cell: Any) -> Any:
        number = np.int64(0)
        for i in range(4):
            number |= np.int64(state.board[cell + around[i]]) << 2 * i
            number |= np.int64(state.board[cell + diagonals[i]]) << 2 * i + 8
        return number

    return surroundings_of
