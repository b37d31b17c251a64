"""What the pawns of one side of a game of chess are worth, and those before its king: see `chess_terms`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import helper
from ...jit.bits import lowest, popcount
from .chess_boards import DISTANCE, FILE, HALF, SHIELD, STORM, WING
from .chess_terms import PLACES
from .chess_view import View, foe_pawn_attacks, pawn_attacks
from .chess_worth import worth

__all__ = ["beyond_pawns", "pawn_terms", "shelter"]

_ZERO, _ONE, _TWO, _4, _8 = (np.uint64(n) for n in (0, 1, 2, 4, 8))
_NOT_FIRST, _NOT_LAST = (np.uint64(0xFF - byte) * np.uint64(0x0101010101010101) for byte in (1, 128))  # ranks
_LAST_HALF = np.uint64(0xF0) * np.uint64(0x0101010101010101)
_PAWN_SQUARES = PLACES["pawn_squares"]
_DOUBLED_PAWN = PLACES["doubled_pawn"]
_ISOLATED_PAWN = PLACES["isolated_pawn"]
_BACKWARD_PAWN = PLACES["backward_pawn"]
_SUPPORTED_PAWN = PLACES["supported_pawn"]
_ABREAST_PAWN = PLACES["abreast_pawn"]
_PASSED_PAWN = PLACES["passed_pawn"]
_BLOCKED_PAWN = PLACES["blocked_pawn"]
_FREE_PAWN = PLACES["free_pawn"]
_KING_FROM_PASSED = PLACES["king_from_passed"]
_FOE_FROM_PASSED = PLACES["foe_from_passed"]
_SHIELD = PLACES["shield"]
_STORM = PLACES["storm"]
_BARE_FILE = PLACES["bare_file"]


@helper
def _up(bits: Any) -> Any:
    """Return all squares ahead of some, on their files."""
    bits = bits << _ONE & _NOT_FIRST
    bits |= bits << _ONE & _NOT_FIRST
    bits |= bits << _TWO & _NOT_FIRST & _NOT_FIRST << _ONE
    return bits | bits << _4 & _LAST_HALF


@helper
def _down(bits: Any) -> Any:
    """Return all squares behind some, on their files."""
    bits = bits >> _ONE & _NOT_LAST
    bits |= bits >> _ONE & _NOT_LAST
    bits |= bits >> _TWO & _NOT_LAST & _NOT_LAST >> _ONE
    return bits | bits >> _4 & ~_LAST_HALF


@helper
def beyond_pawns(others: Any) -> Any:
    """Return the squares that the other side's pawns will never attack, unless they leave their files."""
    covered = _down(others)
    return ~(covered << _8 | covered >> _8)


@helper
def pawn_terms(view: View, foe_reach: Any, phase: int, trace: Any, row: int) -> tuple[Any, Any, Any]:
    """Return what the squares, the structure and the passing of the own pawns are worth.

    Args:
        view: the board.
        foe_reach: what the other side attacks.
        phase: the phase of the game.
        trace: where the counts are written down, or None.
        row: in which row.
    """
    own, other = view.own, view.other
    pawns, others = own & view.pawns, other & view.pawns
    guarded = pawn_attacks(pawns)
    threatened = foe_pawn_attacks(others)
    behind, ahead = _down(pawns), _up(pawns)  # the squares behind own pawns on their files, and those ahead
    covered = _down(others)
    doubled = pawns & behind
    passed = pawns & ~(covered | covered << _8 | covered >> _8 | behind)
    files = pawns | behind | ahead
    lone = pawns & ~(files << _8 | files >> _8)
    supported = ahead | pawns
    late = pawns & ~(supported << _8 | supported >> _8) & (threatened >> _ONE) & ~lone
    structure = worth(_DOUBLED_PAWN, popcount(doubled), phase, trace, row)
    structure += worth(_ISOLATED_PAWN, popcount(lone), phase, trace, row)
    structure += worth(_BACKWARD_PAWN, popcount(late), phase, trace, row)
    squares, passing = np.int64(0), np.int64(0)
    abreast = pawns << _8 | pawns >> _8
    left = pawns
    while left != _ZERO:
        square = lowest(left)
        left &= left - _ONE
        rank, bit = square & 7, _ONE << np.uint64(square)
        squares += worth(_PAWN_SQUARES + HALF[square], 1, phase, trace, row)
        structure += worth(_SUPPORTED_PAWN + rank, np.int64(guarded & bit != _ZERO), phase, trace, row)
        structure += worth(_ABREAST_PAWN + rank, np.int64(abreast & bit != _ZERO), phase, trace, row)
    while passed != _ZERO:
        square = lowest(passed)
        passed &= passed - _ONE
        rank, stop = square & 7, _TWO << np.uint64(square)
        passing += worth(_PASSED_PAWN + rank, 1, phase, trace, row)
        passing += worth(_BLOCKED_PAWN + rank, np.int64(other & stop != _ZERO), phase, trace, row)
        passing += worth(_FREE_PAWN + rank, np.int64((own | other | foe_reach) & stop == _ZERO), phase, trace, row)
        passing += worth(_KING_FROM_PASSED + rank, DISTANCE[view.king, square + 1], phase, trace, row)
        passing += worth(_FOE_FROM_PASSED + rank, DISTANCE[view.foe, square + 1], phase, trace, row)
    return squares, structure, passing


@helper
def shelter(view: View, phase: int, trace: Any, row: int) -> Any:
    """Return what the pawns before the own king are worth."""
    pawns, others, king = view.own & view.pawns, view.other & view.pawns, view.king
    total, wing = np.int64(0), pawns & WING[king]
    for n in range(2):
        total += worth(_SHIELD + n, popcount(pawns & SHIELD[n, king]), phase, trace, row)
    for n in range(3):
        total += worth(_STORM + n, popcount(others & STORM[n, king]), phase, trace, row)
    middle = min(max(king >> 3, 1), 6)
    bare = 0
    for file in range(middle - 1, middle + 2):
        bare += wing & FILE[8 * file] == _ZERO
    return total + worth(_BARE_FILE, bare, phase, trace, row)
