"""Whether the record of a position of chess is one that play can have left, as far as the pieces themselves tell.

The count of quiet plies is held against its limit alone, as in `fen`: it may be any beside a capture en passant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.terms import Rule, State
from ...jit import helper
from ...jit.bits import popcount
from .attacks import diagonal_attacks, straight_attacks
from .legal import can_take_en_passant, castling_square
from .position import LAYOUT, piece_key
from .squares import KING_STEPS, KNIGHT_STEPS, RANKS, bit_of

__all__ = ["validity"]

_ZERO = np.uint64(0)


@helper
def _is_other_safe(state: Any) -> bool:
    """Return whether the king of the side that has just moved is not attacked."""
    king, own = np.int64(state.other_king), state.own
    here, occupied = bit_of(king), own | state.other
    near = ((here >> np.uint64(9)) | (here << np.uint64(7))) & state.pawns | KNIGHT_STEPS[king] & state.knights
    if (near | KING_STEPS[king] & bit_of(state.king)) & own != _ZERO:
        return False
    far = diagonal_attacks(king, occupied) & state.diagonals | straight_attacks(king, occupied) & state.straights
    return far & own == _ZERO


def validity(max_quiet_plies: int, is_960: bool, always: bool, start: State) -> Rule:
    """Return the rule ``is_valid``.

    Args:
        max_quiet_plies: plies after which a game without captures and moves of pawns is drawn.
        is_960: whether kings and rooks that may castle can stand on any files.
        always: whether ``en_passant`` is set also where nobody can capture, and ``moved`` by a move.
        start: the initial position.
    """
    initial = np.zeros(1, LAYOUT)
    if always:  # only then it matters: elsewhere all starts of Chess960 share their compiled rules
        initial[0] = start
    pieces, castling, other_castling = initial["hash"][0], initial["castling"][0], initial["other_castling"][0]

    @helper
    def moved_agrees(state: Any) -> bool:
        if state.moved == 1:
            return always
        is_start = state.hash == pieces and state.castling == castling and state.other_castling == other_castling
        return state.moved == 0 and (not always or (is_start and state.turn + state.quiet + state.en_passant == 0))

    @helper
    def castling_agrees(state: Any, castling: int, own: Any, king: int, rank: int) -> bool:
        if castling == 0:
            return True
        if king & 7 != rank or castling & 15 > 8 or castling >> 4 > 8:
            return False
        rooks = own & state.straights & ~state.diagonals
        for side in range(2):
            square = castling_square(castling, side)
            if square >= 0:
                square += rank
                if rooks & bit_of(square) == _ZERO or (square > king) != (side == 1):
                    return False
                if not is_960 and (king != 32 + rank or square != 56 * side + rank):
                    return False
        return True

    @helper
    def en_passant_agrees(state: Any) -> bool:
        square = np.int64(state.en_passant)
        if square == 0:
            return True
        if square > 63 or square & 7 != 5:
            return False
        empty = ~(state.own | state.other)
        behind = bit_of(square) | bit_of(square + 1)
        if behind & ~empty != _ZERO or state.other & state.pawns & bit_of(square - 1) == _ZERO:
            return False
        return always or can_take_en_passant(state)

    def is_valid(state: Any) -> bool:
        if not 0 <= state.turn <= 1 or state.quiet > max_quiet_plies or not moved_agrees(state):
            return False
        own, other = state.own, state.other
        if own & other != _ZERO or state.king > 63 or state.other_king > 63:
            return False
        if own & bit_of(state.king) == _ZERO or other & bit_of(state.other_king) == _ZERO:
            return False
        if popcount(own) > 16 or popcount(other) > 16:
            return False
        kings = bit_of(state.king) | bit_of(state.other_king)
        sliders, pawns, knights = state.diagonals | state.straights, state.pawns, state.knights
        if pawns & knights != _ZERO or (pawns | knights) & sliders != _ZERO:
            return False
        if pawns | knights | sliders != (own | other) & ~kings or pawns & (RANKS[0] | RANKS[7]) != _ZERO:
            return False
        if popcount(own & pawns) > 8 or popcount(other & pawns) > 8:
            return False
        if not castling_agrees(state, np.int64(state.castling), own, np.int64(state.king), 0):
            return False
        if not castling_agrees(state, np.int64(state.other_castling), other, np.int64(state.other_king), 7):
            return False
        if not _is_other_safe(state) or not en_passant_agrees(state):
            return False
        return state.hash == piece_key(state)

    return is_valid
