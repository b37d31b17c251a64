"""Whether the record of an m,n,k game is one that play can have left: its stones, their hash, and who has won.

All of it follows from the board, and is found again from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..definition.terms import Rule
from ..jit import helper
from .features.mnk import FIRST, SECOND

__all__ = ["validity"]


def validity(
    place_of: NDArray[np.int64], hashes: NDArray[np.uint64], steps: tuple[int, ...], length: int, exact: bool
) -> Rule:
    """Return the rule ``is_valid``.

    Args:
        place_of: [actions] the places of the cells on the board of a state.
        hashes: [players, actions] the random numbers of the stones.
        steps: from a place to the next one of a row, in each direction.
        length: stones in a row that win.
        exact: whether longer rows do not win.
    """
    cells = place_of.size

    @helper
    def wins_without(board: Any, stone: int, removed: int) -> bool:
        """Return whether these stones have a row that wins, if the one on the place ``removed`` is taken off."""
        for action in range(cells):
            place = place_of[action]
            if board[place] != stone or place == removed:
                continue
            for step in steps:
                if board[place - step] == stone and place - step != removed:
                    continue  # not the first of its row
                end = place + step
                while board[end] == stone and end != removed:
                    end += step
                run = (end - place) // step
                if run == length or (run > length and not exact):
                    return True
        return False

    def is_valid(state: Any) -> bool:
        ply = np.int64(state.ply)
        stones, firsts, seconds = 0, 0, 0
        for stone in state.board:
            stones += stone != 0
        found = state.hash
        for action in range(cells):
            stone = state.board[place_of[action]]
            if stone == FIRST:
                firsts += 1
                found ^= hashes[0, action]
            elif stone == SECOND:
                seconds += 1
                found ^= hashes[1, action]
        # All stones are on the board, and of a player.
        if firsts != (ply + 1) // 2 or seconds != ply // 2 or stones != firsts + seconds or found != 0:
            return False
        last, other = (FIRST, SECOND) if ply & 1 else (SECOND, FIRST)
        if wins_without(state.board, other, -1):
            return False  # the game would have ended before
        if not wins_without(state.board, last, -1):
            return state.won == 0
        for action in range(cells):  # one stone, the last, made all rows that win
            place = place_of[action]
            if state.board[place] == last and not wins_without(state.board, last, place):
                return state.won == 1
        return False

    return is_valid
