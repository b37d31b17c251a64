"""The squares and the actions of minichess as tables: where each plane leads, and which pieces move by it.

Squares and actions are numbered as `plyground.envs.games.minichess` says.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "BECOMES",
    "BISHOP",
    "IS_DIAGONAL",
    "KING",
    "KNIGHT",
    "KNIGHT_TARGETS",
    "LEAP",
    "LETTERS",
    "PAWN",
    "PLANES",
    "PROMOTED",
    "QUEEN",
    "RAYS",
    "ROOK",
    "SIZE",
    "SQUARES",
    "TARGETS",
    "UNDERPROMOTION",
    "USES",
]

SIZE, SQUARES, PLANES = 5, 25, 49
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
LETTERS = ".PNBRQK"
PROMOTED = "nbr"
LEAP, UNDERPROMOTION = 32, 40  # the first planes of a knight, and of a pawn that becomes no queen

_DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # file and rank
_LEAPS = tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))
_UP = (2, 4, 7)  # directions of pawns: to the left, straight on, to the right
_STEPS = (
    [(n * x, n * y) for n in range(1, SIZE) for x, y in _DIRECTIONS]
    + list(_LEAPS)
    + [(side, 1) for side in (-1, 0, 1) for _ in PROMOTED]
)


def _square(square: int, step: tuple[int, int]) -> int:
    """Return the square that a step leads to, or -1."""
    file, rank = square % SIZE + step[0], square // SIZE + step[1]
    return SIZE * rank + file if 0 <= file < SIZE and 0 <= rank < SIZE else -1


TARGETS = np.array([[_square(square, step) for step in _STEPS] for square in range(SQUARES)], np.int64)
TARGETS[[square for square in range(SQUARES) if square // SIZE != 3], UNDERPROMOTION:] = -1
RAYS = np.array(  # [squares, directions, distances] -1: beyond the board
    [[[_square(s, (n * x, n * y)) for n in range(1, SIZE)] for x, y in _DIRECTIONS] for s in range(SQUARES)], np.int64
)
KNIGHT_TARGETS = TARGETS[:, LEAP:UNDERPROMOTION].copy()  # [squares, leaps]
IS_DIAGONAL = np.array([x * y != 0 for x, y in _DIRECTIONS])


def _uses(kind: int, plane: int) -> bool:
    """Return whether a kind of piece moves by a plane."""
    if kind == PAWN:
        return plane in _UP or plane >= UNDERPROMOTION
    if kind == KNIGHT:
        return LEAP <= plane < UNDERPROMOTION
    if plane >= LEAP or (kind == KING and plane >= 8):
        return False
    return kind in (QUEEN, KING) or (kind == BISHOP) == IS_DIAGONAL[plane % 8]


USES = np.array([[kind > 0 and _uses(kind, plane) for plane in range(PLANES)] for kind in range(7)])
BECOMES = np.array([QUEEN] * UNDERPROMOTION + [KNIGHT, BISHOP, ROOK] * 3, np.int64)  # [planes] of a pawn
