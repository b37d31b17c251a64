"""The points of a Go board: their numbers, their cells and their names.

Points have numbers, row by row from the top left, and *cells* of a board with a border that neighbours on both sides
share, so that no walk needs to look where the board ends. The cells of a 3x3 board (``#`` is border)::

     #  #  #  #
     #  5  6  7
     #  9 10 11
     # 13 14 15
     #  #  #  #  #
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..definition.board import BLACK_FIRST, Board, letters, numbers_up

__all__ = ["BLACK", "BORDER", "EMPTY", "WHITE", "Points", "point_board", "point_names", "points"]

EMPTY, BLACK, WHITE, BORDER = range(4)  # what is on a cell


class Points(NamedTuple):
    """The geometry that `points` makes."""

    num_points: int  # points on the board
    cells: int  # cells, the border's included
    cell_of: NDArray[np.uint16]  # [points]
    point_of: NDArray[np.uint16]  # [cells]
    around: NDArray[np.int64]  # [4] steps from a cell to those beside it
    diagonals: NDArray[np.int64]  # [4] steps from a cell to those diagonally next to it
    zobrist: NDArray[np.uint64]  # [3, cells] random numbers for stones, by colour; the row EMPTY is free for other uses


@cache
def points(board_size: int) -> Points:
    """Return the geometry of a board of ``board_size`` points a side."""
    num_points, width = board_size * board_size, board_size + 1
    cells = (board_size + 2) * width + 1
    cell_of = np.array([(i // board_size + 1) * width + i % board_size + 1 for i in range(num_points)], np.uint16)
    point_of = np.zeros(cells, np.uint16)
    point_of[cell_of] = np.arange(num_points)
    around = np.array([-width, -1, 1, width], np.int64)
    diagonals = np.array([-width - 1, -width + 1, width - 1, width + 1], np.int64)
    zobrist: Any = np.random.SeedSequence(19).generate_state(3 * cells, np.uint64).reshape(3, cells)
    return Points(num_points, cells, cell_of, point_of, around, diagonals, zobrist)


def point_names(board_size: int) -> tuple[list[str], Callable[[str], int]]:
    """Return the names of all actions, as people write them (``D4``, ``pass``), and the inverse, in any case.

    The inverse raises `ValueError` where no action has the name.
    """
    columns = _columns(board_size)
    names = [f"{column}{row}" for row in range(board_size, 0, -1) for column in columns] + ["pass"]
    number_of = {name.upper(): action for action, name in enumerate(names)}

    def str_to_action(text: str) -> int:
        if (action := number_of.get(text.strip().upper())) is None:
            raise ValueError(
                f"go has no action {text!r}: expected a point from {names[-1 - board_size]} to "
                f"{names[board_size - 1]}, without the letter I, or pass"
            )
        return action

    return names, str_to_action


def point_board(board_size: int) -> Board:
    """Return what people see of the board."""
    cell_of = points(board_size).cell_of
    return Board(
        board_size,
        board_size,
        lambda state: state.board[cell_of].reshape(board_size, board_size).astype(np.int8),
        lambda state, action: () if action == cell_of.size else (action,),
        "lines",
        row_labels=numbers_up(board_size),
        column_labels=_columns(board_size),
        sides=BLACK_FIRST,
    )


def _columns(board_size: int) -> tuple[str, ...]:
    return tuple(letter.upper() for letter in letters(board_size, skip="i"))
