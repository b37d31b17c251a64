"""Lists of the legal moves of chess, and how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ...jit.bits import lowest, popcount
from .legal import castling_square, king_targets, restrictions, targets_of
from .moves import ACTIONS, PLANES, UNDERPROMOTION
from .squares import DIRECTIONS, KING_STEPS, bit_of

__all__ = ["can_move", "count_moves", "list_captures", "lister"]

_ZERO, _ONE, _7, _9 = (np.uint64(n) for n in (0, 1, 7, 9))
_ALL = np.uint64(2**64 - 1)
_FILES = np.array([255 << 8 * file for file in range(8)], np.uint64)
_QUEENS = tuple(DIRECTIONS.index(step) for step in ((-1, 1), (0, 1), (1, 1)))  # planes of pawns that become queens


@helper
def _put(actions: Any, start: int, count: int, action: int) -> None:
    """Put an action into its place among those of its origin, which begin at ``start``."""
    place = count
    while place > start and actions[place - 1] > action:
        actions[place] = actions[place - 1]
        place -= 1
    actions[place] = action


@helper
def _list_promotions(actions: Any, count: int, origin: int, targets: Any) -> int:
    here = bit_of(origin)
    steps = (here >> _7, here << _ONE, here << _9)  # to the left, straight on, to the right
    for side in range(3):  # queens first, then the others
        if targets & steps[side] != _ZERO:
            actions[count] = PLANES * origin + _QUEENS[side]
            count += 1
    for side in range(3):
        if targets & steps[side] != _ZERO:
            for piece in range(3):
                actions[count] = PLANES * origin + UNDERPROMOTION + 3 * side + piece
                count += 1
    return count


@helper
def list_captures(state: Any, actions: Any, ends: Any, pinned: Any) -> int:
    """Write the captures, and the pawns' moves that make a queen, in ascending order; return how many there are.

    The player to move is not in check; ``ends`` and ``pinned`` are from `restrictions`.
    """
    king, count = np.int64(state.king), 0
    pieces = state.own
    while pieces != _ZERO:
        origin = lowest(pieces)
        pieces &= pieces - _ONE
        start = count
        if origin == king:
            targets = KING_STEPS[king] & state.other
            if targets != _ZERO:
                targets = king_targets(state, _ALL)[0] & state.other
        elif bit_of(origin) & state.pawns == _ZERO:
            targets = targets_of(state, origin, ends, pinned) & state.other
        else:
            targets = targets_of(state, origin, ends, pinned)
            if origin & 7 != 6:
                targets &= ~(_FILES[origin >> 3])
        while targets != _ZERO:
            _put(actions, start, count, np.int64(ACTIONS[origin, lowest(targets)]))
            count += 1
            targets &= targets - _ONE
    return count


@helper
def count_moves(state: Any) -> int:
    """Return how many legal moves there are."""
    checkers, ends, pinned = restrictions(state)
    king = np.int64(state.king)
    steps, castlings = king_targets(state, checkers)
    count = popcount(steps) + (castlings & 1) + (castlings >> 1)
    pieces = state.own & ~bit_of(king) if ends != _ZERO else _ZERO
    while pieces != _ZERO:
        origin = lowest(pieces)
        pieces &= pieces - _ONE
        found = popcount(targets_of(state, origin, ends, pinned))
        count += 4 * found if origin & 7 == 6 and bit_of(origin) & state.pawns != _ZERO else found
    return count


@helper(forceinline=True, alone=True)
def can_move(state: Any) -> bool:
    """Return whether there is a legal move."""
    checkers, ends, pinned = restrictions(state)
    if checkers == _ZERO and (state.own & state.pawns & ~pinned) << _ONE & ~(state.own | state.other) != _ZERO:
        return True  # a pawn can step, as nearly always
    return _can_other_move(state, checkers, ends, pinned)


@helper
def _can_other_move(state: Any, checkers: Any, ends: Any, pinned: Any) -> bool:
    pieces = state.own & ~bit_of(np.int64(state.king)) if ends != _ZERO else _ZERO
    while pieces != _ZERO:
        if targets_of(state, lowest(pieces), ends, pinned) != _ZERO:
            return True
        pieces &= pieces - _ONE
    steps, castlings = king_targets(state, checkers)
    return steps != _ZERO or castlings != 0  # in Chess960 castling can be all that is left


def lister(is_960: bool) -> Rule:
    """Return ``list_moves(state, actions, is_sorted)``, which writes the legal moves.

    Args:
        is_960: whether the king castles onto the rook, as in Chess960, or two files, as in chess.
    """

    @helper
    def list_moves(state: Any, actions: Any, is_sorted: bool) -> int:
        """Write the legal moves, if asked in ascending order, and return how many there are."""
        checkers, ends, pinned = restrictions(state)
        king = np.int64(state.king)
        pieces = state.own if ends != _ZERO else bit_of(king)
        count = 0
        while pieces != _ZERO:
            origin = lowest(pieces)
            pieces &= pieces - _ONE
            start = count
            castlings = 0
            if origin == king:
                targets, castlings = king_targets(state, checkers)
            else:
                targets = targets_of(state, origin, ends, pinned)
                if origin & 7 == 6 and bit_of(origin) & state.pawns != _ZERO:
                    count = _list_promotions(actions, count, origin, targets)
                    continue
            while targets != _ZERO:
                action = np.int64(ACTIONS[origin, lowest(targets)])
                if is_sorted:
                    _put(actions, start, count, action)
                else:
                    actions[count] = action
                count += 1
                targets &= targets - _ONE
            for side in range(2):
                if castlings >> side & 1:
                    target = castling_square(state.castling, side) if is_960 else king + 32 * side - 16
                    _put(actions, start, count, np.int64(ACTIONS[king, target]))
                    count += 1
        return count

    return list_moves
