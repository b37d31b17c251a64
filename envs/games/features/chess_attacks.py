"""What one side of a game of chess threatens: pieces, and the other king. See `chess_terms`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ...jit.bits import popcount
from .chess_boards import ZONE
from .chess_side import Movement, Reach
from .chess_terms import MOST_ATTACK, PLACES
from .chess_view import View, foe_pawn_attacks, pawn_attacks
from .chess_worth import worth

__all__ = ["make_attacks"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_THIRD, _NOT_LAST = (np.uint64(byte) * np.uint64(0x0101010101010101) for byte in (0b100, 0b1111111))  # ranks
_KING_ATTACK = PLACES["king_attack"]
_THREAT = PLACES["threat"]
_HANGING = PLACES["hanging"]
_PUSH = PLACES["push"]


def make_attacks(movement: Movement) -> tuple[Rule, Rule]:
    """Return ``king_attack`` and ``threats`` of (view, reach, …), see there."""
    diagonal_attacks, straight_attacks, knight_steps, _ = movement

    @helper
    def king_attack(view: View, reach: Reach, lesser: Any, every: Any, phase: int, trace: Any, row: int) -> Any:
        """Return what the attack on the other king is worth.

        Args:
            view: the board.
            reach: what the own pieces attack.
            lesser: what the other side's pieces but the king attack.
            every: what these and the king attack.
            phase: the phase of the game.
            trace: where the counts are written down, or None.
            row: in which row: 0 for the player to move, 1 for the other.
        """
        if reach.attackers < 2:
            return worth(_KING_ATTACK, 1, phase, trace, row)
        own, foe = view.own, view.foe
        occupied, safe = own | view.other, ~(own | every)
        straight, diagonal = straight_attacks(foe, occupied) & safe, diagonal_attacks(foe, occupied) & safe
        by_knight = np.int64(knight_steps[foe] & safe & reach.knights != _ZERO)
        by_bishop = np.int64(diagonal & reach.bishops != _ZERO)
        by_rook = np.int64(straight & reach.rooks != _ZERO)
        by_queen = np.int64((straight | diagonal) & reach.queens != _ZERO)
        weak = popcount(ZONE[foe] & reach.every & ~lesser)
        strength = reach.strength + weak + 2 * (by_knight + by_bishop) + 3 * (by_rook + by_queen)
        if own & view.diagonals & view.straights == _ZERO:
            strength >>= 1
        return worth(_KING_ATTACK + min(strength, MOST_ATTACK), 1, phase, trace, row)

    @helper
    def threats(view: View, reach: Reach, every: Any, phase: int, trace: Any, row: int) -> Any:
        """Return what the threats to the other side's pieces are worth.

        Args:
            view: the board.
            reach: what the own pieces attack.
            every: what the other side's pieces attack, with the king.
            phase: the phase of the game.
            trace: where the counts are written down, or None.
            row: in which row: 0 for the player to move, 1 for the other. Each has values of its own.
        """
        own, other, pawns, knights = view.own, view.other, view.pawns, view.knights
        diagonals, straights = view.diagonals, view.straights
        queens, by_pawns = diagonals & straights, pawn_attacks(own & pawns)
        minors, rooks = other & (knights | diagonals & ~queens), other & straights & ~queens
        foe_queens = other & queens
        by_minors = reach.knights | reach.bishops
        empty, others = ~(own | other), other & pawns
        by_foes = foe_pawn_attacks(others)
        place = _THREAT + 9 * row
        total = worth(place, popcount(by_pawns & minors), phase, trace, row)
        total += worth(place + 1, popcount(by_pawns & rooks), phase, trace, row)
        total += worth(place + 2, popcount(by_pawns & foe_queens), phase, trace, row)
        total += worth(place + 3, popcount(by_minors & rooks), phase, trace, row)
        total += worth(place + 4, popcount(by_minors & foe_queens), phase, trace, row)
        total += worth(place + 5, popcount(reach.rooks & foe_queens), phase, trace, row)
        total += worth(place + 6, popcount(by_minors & others & ~by_foes), phase, trace, row)
        total += worth(place + 7, popcount(by_minors & minors & ~by_foes), phase, trace, row)
        total += worth(place + 8, popcount(reach.rooks & (others | minors) & ~by_foes), phase, trace, row)
        place, loose = _HANGING + 3 * row, reach.every & ~every
        total += worth(place, popcount(loose & others), phase, trace, row)
        total += worth(place + 1, popcount(loose & minors), phase, trace, row)
        total += worth(place + 2, popcount(loose & (rooks | foe_queens)), phase, trace, row)
        ahead = own & pawns
        ahead = ahead << _ONE & empty & _NOT_LAST
        ahead |= (ahead & _THIRD) << _ONE & empty
        ahead &= ~by_foes & (reach.every | ~every)
        pushed = pawn_attacks(ahead) & ~by_pawns & (minors | rooks | foe_queens)
        return total + worth(_PUSH + row, popcount(pushed), phase, trace, row)

    return king_attack, threats
