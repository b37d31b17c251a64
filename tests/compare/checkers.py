"""Checkers: OpenSpiel's first player is at the bottom, so its board is ours after half a turn.

Its action is the row and column of the piece, the direction, and whether it is a jump, in mixed base. It draws after 40
plies without a jump, even where the last of them leaves the other side without a move.
"""

from __future__ import annotations

from typing import Any

from plyground.envs import Game

from .pair import Pair

__all__ = ["CHECKERS"]

_DIRECTIONS = [(-1, -1), (-1, 1), (1, 1), (1, -1)]  # row and column, in OpenSpiel's order


def _translate(game: Game, state: Any, action: int) -> int:
    assert game.board is not None
    (row, column), (to_row, to_column) = (divmod(63 - cell, 8) for cell in game.board.cells(state, action))
    length = abs(to_row - row)
    direction = _DIRECTIONS.index(((to_row - row) // length, (to_column - column) // length))
    return ((row * 8 + column) * 4 + direction) * 2 + length - 1


def _outcome(game: Game, state: Any) -> float:
    return 0.0 if state.quiet == game.parameters["max_quiet_plies"] else float(game.utility(state, 0))


CHECKERS = Pair(
    "checkers",
    "checkers(max_quiet_plies=40, men_reset=False, repetition=0)",
    "checkers",
    _translate,
    outcome=_outcome,
)
