"""Squares and bitboards that the evaluation of chess looks up, by square: ``8 * file + rank``, own first rank 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CORNER",
    "DISTANCE",
    "EDGE",
    "FILE",
    "HALF",
    "LIGHT",
    "OUTPOST",
    "SHIELD",
    "STORM",
    "WING",
    "ZONE",
]

_Relation = Callable[[int, int, int, int], bool]


def _boards(holds: _Relation) -> NDArray[np.uint64]:
    """Return for each square (file, rank) the board of the squares (x, y) for which ``holds(file, rank, x, y)``."""
    squares = [divmod(square, 8) for square in range(64)]
    return np.array(
        [sum(1 << 8 * x + y for x, y in squares if holds(file, rank, x, y)) for file, rank in squares], np.uint64
    )


def _by_pair(measure: Callable[[int, int, int, int], int]) -> NDArray[np.int64]:
    squares = [divmod(square, 8) for square in range(64)]
    return np.array([[measure(*one, *other) for other in squares] for one in squares], np.int64)


def _is_near(file: int, x: int) -> bool:
    """Return whether ``x`` is a file of the king's wing: his own and those beside, three at the edge too."""
    return abs(min(max(file, 1), 6) - x) <= 1


FILE = _boards(lambda file, rank, x, y: x == file)
WING = _boards(lambda file, rank, x, y: _is_near(file, x))
SHIELD = np.array(  # [2, squares] one rank ahead, and two
    [_boards(lambda file, rank, x, y, n=n: _is_near(file, x) and y == rank + n) for n in (1, 2)]
)
STORM = np.array(  # [3, squares] one rank ahead, two, and three
    [_boards(lambda file, rank, x, y, n=n: _is_near(file, x) and y == rank + n) for n in (1, 2, 3)]
)
# About the other side's king: the squares beside him, and the rank that the own side comes from.
ZONE = _boards(lambda file, rank, x, y: abs(x - file) <= 1 and rank - 2 <= y <= rank + 1)
HALF = np.array([4 * (square % 8) + min(square // 8, 7 - square // 8) for square in range(64)], np.int64)
DISTANCE = _by_pair(lambda file, rank, x, y: max(abs(file - x), abs(rank - y)))  # [squares, squares] moves of a king
_LIGHT_SQUARES = [square for square in range(64) if (square // 8 + square % 8) % 2]
LIGHT = np.uint64(sum(1 << square for square in _LIGHT_SQUARES))
OUTPOST = np.uint64(sum(1 << square for square in range(64) if 3 <= square % 8 <= 5))  # the fourth rank to the sixth
_STEPS = _by_pair(lambda file, rank, x, y: abs(file - x) + abs(rank - y))
EDGE = np.array([min(square // 8, 7 - square // 8, square % 8, 7 - square % 8) for square in range(64)], np.int64)
CORNER = np.stack(  # [2, squares] steps of a rook to the nearest corner that is dark (0), or light (1)
    [_STEPS[:, [0, 63]].min(axis=1), _STEPS[:, [7, 56]].min(axis=1)]
)
