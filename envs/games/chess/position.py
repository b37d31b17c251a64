"""What a state of chess holds, and the keys by which positions are known.

The board is that of the player to move, see `squares`: ``own`` pieces are theirs, and all is turned round when the
other side is to move. Six bitboards tell what stands where. Bishops and queens move on diagonals, rooks and queens on
straight lines; a king is in ``own`` or ``other`` alone. With a key of the pieces and a few small numbers a state fills
64 bytes, one line of a processor's cache.

A byte of castling rights has the files of two rooks, counted from 1, and 0 where there is no right: the left rook in
its low half, the right one in its high half.

``en_passant`` is the square behind a pawn that has just moved two squares, if it can legally be captured there; with
``always`` also if not. 0 is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.terms import Rule, state_dtype
from ...jit import helper
from ...jit.bits import lowest, popcount
from ..draws import near_end
from .legal import can_take_en_passant
from .moves import KING

__all__ = ["FILE_KEYS", "LAYOUT", "PIECE_KEYS", "TURN_KEY", "is_dead", "keys", "kind_at", "piece_key"]

LAYOUT = state_dtype(
    own="u8",
    other="u8",
    pawns="u8",
    knights="u8",
    diagonals="u8",
    straights="u8",
    hash="u8",  # of the pieces on their squares
    king="u1",
    other_king="u1",
    castling="u1",
    other_castling="u1",
    en_passant="u1",
    quiet="u1",  # plies since the last capture or move of a pawn
    turn="i1",
    moved="u1",  # with ``always``, whether this is no initial position: the first observation is empty there; else 0
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LIGHT = np.uint64(0x55AA55AA55AA55AA)  # squares of one colour; which is which does not matter
# A random number for each thing that may stand on a square (A. L. Zobrist, "A new hashing method with application for
# game playing", 1970). Nothing, kind 0, has none, so that a move takes off what is there without asking.
_RANDOM = np.random.SeedSequence(1970).generate_state(2 * 16 * 64 + 2 * 256 + 8 + 256, np.uint64)
PIECE_KEYS = _RANDOM[: 2 * 16 * 64].reshape(2, 16, 64).copy()  # [colours, kinds, squares as white sees them]
PIECE_KEYS[:, 0] = 0
_CASTLING_KEYS = _RANDOM[2048 : 2048 + 512].reshape(2, 256)  # [colours, rights]
FILE_KEYS, _QUIET_KEYS = _RANDOM[2560:2568], _RANDOM[2568:]  # [files] en passant; [plies]
TURN_KEY = np.uint64(0x9E3779B97F4A7C15)


@helper
def kind_at(state: Any, square: int) -> Any:
    """Return the kind of the piece on a square, as `moves` numbers them; 0 for none, and for a king."""
    shift = np.uint64(square)
    pawn, knight = (state.pawns >> shift) & _ONE, (state.knights >> shift) & _ONE
    diagonal, straight = (state.diagonals >> shift) & _ONE, (state.straights >> shift) & _ONE
    return np.int64(pawn | (knight << _ONE) | (diagonal << np.uint64(2)) | (straight << np.uint64(3)))


@helper
def piece_key(state: Any) -> Any:
    """Return the hash of the pieces, from scratch."""
    value = _ZERO
    for side in range(2):
        pieces = state.own if side == 0 else state.other
        king = state.king if side == 0 else state.other_king
        colour = state.turn if side == 0 else 1 - state.turn
        while pieces != _ZERO:
            square = lowest(pieces)
            kind = KING if square == king else kind_at(state, square)
            value ^= PIECE_KEYS[colour, kind, square ^ 7 * state.turn]
            pieces &= pieces - _ONE
    return value


@helper
def is_dead(state: Any) -> bool:
    """Return whether neither side has the pieces to mate: a minor piece at most, or only bishops of one colour."""
    if state.pawns | state.straights != _ZERO:
        return False
    if state.knights != _ZERO:
        return popcount(state.own | state.other) <= 3
    return state.diagonals & _LIGHT == _ZERO or state.diagonals & ~_LIGHT == _ZERO


def keys(max_quiet_plies: int, always: bool) -> tuple[Rule, Rule]:
    """Return the rules ``repetition_key`` and ``key``.

    Args:
        max_quiet_plies: plies after which a game without captures and moves of pawns is drawn.
        always: whether ``en_passant`` is set also where nobody can capture.
    """
    near = near_end(max_quiet_plies)

    def repetition_key(state: Any) -> Any:
        value = state.hash ^ _CASTLING_KEYS[state.turn, state.castling]
        value ^= _CASTLING_KEYS[1 - state.turn, state.other_castling]
        if state.turn == 1:
            value ^= TURN_KEY
        if state.en_passant != 0 and (not always or can_take_en_passant(state)):
            value ^= FILE_KEYS[state.en_passant >> 3]
        return value

    with_position = helper(repetition_key)

    def key(state: Any) -> Any:
        value = with_position(state)
        # How many plies are left matters near the end only: before, a position is the same whenever it is reached.
        if state.quiet > near:
            value ^= _QUIET_KEYS[state.quiet]
        return value

    return repetition_key, key
