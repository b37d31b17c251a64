"""The evaluation of minichess.

Three features count what one side has more than the other. They are not tuned:

========  ======================================================================================================
material  the pieces, by 30 pawns: a pawn 1, a knight and a bishop 3, a rook 5, a queen 9 (C. E. Shannon,
          "Programming a computer for playing chess", Philosophical Magazine 41, 1950)
advance   ranks that pawns have come ahead, by 10
centre    knights, bishops and queens on the nine squares in the middle, by 3
========  ======================================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.evaluation import lead

__all__ = ["WEIGHTS", "features"]

WEIGHTS = {"material": 0.9, "advance": 0.05, "centre": 0.02}

_SIZE = 5
_WORTH = np.array([0, 1, 3, 3, 5, 9, 0], np.int64)  # by the number of a piece
_MIDDLE = np.array([1 <= s % _SIZE <= 3 and 1 <= s // _SIZE <= 3 for s in range(_SIZE**2)])


def features(state: Any, player: int) -> tuple[float, ...]:
    material, advance, centre = 0, 0, 0
    for square in range(_SIZE * _SIZE):
        piece = np.int64(state.cells[square])
        if piece == 0:
            continue
        sign, kind = (1, piece) if piece > 0 else (-1, -piece)
        rank = square // _SIZE if piece > 0 else _SIZE - 1 - square // _SIZE
        material += sign * _WORTH[kind]
        if kind == 1:
            advance += sign * (rank - 1)
        elif _MIDDLE[square] and (kind == 2 or kind == 3 or kind == 5):
            centre += sign
    view = 1.0 if player == state.turn else -1.0
    return view * lead(material, 0, 30.0), view * lead(advance, 0, 10.0), view * lead(centre, 0, 3.0)
