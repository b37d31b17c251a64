"""Whose area is whose in Go: counted when a game is over, and guessed by the evaluation before.

The evaluation counts each side's stones, and the empty points that have only its stones beside them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ..points import BLACK, BORDER, EMPTY, WHITE, points

__all__ = ["Area", "area"]


class Area(NamedTuple):
    """The rules that `area` makes."""

    area_balance: Rule  # area_balance(state): BLACK's area minus WHITE's
    owners: Rule  # owners(state): 1, -1 or 0 for each point: BLACK's, WHITE's, nobody's; plain Python
    evaluate: Rule  # evaluate(state, player): the guess, with komi, of what ``player`` will get


class _Stones(NamedTuple):
    """What `mark_reached` reads of a state, which in plain Python is found three times as fast as in a record."""

    board: Any
    empty: Any
    empties: int


@cache
def area(board_size: int) -> Area:
    """Return the rules for a board of ``board_size`` points a side."""
    num_points, cells, cell_of, _, around, _, _ = points(board_size)

    @helper
    def mark_reached(state: Any, reached: Any) -> None:
        """Write who reaches each empty cell [cells]: BLACK, WHITE or both (3)."""
        changed = True
        while changed:
            changed = False
            for i in range(state.empties):
                cell = np.int64(state.empty[i])
                found = reached[cell]
                for step in around:
                    stone = state.board[cell + step]
                    if stone == EMPTY:
                        found |= reached[cell + step]
                    elif stone != BORDER:
                        found |= stone
                if found != reached[cell]:
                    reached[cell] = found
                    changed = True

    @helper
    def area_balance(state: Any) -> int:
        reached = np.zeros(cells, np.uint8)  # the only array allocated, once a game
        mark_reached(state, reached)
        balance = 0
        for i in range(num_points):
            owner = state.board[cell_of[i]] | reached[cell_of[i]]
            balance += np.int64(owner == BLACK) - np.int64(owner == WHITE)
        return balance

    def owners(state: Any) -> Any:
        reached = np.zeros(cells, np.uint8)
        mark_reached(_Stones(np.asarray(state.board), np.asarray(state.empty), int(state.empties)), reached)
        owner = (np.asarray(state.board) | reached)[cell_of]
        return (owner == BLACK).astype(np.int8) - (owner == WHITE)

    def evaluate(state: Any, player: int) -> float:
        balance = 0
        for i in range(num_points):
            cell = np.int64(cell_of[i])
            owner = state.board[cell]
            if owner == EMPTY:
                for step in around:
                    if state.board[cell + step] != BORDER:
                        owner |= state.board[cell + step]
            balance += np.int64(owner == BLACK) - np.int64(owner == WHITE)
        value = (balance - state.komi) / (num_points + abs(state.komi) + 1.0)
        return value if player == 0 else -value

    return Area(area_balance, owners, evaluate)
