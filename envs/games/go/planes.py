"""What players of Go see, and how a state is rebuilt from it.

The observation has the last eight boards, the newest first, each as own and opponent's stones, and then a plane of ones
for white. A state rebuilt from it knows all but the number of plies, if the observation shows the two boards before:
that of a state which a game began with does not. Two passes on an empty board are not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.terms import Rule
from ..points import points
from .chains import chains
from .liberties import liberties

__all__ = ["FRAMES", "make_decode", "make_observe"]

FRAMES = 8  # boards in an observation


def make_observe(board_size: int) -> Rule:
    """Return the rule ``observe`` for a board of ``board_size`` points a side."""
    cell_of = points(board_size).cell_of

    def observe(state: Any, player: int, planes: Any) -> None:
        own, other = player + 1, 2 - player
        for row in range(board_size):
            for column in range(board_size):
                stone = state.board[cell_of[row * board_size + column]]
                planes[row, column, 0] = stone == own
                planes[row, column, 1] = stone == other
                planes[row, column, 2 * FRAMES] = player

    return observe


def make_decode(board_size: int, setup: Rule) -> Rule:
    """Return the function ``decode``.

    Args:
        board_size: points a side.
        setup: the rule that writes the initial state.
    """
    cell_of, place, is_lone = points(board_size).cell_of, chains(board_size).place, liberties(board_size).is_lone

    def decode(planes: Any, state: Any) -> None:
        setup(state)
        seat = int(planes[0, 0, 2 * FRAMES])
        own, other, own_before, other_before = (planes[:, :, frame].ravel() != 0 for frame in range(4))
        if (own & other).any():
            raise ValueError("a point has stones of both colours")
        for colour, stones in ((seat + 1, own), (2 - seat, other)):
            for cell in cell_of[stones].tolist():
                place(state, cell, colour)
        state.turn, state.ply = seat, np.count_nonzero(own | other)
        # The ko and the pass are seen from the board before.
        added, taken = cell_of[other & ~other_before], cell_of[own_before & ~own]
        if added.size == taken.size == 1 and is_lone(state, added[0]):
            state.ko = taken[0]
        if not added.size and (state.ply > 0 or seat == 1) and (own == own_before).all():
            state.passes = 1
            if (planes[..., 0:2] == planes[..., 4:6]).all() and (state.ply > 0 or seat == 0):
                state.passes = 2

    return decode
