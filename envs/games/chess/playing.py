"""What a move of chess does to the state, and how the board is turned round after it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from .legal import can_take_en_passant, castling_square
from .moves import CASTLING, KING, PAWN, PLANES, PROMOTED, ROOK, STEPS
from .position import PIECE_KEYS, kind_at
from .squares import bit_of, flipped

__all__ = ["player_of_moves", "turn_round"]

_ZERO, _ONE, _2, _3 = (np.uint64(n) for n in (0, 1, 2, 3))


@helper
def turn_round(state: Any) -> None:
    """Show the board as the other side sees it."""
    state.own, state.other = flipped(state.other), flipped(state.own)
    state.pawns, state.knights = flipped(state.pawns), flipped(state.knights)
    state.diagonals, state.straights = flipped(state.diagonals), flipped(state.straights)
    king = state.king
    state.king, state.other_king = state.other_king ^ 7, king ^ 7
    rights = state.castling
    state.castling, state.other_castling = state.other_castling, rights
    state.turn = 1 - state.turn


@helper
def _castle(state: Any, side: int) -> None:
    """Castle on the left (0) or the right (1)."""
    mirror = 7 * np.int64(state.turn)
    king, rook = np.int64(state.king), np.int64(castling_square(state.castling, side))
    king_to, rook_to = (48, 40) if side == 1 else (16, 24)
    state.own = (state.own & ~(bit_of(king) | bit_of(rook))) | bit_of(king_to) | bit_of(rook_to)
    state.straights = (state.straights & ~bit_of(rook)) | bit_of(rook_to)
    value = state.hash ^ PIECE_KEYS[state.turn, KING, king ^ mirror] ^ PIECE_KEYS[state.turn, KING, king_to ^ mirror]
    state.hash = value ^ PIECE_KEYS[state.turn, ROOK, rook ^ mirror] ^ PIECE_KEYS[state.turn, ROOK, rook_to ^ mirror]
    state.king, state.castling = king_to, 0


@helper
def _without(castling: int, file: int) -> int:
    """Return castling rights without those of the rook on a file."""
    if castling & 15 == file + 1:
        return castling & 0xF0
    return castling & 0x0F if castling >> 4 == file + 1 else castling


def player_of_moves(is_960: bool, always: bool) -> Rule:
    """Return the rule ``play``.

    Args:
        is_960: whether the king castles onto the rook, as in Chess960, or two files, as in chess.
        always: whether ``en_passant`` is set also where nobody can capture.
    """
    left, right = CASTLING

    @helper
    def is_castling(state: Any, plane: int, target: int) -> bool:
        """Return whether a move of the king is castling."""
        if is_960:
            return state.own & bit_of(target) != _ZERO
        return plane in (left, right)

    @helper
    def move_piece(state: Any, origin: int, target: int, plane: int) -> int:
        """Move a piece, and return the square behind a pawn that moves two squares, else 0."""
        turn = np.int64(state.turn)
        mirror = 7 * turn
        kind, captured = kind_at(state, origin), kind_at(state, target)
        is_king = origin == state.king
        placed, passed, key = kind, 0, state.hash
        if captured != 0:
            state.quiet = 0
        if kind == PAWN:
            state.quiet = 0
            if target & 7 == 7:
                placed = PROMOTED[plane]
            elif target == state.en_passant:
                victim = bit_of(target - 1)
                state.other ^= victim
                state.pawns ^= victim
                key ^= PIECE_KEYS[1 - turn, PAWN, (target - 1) ^ mirror]
            elif target == origin + 2:
                passed = origin + 1
        there, gone, where = bit_of(target), ~(bit_of(origin) | bit_of(target)), np.uint64(target)
        code = np.uint64(placed)
        state.own = (state.own & gone) | there
        state.other &= gone
        state.pawns = (state.pawns & gone) | (code & _ONE) << where
        state.knights = (state.knights & gone) | ((code >> _ONE) & _ONE) << where
        state.diagonals = (state.diagonals & gone) | ((code >> _2) & _ONE) << where
        state.straights = (state.straights & gone) | (code >> _3) << where
        if is_king:
            kind = placed = KING
            state.king = target
        key ^= PIECE_KEYS[turn, kind, origin ^ mirror] ^ PIECE_KEYS[turn, placed, target ^ mirror]
        state.hash = key ^ PIECE_KEYS[1 - turn, captured, target ^ mirror]
        if state.castling != 0:
            if is_king:
                state.castling = 0
            elif origin & 7 == 0:
                state.castling = _without(np.int64(state.castling), origin >> 3)
        if state.other_castling != 0 and target & 7 == 7:
            state.other_castling = _without(np.int64(state.other_castling), target >> 3)
        return passed

    def play(state: Any, action: int) -> None:
        origin, plane = action // PLANES, action % PLANES
        target = origin + STEPS[plane]
        state.quiet += 1
        passed = 0
        if origin == state.king and is_castling(state, plane, target):
            _castle(state, 1 if target > origin else 0)
        else:
            passed = move_piece(state, origin, target, plane)
        turn_round(state)
        state.en_passant = 0
        if passed != 0:
            state.en_passant = passed ^ 7
            if not always and not can_take_en_passant(state):
                state.en_passant = 0
        if always:
            state.moved = 1

    return play
