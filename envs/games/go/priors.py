"""What Go guesses of the moves at a new node of a search tree, as simulations that were never run.

Each thing that is seen of a move adds some simulations with a mean of its own, and all that is seen of it adds up. The
signs are those of the heavy rollouts, the distance to the last move, and the lines of an empty part of the board, as M.
Enzenberger et al., "Fuego", IEEE TCIAIG 2 (2010), section IV, and S. Gelly and D. Silver, "Combining online and offline
knowledge in UCT", ICML 2007, describe; the numbers are ours.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ..points import EMPTY, points
from .liberties import liberties
from .patterns import shape_test, surroundings
from .tactics import tactics

__all__ = ["go_priors"]

# How many simulations a sign is worth, and their mean utility.
_ANY = 4.0, 0.0
_PASS = 12.0, -0.7
_EYE = 30.0, -0.9  # fills an own eye
_SELF_ATARI = 16.0, -0.8
_TAKES = 16.0, 0.7
_SAVES = 16.0, 0.7
_ATARI = 6.0, 0.4  # leaves a chain of the opponent one liberty
_SHAPE = 10.0, 0.5  # one of the 3x3 shapes, next to the last move
_NEAR = ((10.0, 0.4), (6.0, 0.25), (3.0, 0.1))  # one, two, three steps from the last move, diagonal ones counted
_LONELY = ((12.0, -0.7), (5.0, -0.3), (5.0, 0.2))  # no stone within two steps: on the first, second, third line


@cache
def go_priors(board_size: int) -> Rule:
    """Return the rule ``priors`` of `Knowledge` for boards of ``board_size`` points a side."""
    num_points, _, cell_of, _, _, _, _ = points(board_size)
    _, gives_atari, is_capture, is_saving, is_self_atari = tactics(board_size)
    is_eye = liberties(board_size).is_eye
    surroundings_of, is_shape = surroundings(board_size), shape_test()
    weights = np.array([_ANY, _PASS, _EYE, _SELF_ATARI, _TAKES, _SAVES, _ATARI, _SHAPE, *_NEAR, *_LONELY])
    any_move, passing, eye, self_atari, takes, saves, atari, shape, near, lonely = (0, 1, 2, 3, 4, 5, 6, 7, 8, 11)

    @helper
    def add(visits: Any, values: Any, i: int, sign: int) -> None:
        visits[i] += weights[sign, 0]
        values[i] += weights[sign, 0] * weights[sign, 1]

    @helper
    def is_alone(state: Any, row: int, column: int) -> bool:
        for r in range(max(row - 2, 0), min(row + 3, board_size)):
            for c in range(max(column - 2, 0), min(column + 3, board_size)):
                if state.board[cell_of[r * board_size + c]] != EMPTY:
                    return False
        return True

    def priors(state: Any, last: int, before: int, actions: Any, count: int, visits: Any, values: Any) -> None:
        own = state.turn + 1
        for i in range(count):
            visits[i] = values[i] = 0.0
            action = np.int64(actions[i])
            if action == num_points:
                add(visits, values, i, passing)
                values[i] /= visits[i]
                continue
            cell = np.int64(cell_of[action])
            row, column = action // board_size, action % board_size
            add(visits, values, i, any_move)
            if is_eye(state, cell, own):
                add(visits, values, i, eye)
            elif is_self_atari(state, cell, own):
                add(visits, values, i, self_atari)
            else:
                if is_capture(state, cell, own):
                    add(visits, values, i, takes)
                if is_saving(state, cell, own):
                    add(visits, values, i, saves)
                if gives_atari(state, cell, own):
                    add(visits, values, i, atari)
                line = min(min(row, column), min(board_size - 1 - row, board_size - 1 - column))
                if line < 3 and is_alone(state, row, column):
                    add(visits, values, i, lonely + line)
                if 0 <= last < num_points:
                    distance = max(abs(row - last // board_size), abs(column - last % board_size))
                    if distance <= 3:
                        add(visits, values, i, near + distance - 1)
                    if distance == 1 and is_shape(surroundings_of(state, cell)):
                        add(visits, values, i, shape)
            values[i] /= visits[i]

    return priors
