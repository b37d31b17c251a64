"""How much of what a side of a game of chess is ahead still counts where it can hardly win."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import helper
from ...jit.bits import popcount
from .chess_boards import LIGHT

__all__ = ["share_of"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_PAWNLESS = 0.0625  # without pawns, and ahead by a minor piece at most
_LAST_PAWN = 0.75  # likewise with one pawn, for which the other side may give a piece
_OPPOSITE_BISHOPS = 0.5  # nothing but pawns and a bishop each, on squares of different colours


@helper
def _worth(bits: Any, knights: Any, diagonals: Any, straights: Any) -> int:
    """Return what the pieces are worth in pawns, by the rule of thumb: 3, 3, 5 and 9."""
    queens = diagonals & straights
    minors, all_straights = popcount(bits & (knights | diagonals)), popcount(bits & straights)
    return 3 * minors + 5 * all_straights + popcount(bits & queens)


@helper
def share_of(state: Any, leads: bool) -> float:
    """Return how much of a lead counts, 1 where nothing is known.

    Args:
        state: the state.
        leads: whether the player to move is ahead, and not the other.
    """
    leader, other = (state.own, state.other) if leads else (state.other, state.own)
    knights, diagonals, straights = state.knights, state.diagonals, state.straights
    pawns = leader & state.pawns
    if pawns == _ZERO or pawns & (pawns - _ONE) == _ZERO:
        ahead = _worth(leader, knights, diagonals, straights) - _worth(other, knights, diagonals, straights)
        two_knights = popcount(leader) == 3 and popcount(leader & knights) == 2
        if ahead <= 3 or two_knights:
            return _PAWNLESS if pawns == _ZERO else _LAST_PAWN
        return 1.0
    bishops_alone = knights | straights == _ZERO and popcount(leader & diagonals) * popcount(other & diagonals) == 1
    return _OPPOSITE_BISHOPS if bishops_alone and popcount(diagonals & LIGHT) == 1 else 1.0
