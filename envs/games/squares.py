"""The dark squares of 8x8 as bits, and the moves between them: the board of checkers.

A bitboard takes 35 bits, with one that stays empty after every eight squares, so that each direction is one shift for
the whole board (A. L. Samuel, "Some studies in machine learning using the game of checkers", IBM Journal 3, 1959). The
squares with their numbers in game records (PDN), and their bits::

    .  1  .  2  .  3  .  4        .  0  .  1  .  2  .  3
    5  .  6  .  7  .  8  .        4  .  5  .  6  .  7  .      8: always empty
    .  9  . 10  . 11  . 12        .  9  . 10  . 11  . 12
   13  . 14  . 15  . 16  .       13  . 14  . 15  . 16  .     17: always empty
    . 17  . 18  . 19  . 20        . 18  . 19  . 20  . 21
   21  . 22  . 23  . 24  .       22  . 23  . 24  . 25  .     26: always empty
    . 25  . 26  . 27  . 28        . 27  . 28  . 29  . 30
   29  . 30  . 31  . 32  .       31  . 32  . 33  . 34  .
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "ACTION",
    "BITS",
    "BOARD",
    "CELLS",
    "FIRST_ROW",
    "JUMPED",
    "MOVES",
    "ORIGIN",
    "TARGET",
    "action_to_str",
    "cells",
    "pieces",
]

BITS = [square + square // 8 for square in range(32)]
CELLS = [2 * square + (square // 4 + 1) % 2 for square in range(32)]  # on the 8x8 grid, row by row
BOARD = np.uint64(sum(1 << bit for bit in BITS))
FIRST_ROW = np.array([0xF, 0xF << 31], np.uint64)  # black's, white's
_STEPS = (4, 5, -5, -4)
MOVES = [  # for each action: 0 for a step or 1 for a jump, the direction, and the bit of the origin
    (kind, direction, bit)
    for kind in (0, 1)
    for direction, step in enumerate(_STEPS)
    for bit in BITS
    if {bit + step, bit + step * (kind + 1)} <= set(BITS)
]
_ENDS = [(bit, bit + _STEPS[direction] * (kind + 1)) for kind, direction, bit in MOVES]
ORIGIN, TARGET = (np.array([1 << bit for bit in bits], np.uint64) for bits in zip(*_ENDS, strict=True))
JUMPED = np.array([kind << (bit + _STEPS[direction]) for kind, direction, bit in MOVES], np.uint64)
ACTION = np.full((2, 4, 35), -1, np.int16)  # the inverse of MOVES
ACTION[tuple(np.transpose(MOVES))] = np.arange(len(MOVES))


def action_to_str(action: int) -> str:
    origin, target = (BITS.index(bit) + 1 for bit in _ENDS[action])
    return f"{origin}{'-x'[MOVES[action][0]]}{target}"


def pieces(state: Any) -> Any:
    grid = np.zeros(64, np.int8)
    for bit, cell in zip(BITS, CELLS, strict=True):
        black, white, king = (int(board) >> bit & 1 for board in (*state.sides, state.kings))
        grid[cell] = black + 2 * white + 2 * king
    return grid.reshape(8, 8)


def cells(state: Any, action: int) -> tuple[int, ...]:
    return tuple(CELLS[BITS.index(bit)] for bit in _ENDS[action])
