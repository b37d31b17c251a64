"""What one side of a game of chess has, term by term, as that side sees the board.

`chess_terms` says what the terms are. The counts can be written down, which is how the values are tuned: see
``benchmarks/strength/tune_chess.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ...jit.bits import lowest, popcount
from .chess_boards import DISTANCE, FILE, HALF, SHIELD, STORM, WING, ZONE
from .chess_terms import MOST_ATTACK, PLACES, by_phase
from .chess_values import VALUES

__all__ = ["Movement", "make_side"]

_ZERO, _ONE, _TWO, _4, _7, _8, _9 = (np.uint64(n) for n in (0, 1, 2, 4, 7, 8, 9))
_NOT_FIRST, _NOT_LAST = (np.uint64(0xFF - byte) * np.uint64(0x0101010101010101) for byte in (1, 128))  # ranks
_LAST_HALF = np.uint64(0xF0) * np.uint64(0x0101010101010101)
_BY_PHASE = by_phase(VALUES)  # [phases, terms]
_MATERIAL = PLACES["material"]
_PAWN_SQUARES = PLACES["pawn_squares"]
_KNIGHT_SQUARES = PLACES["knight_squares"]
_BISHOP_SQUARES = PLACES["bishop_squares"]
_ROOK_SQUARES = PLACES["rook_squares"]
_QUEEN_SQUARES = PLACES["queen_squares"]
_KING_SQUARES = PLACES["king_squares"]
_KNIGHT_MOBILITY = PLACES["knight_mobility"]
_BISHOP_MOBILITY = PLACES["bishop_mobility"]
_ROOK_MOBILITY = PLACES["rook_mobility"]
_QUEEN_MOBILITY = PLACES["queen_mobility"]
_DOUBLED_PAWN = PLACES["doubled_pawn"]
_ISOLATED_PAWN = PLACES["isolated_pawn"]
_BACKWARD_PAWN = PLACES["backward_pawn"]
_SUPPORTED_PAWN = PLACES["supported_pawn"]
_ABREAST_PAWN = PLACES["abreast_pawn"]
_PASSED_PAWN = PLACES["passed_pawn"]
_BLOCKED_PAWN = PLACES["blocked_pawn"]
_KING_FROM_PASSED = PLACES["king_from_passed"]
_FOE_FROM_PASSED = PLACES["foe_from_passed"]
_BISHOP_PAIR = PLACES["bishop_pair"]
_OPEN_FILE = PLACES["open_file"]
_HALF_OPEN_FILE = PLACES["half_open_file"]
_SHIELD = PLACES["shield"]
_STORM = PLACES["storm"]
_BARE_FILE = PLACES["bare_file"]
_KING_ATTACK = PLACES["king_attack"]
_THREAT = PLACES["threat"]


class Movement(NamedTuple):
    """How pieces move, which the rules hand over: attacks of bishops and rooks, and boards by square."""

    diagonal_attacks: Rule
    straight_attacks: Rule
    knight_steps: Any  # uint64 [64]


@helper
def worth(place: int, times: int, phase: int, trace: Any, row: int) -> Any:
    """Return what a term adds that is there so many times, and write that down if there is a ``trace``."""
    if trace is not None:
        trace[row, place] += times
    return times * np.int64(_BY_PHASE[phase, place])


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


def make_side(movement: Movement) -> Rule:
    """Return ``side(own, other, pawns, knights, diagonals, straights, king, foe, phase, trace, row)``.

    It takes the bitboards of a state and the squares of the two kings, all as the side sees them, the phase, and where
    the counts are written down: int [2, terms] and the row, or None. It returns what the side has in each group of
    features, in thousandths of a pawn.
    """
    diagonal_attacks, straight_attacks, knight_steps = movement

    @helper
    def pawn_terms(
        own: Any, other: Any, all_pawns: Any, king: int, foe: int, phase: int, trace: Any, row: int
    ) -> tuple[Any, Any, Any]:
        """Return what the squares, the structure and the passing of the pawns are worth."""
        pawns, others = own & all_pawns, other & all_pawns
        guarded = (pawns << _9) | (pawns >> _7)
        threatened = (others << _7) | (others >> _9)
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
        left = pawns
        while left != _ZERO:
            squares += worth(_PAWN_SQUARES + HALF[lowest(left)], 1, phase, trace, row)
            left &= left - _ONE
        left = pawns & guarded
        while left != _ZERO:
            structure += worth(_SUPPORTED_PAWN + (lowest(left) & 7), 1, phase, trace, row)
            left &= left - _ONE
        left = pawns & (pawns << _8 | pawns >> _8)
        while left != _ZERO:
            structure += worth(_ABREAST_PAWN + (lowest(left) & 7), 1, phase, trace, row)
            left &= left - _ONE
        while passed != _ZERO:
            square = lowest(passed)
            passed &= passed - _ONE
            rank = square & 7
            passing += worth(_PASSED_PAWN + rank, 1, phase, trace, row)
            passing += worth(
                _BLOCKED_PAWN + rank, np.int64(other & _TWO << np.uint64(square) != _ZERO), phase, trace, row
            )
            passing += worth(_KING_FROM_PASSED + rank, DISTANCE[king, square + 1], phase, trace, row)
            passing += worth(_FOE_FROM_PASSED + rank, DISTANCE[foe, square + 1], phase, trace, row)
        return squares, structure, passing

    @helper
    def shelter(pawns: Any, others: Any, king: int, phase: int, trace: Any, row: int) -> Any:
        """Return what the pawns before the king are worth."""
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

    @helper
    def side(
        own: Any,
        other: Any,
        all_pawns: Any,
        knights: Any,
        diagonals: Any,
        straights: Any,
        king: int,
        foe: int,
        phase: int,
        trace: Any,
        row: int,
    ) -> tuple[Any, ...]:
        pawns, others, occupied = own & all_pawns, other & all_pawns, own | other
        zone = ZONE[foe]
        free = ~(own | (others << _7) | (others >> _9))
        queens = diagonals & straights
        bishops, rooks = own & diagonals & ~queens, own & straights & ~queens
        pawn_squares, structure, passed = pawn_terms(own, other, all_pawns, king, foe, phase, trace, row)
        material = worth(_MATERIAL, popcount(pawns), phase, trace, row)
        mobility, strength, attackers = np.int64(0), 0, 0
        by_minors, by_rooks = _ZERO, _ZERO

        pieces, knight_squares = own & knights, np.int64(0)
        material += worth(_MATERIAL + 1, popcount(pieces), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = knight_steps[square]
            by_minors |= reach
            knight_squares += worth(_KNIGHT_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_KNIGHT_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + near, attackers + (near > 0)

        pieces, bishop_squares = bishops, np.int64(0)
        material += worth(_MATERIAL + 2, popcount(pieces), phase, trace, row)
        pair = worth(_BISHOP_PAIR, np.int64(popcount(pieces) > 1), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = diagonal_attacks(square, occupied)
            by_minors |= reach
            bishop_squares += worth(_BISHOP_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_BISHOP_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + near, attackers + (near > 0)

        pieces, rook_squares, files = rooks, np.int64(0), np.int64(0)
        material += worth(_MATERIAL + 3, popcount(pieces), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = straight_attacks(square, occupied)
            by_rooks |= reach
            rook_squares += worth(_ROOK_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_ROOK_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + near, attackers + (near > 0)
            if pawns & FILE[square] == _ZERO:
                is_open = others & FILE[square] == _ZERO
                files += worth(_OPEN_FILE if is_open else _HALF_OPEN_FILE, 1, phase, trace, row)

        pieces, queen_squares = own & queens, np.int64(0)
        material += worth(_MATERIAL + 4, popcount(pieces), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = diagonal_attacks(square, occupied) | straight_attacks(square, occupied)
            queen_squares += worth(_QUEEN_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_QUEEN_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + 2 * near, attackers + (near > 0)

        safety = shelter(pawns, others, king, phase, trace, row)
        if attackers < 2:
            strength = 0
        safety += worth(_KING_ATTACK + min(strength, MOST_ATTACK), 1, phase, trace, row)

        by_pawns = (pawns << _9) | (pawns >> _7)
        minors = other & (knights | diagonals & ~queens)
        other_rooks, other_queens = other & straights & ~queens, other & queens
        threats = worth(_THREAT, popcount(by_pawns & minors), phase, trace, row)
        threats += worth(_THREAT + 1, popcount(by_pawns & other_rooks), phase, trace, row)
        threats += worth(_THREAT + 2, popcount(by_pawns & other_queens), phase, trace, row)
        threats += worth(_THREAT + 3, popcount(by_minors & other_rooks), phase, trace, row)
        threats += worth(_THREAT + 4, popcount(by_minors & other_queens), phase, trace, row)
        threats += worth(_THREAT + 5, popcount(by_rooks & other_queens), phase, trace, row)
        king_squares = worth(_KING_SQUARES + HALF[king], 1, phase, trace, row)
        squares = pawn_squares, knight_squares, bishop_squares, rook_squares, queen_squares, king_squares
        return (material, *squares, mobility, safety, structure, passed, pair, files, threats)

    return side
