"""The evaluation of chess.

Seventeen features say what one side has more than the other. Each is a sum of tuned values of what stands on the board
(`chess_terms` lists them, `chess_values` has the values), by as many pawns as its range has, and ends at ±1:

===============  ===============================================================================================
material         the pieces
pawn_squares     where pawns stand; likewise ``knight_squares`` and so on, for each kind of piece
mobility         how many squares knights, bishops, rooks and queens attack, without those that pawns guard
king_safety      pawns before the king, and pieces that attack the squares about the other king or can check him
pawn_structure   doubled, isolated and backward pawns; those that are protected or have another beside them
passed_pawns     passed pawns, by rank, by what blocks them, and by how near the kings are
minor_pieces     knights and bishops on outposts
bishop_pair      two bishops
rook_files       rooks on files without pawns, or without own pawns
threats          pieces attacked by lesser ones, or not protected, or soon attacked by a pawn
tempo            the right to move
bare_king        where the other side has its king alone: how near he is to the edge, or to a corner of the bishop's
                 colour if a bishop and a knight must mate him, and how near the own king is; not tuned
===============  ===============================================================================================

All of them are less where the side that is ahead can hardly win: see `chess_draws`.

The form is that of C. E. Shannon's evaluation ("Programming a computer for playing chess", Philosophical Magazine 41,
1950). Values change from the middle game to the end game with the pieces that are left.

A side is evaluated as it sees the board, see `plyground.envs.games.chess.squares`: first the player to move, then the
other, with all turned round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.evaluation import lead
from ...definition.terms import Rule
from ...jit import helper
from ...jit.bits import popcount
from .chess_attacks import make_attacks
from .chess_boards import CORNER, DISTANCE, EDGE, LIGHT
from .chess_draws import share_of
from .chess_pawns import pawn_terms, shelter
from .chess_side import Movement, Reach, make_side
from .chess_terms import PHASES, PLACES
from .chess_view import View, turned, view_of
from .chess_worth import worth

__all__ = ["PAWN", "WEIGHTS", "Movement", "make_features", "make_terms", "phase_of", "sum_of"]

PAWN = 0.013  # what a pawn is worth in the evaluation, where a win is 1
_RANGES = {  # pawns
    "material": 30.0,
    "pawn_squares": 4.0,
    "knight_squares": 2.0,
    "bishop_squares": 2.0,
    "rook_squares": 2.0,
    "queen_squares": 2.0,
    "king_squares": 3.0,
    "mobility": 5.0,
    "king_safety": 5.0,
    "pawn_structure": 3.0,
    "passed_pawns": 7.0,
    "minor_pieces": 1.5,
    "bishop_pair": 1.0,
    "rook_files": 1.0,
    "threats": 3.0,
    "tempo": 0.5,
    "bare_king": 4.0,
}
WEIGHTS = {name: round(PAWN * pawns, 6) for name, pawns in _RANGES.items()}

_MOST = tuple(1000.0 * pawns for pawns in _RANGES.values())  # thousandths of a pawn
_TEMPO = PLACES["tempo"]
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FARTHEST = 7  # steps between two kings


def make_terms(movement: Movement, flipped: Rule) -> Rule:
    """Return ``terms(state, trace)``: what the player to move has, and the other, in each group of terms.

    Args:
        movement: how pieces move.
        flipped: turns a bitboard round.
    """
    side, (king_attack, threats) = make_side(movement), make_attacks(movement)

    @helper
    def rest(view: View, reach: Reach, lesser: Any, every: Any, phase: int, trace: Any, row: int) -> tuple[Any, ...]:
        """Return what pawns, the king's safety and threats are worth, which depends on what the other side attacks."""
        squares, structure, passed = pawn_terms(view, every, phase, trace, row)
        safety = shelter(view, phase, trace, row) + king_attack(view, reach, lesser, every, phase, trace, row)
        return squares, safety, structure, passed, threats(view, reach, every, phase, trace, row)

    @helper
    def ordered(pieces: Any, others: Any) -> tuple[Any, ...]:
        """Return what a side has in the order of the features."""
        return (pieces[0], others[0], *pieces[1:7], *others[1:4], *pieces[7:], others[4])

    @helper
    def terms(state: Any, trace: Any) -> tuple[Any, Any]:
        phase, mine = phase_of(state), view_of(state)
        theirs = turned(flipped, mine)
        first, reach = side(mine, phase, trace, 0)
        second, foe_reach = side(theirs, phase, trace, 1)
        lesser, every = flipped(foe_reach.lesser), flipped(foe_reach.every)
        one = ordered(first, rest(mine, reach, lesser, every, phase, trace, 0))
        lesser, every = flipped(reach.lesser), flipped(reach.every)
        return one, ordered(second, rest(theirs, foe_reach, lesser, every, phase, trace, 1))

    return terms


