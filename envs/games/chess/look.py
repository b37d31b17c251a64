"""How a board of chess looks: white at the bottom, cells row by row from a8."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..chessmen import MARKS, board_of_chessmen
from .fen import letter_at
from .legal import is_check
from .moves import CASTLING, PLANES, STEPS

__all__ = ["chess_board"]


def _cell(square: int, turn: int) -> int:
    file, rank = divmod(square ^ 7 * turn, 8)
    return 8 * (7 - rank) + file


def _pieces(state: Any) -> NDArray[np.int8]:
    grid = np.zeros(64, np.int8)
    for square in range(64):
        grid[_cell(square, int(state.turn))] = MARKS.index(letter_at(state, square) or ".")
    return grid.reshape(8, 8)


def _cells(state: Any, action: int) -> tuple[int, int]:
    """Return the cell that a piece leaves, and the one where it lands.

    Of castling those of the king, or of the rook where the king of Chess960 stands on its square already.
    """
    origin, plane = divmod(action, PLANES)
    target, turn = origin + int(STEPS[plane]), int(state.turn)
    if origin == int(state.king) and (int(state.own) >> target & 1 or plane in CASTLING):
        king, rook = (48, 40) if target > origin else (16, 24)
        origin, target = (target, rook) if origin == king else (origin, king)
    return _cell(origin, turn), _cell(target, turn)


def _threatened(state: Any) -> tuple[int, ...]:
    return (_cell(int(state.king), int(state.turn)),) if is_check(state) else ()


chess_board = board_of_chessmen(8, _pieces, _cells, _threatened)
