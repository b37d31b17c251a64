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
from .chess_boards import FILE, HALF, OUTPOST, ZONE
from .chess_pawns import beyond_pawns
from .chess_terms import PLACES
from .chess_view import View, foe_pawn_attacks, pawn_attacks
from .chess_worth import worth

__all__ = ["Movement", "Reach", "make_side"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_MATERIAL = PLACES["material"]
_KNIGHT_SQUARES = PLACES["knight_squares"]
_BISHOP_SQUARES = PLACES["bishop_squares"]
_ROOK_SQUARES = PLACES["rook_squares"]
_QUEEN_SQUARES = PLACES["queen_squares"]
_KING_SQUARES = PLACES["king_squares"]
_KNIGHT_MOBILITY = PLACES["knight_mobility"]
_BISHOP_MOBILITY = PLACES["bishop_mobility"]
_ROOK_MOBILITY = PLACES["rook_mobility"]
_QUEEN_MOBILITY = PLACES["queen_mobility"]
_OUTPOST = PLACES["outpost"]
_BISHOP_PAIR = PLACES["bishop_pair"]
_OPEN_FILE = PLACES["open_file"]
_HALF_OPEN_FILE = PLACES["half_open_file"]


class Movement(NamedTuple):
    """How pieces move, which the rules hand over: attacks of bishops and rooks, and boards by square."""

    diagonal_attacks: Rule
    straight_attacks: Rule
    knight_steps: Any  # uint64 [64]
    king_steps: Any  # uint64 [64]


class Reach(NamedTuple):
    """What the pieces of a side attack, as boards, and how strongly the squares about the other king."""

    knights: Any
    bishops: Any
    rooks: Any
    queens: Any
    lesser: Any  # all pieces but the king
    every: Any
    strength: Any
    attackers: Any


def make_side(movement: Movement) -> Rule:
    """Return ``side(view, phase, trace, row)``.

    It takes the board as the side sees it, the phase, and where the counts are written down: int [2, terms] and the
    row, or None. It returns what the side has of pieces, where they stand and how they move, in thousandths of a pawn,
    and what they attack: the material, the squares of knights, bishops, rooks, queens and king, the mobility, minor
    pieces, the pair of bishops and the files of rooks; `Reach`.
    """
    diagonal_attacks, straight_attacks, knight_steps, king_steps = movement

    @helper
    def side(view: View, phase: int, trace: Any, row: int) -> tuple[Any, Reach]:
        own, knights, diagonals, straights, king = view.own, view.knights, view.diagonals, view.straights, view.king
        pawns, others, occupied = own & view.pawns, view.other & view.pawns, own | view.other
        zone = ZONE[view.foe]
        free = ~(own | foe_pawn_attacks(others))
        queens = diagonals & straights
        by_pawns = pawn_attacks(pawns)
        posts = OUTPOST & by_pawns & beyond_pawns(others)
        lesser = by_pawns
        material = worth(_MATERIAL, popcount(pawns), phase, trace, row)
        mobility, strength, attackers = np.int64(0), 0, 0

        pieces, knight_squares, by_knights = own & knights, np.int64(0), _ZERO
        material += worth(_MATERIAL + 1, popcount(pieces), phase, trace, row)
        minors = worth(_OUTPOST, popcount(pieces & posts), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = knight_steps[square]
            lesser |= reach
            by_knights |= reach
            knight_squares += worth(_KNIGHT_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_KNIGHT_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + near, attackers + (near > 0)

        pieces, bishop_squares, by_bishops = own & diagonals & ~queens, np.int64(0), _ZERO
        material += worth(_MATERIAL + 2, popcount(pieces), phase, trace, row)
        minors += worth(_OUTPOST + 1, popcount(pieces & posts), phase, trace, row)
        pair = worth(_BISHOP_PAIR, np.int64(popcount(pieces) > 1), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = diagonal_attacks(square, occupied)
            lesser |= reach
            by_bishops |= reach
            bishop_squares += worth(_BISHOP_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_BISHOP_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + near, attackers + (near > 0)

        pieces, rook_squares, files, by_rooks = own & straights & ~queens, np.int64(0), np.int64(0), _ZERO
        material += worth(_MATERIAL + 3, popcount(pieces), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = straight_attacks(square, occupied)
            lesser |= reach
            by_rooks |= reach
            rook_squares += worth(_ROOK_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_ROOK_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + near, attackers + (near > 0)
            if pawns & FILE[square] == _ZERO:
                is_open = others & FILE[square] == _ZERO
                files += worth(_OPEN_FILE if is_open else _HALF_OPEN_FILE, 1, phase, trace, row)

        pieces, queen_squares, by_queens = own & queens, np.int64(0), _ZERO
        material += worth(_MATERIAL + 4, popcount(pieces), phase, trace, row)
        while pieces != _ZERO:
            square = lowest(pieces)
            pieces &= pieces - _ONE
            reach = diagonal_attacks(square, occupied) | straight_attacks(square, occupied)
            lesser |= reach
            by_queens |= reach
            queen_squares += worth(_QUEEN_SQUARES + HALF[square], 1, phase, trace, row)
            mobility += worth(_QUEEN_MOBILITY + popcount(reach & free), 1, phase, trace, row)
            near = popcount(reach & zone)
            strength, attackers = strength + 2 * near, attackers + (near > 0)

        king_squares = worth(_KING_SQUARES + HALF[king], 1, phase, trace, row)
        sums = (
            material,
            knight_squares,
            bishop_squares,
            rook_squares,
            queen_squares,
            king_squares,
            mobility,
            minors,
            pair,
            files,
        )
        every = lesser | king_steps[king]
        return sums, Reach(by_knights, by_bishops, by_rooks, by_queens, lesser, every, strength, attackers)

    return side