@helper
def sum_of(counts: Any) -> Any:
    """Return the sum of what a side has in all groups of terms."""
    total = np.int64(0)
    for count in counts:
        total += count
    return total


@helper
def phase_of(state: Any) -> int:
    """Return how many pieces there are: 24 at the start, 0 with kings and pawns alone."""
    diagonals, straights = state.diagonals, state.straights
    count = popcount(state.knights) + popcount(diagonals) + 2 * popcount(straights) + popcount(diagonals & straights)
    return min(count, PHASES)


@helper
def _drive(own: Any, king: int, foe: int, knights: Any, diagonals: Any, straights: Any) -> float:
    """Return how far a bare king is driven to where he can be mated, from 0 to 1; he is the other side's."""
    near = (_FARTHEST - DISTANCE[king, foe]) / _FARTHEST
    bishops = own & diagonals
    if straights == _ZERO and popcount(own & knights) == 1 and popcount(bishops) == 1:
        light = 1 if bishops & LIGHT != _ZERO else 0
        return 0.25 * near + 0.75 * (_FARTHEST - min(CORNER[light, foe], _FARTHEST)) / _FARTHEST
    return 0.5 * near + 0.5 * (3 - EDGE[foe]) / 3


def make_features(movement: Movement, flipped: Rule) -> Rule:
    """Return the rule ``features``; the arguments are those of `make_terms`."""
    terms = make_terms(movement, flipped)

    def features(state: Any, player: int) -> tuple[float, ...]:
        one, two = terms(state, None)
        bare = 0.0
        king, foe = np.int64(state.king), np.int64(state.other_king)
        if state.other == _ONE << np.uint64(foe):
            bare = _drive(state.own, king, foe, state.knights, state.diagonals, state.straights)
        elif state.own == _ONE << np.uint64(king):
            bare = -_drive(state.other, foe, king, state.knights, state.diagonals, state.straights)
        share = share_of(state, sum_of(one) >= sum_of(two))
        sign = share if player == state.turn else -share
        tempo = worth(_TEMPO, 1, phase_of(state), None, 0)
        return (
            sign * lead(one[0], two[0], _MOST[0]),
            sign * lead(one[1], two[1], _MOST[1]),
            sign * lead(one[2], two[2], _MOST[2]),
            sign * lead(one[3], two[3], _MOST[3]),
            sign * lead(one[4], two[4], _MOST[4]),
            sign * lead(one[5], two[5], _MOST[5]),
            sign * lead(one[6], two[6], _MOST[6]),
            sign * lead(one[7], two[7], _MOST[7]),
            sign * lead(one[8], two[8], _MOST[8]),
            sign * lead(one[9], two[9], _MOST[9]),
            sign * lead(one[10], two[10], _MOST[10]),
            sign * lead(one[11], two[11], _MOST[11]),
            sign * lead(one[12], two[12], _MOST[12]),
            sign * lead(one[13], two[13], _MOST[13]),
            sign * lead(one[14], two[14], _MOST[14]),
            sign * lead(tempo, 0, _MOST[15]),
            sign * bare,
        )

    return features
