"""The squares of a chessboard as bits, and what knights, kings and rays reach from each.

A state shows the board as the player to move sees it: their own first rank is rank 0, and pawns to move go up. A square
is ``8 * file + rank``, and its bit in a bitboard has that number. Files come first because actions do, so that the
lowest bits are the first actions::

    rank 7    7  15  23  31  39  47  55  63
    rank 6    6  14  22  30  38  46  54  62
    ...
    rank 1    1   9  17  25  33  41  49  57
    rank 0    0   8  16  24  32  40  48  56
           file 0                   file 7

A step up the board is a shift by 1, a step to the right is one by 8. The other side's square ``s`` is ``s ^ 7``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...jit import helper

__all__ = [
    "DIRECTION",
    "DIRECTIONS",
    "KING_STEPS",
    "KNIGHT_STEPS",
    "NOWHERE",
    "RANKS",
    "RAYS",
    "bit_of",
    "flipped",
    "square_name",
    "square_number",
]

# File and rank of a step, in the order in which actions number the directions.
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
NOWHERE = len(DIRECTIONS)  # the direction between two squares that share no line
_LEAPS = tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))


def _reached(square: int, step: tuple[int, int], most: int = 1) -> list[int]:
    """Return the squares on the board that up to ``most`` equal steps reach."""
    file, rank = divmod(square, 8)
    ends = [(file + n * step[0], rank + n * step[1]) for n in range(1, most + 1)]
    return [8 * x + y for x, y in ends if 0 <= x < 8 and 0 <= y < 8]


def _board(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _stepped(steps: tuple[tuple[int, int], ...]) -> NDArray[np.uint64]:
    return np.array([sum(_board(_reached(square, step)) for step in steps) for square in range(64)], np.uint64)


KNIGHT_STEPS = _stepped(_LEAPS)  # [squares]
KING_STEPS = _stepped(DIRECTIONS)  # [squares]
RAYS = np.array(  # [squares, directions] all squares in a direction; none in the last one, NOWHERE
    [[*(_board(_reached(square, step, 7)) for step in DIRECTIONS), 0] for square in range(64)], np.uint64
)
DIRECTION = np.full((64, 64), NOWHERE, np.uint8)  # [from, to]
for _square in range(64):
    for _number, _step in enumerate(DIRECTIONS):
        DIRECTION[_square, _reached(_square, _step, 7)] = _number
RANKS = np.array([_board([8 * file + rank for file in range(8)]) for rank in range(8)], np.uint64)

_ONE, _2, _4 = np.uint64(1), np.uint64(2), np.uint64(4)
_ODD, _PAIRS, _NIBBLES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)


@helper
def bit_of(square: int) -> Any:
    """Return the bitboard of one square."""
    return _ONE << np.uint64(square)


@helper
def flipped(bits: Any) -> Any:
    """Return a bitboard as the other side sees it: the bits of each byte in reverse order."""
    bits = ((bits >> _ONE) & _ODD) | ((bits & _ODD) << _ONE)
    bits = ((bits >> _2) & _PAIRS) | ((bits & _PAIRS) << _2)
    return ((bits >> _4) & _NIBBLES) | ((bits & _NIBBLES) << _4)


def square_name(square: int, turn: int = 0) -> str:
    """Return the name of a square, such as ``"e4"``, of a board that white (0) or black (1) sees."""
    file, rank = divmod(square ^ 7 * turn, 8)
    return "abcdefgh"[file] + str(rank + 1)


def square_number(name: str, turn: int = 0) -> int:
    """Return the number of the square that has this name, or -1 if none has."""
    if len(name) != 2 or name[0] not in "abcdefgh" or name[1] not in "12345678":
        return -1
    return (8 * "abcdefgh".index(name[0]) + int(name[1]) - 1) ^ 7 * turn
