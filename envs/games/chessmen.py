"""What boards of chess and minichess show people: chessmen, white at the bottom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..definition.board import Board, letters, numbers_up

__all__ = ["MARKS", "board_of_chessmen"]

MARKS = ".PpNnBbRrQqKk"  # by the number of a piece on a `Board`
_SYMBOLS = "·♙♟♘♞♗♝♖♜♕♛♔♚"


def board_of_chessmen(
    size: int,
    pieces: Callable[[Any], NDArray[np.int8]],
    cells: Callable[[Any, int], tuple[int, ...]],
    threatened: Callable[[Any], tuple[int, ...]],
) -> Board:
    """Return a board of ``size`` files and as many ranks, for the arguments of `Board`."""
    return Board(
        size,
        size,
        pieces,
        cells,
        "chess",
        row_labels=numbers_up(size),
        column_labels=letters(size),
        marks=MARKS,
        symbols=_SYMBOLS,
        threatened=threatened,
        sides=("White", "Black"),
    )
