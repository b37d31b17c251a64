"""What captures in chess are worth: what a move wins at once, and what is left of it after the recaptures.

The static exchange evaluation plays on one square, the least piece of either side first, for as long as it pays. Pins
do not count in it, a king captures only what nobody guards, and pawns that recapture on the last rank stay pawns. (D.
E. Slate and L. R. Atkin's Chess 4.5 has one, in "Chess Skill in Man and Machine", 1977.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import helper
from ...jit.bits import lowest
from ..features.chess import PAWN as PAWN_WORTH
from .attacks import diagonal_attacks, straight_attacks
from .legal import is_check
from .moves import BISHOP, KNIGHT, NUM_ACTIONS, PAWN, PLANES, PROMOTED, QUEEN, ROOK, STEPS
from .playing import turn_round
from .position import kind_at
from .squares import KING_STEPS, KNIGHT_STEPS, bit_of

__all__ = ["PAWN_WORTH", "WORTH", "exchange", "is_forced", "passed", "stakes"]

WORTH = np.zeros(16, np.int64)  # [kinds] in hundredths of a pawn; 0 for nothing, and for a king, who is never lost
WORTH[[PAWN, KNIGHT, BISHOP, ROOK, QUEEN]] = 100, 320, 330, 500, 900
_ZERO, _ONE, _7, _9 = (np.uint64(n) for n in (0, 1, 7, 9))
_SCALE = PAWN_WORTH / 100
_ORIGINS, _PLANES = np.divmod(np.arange(NUM_ACTIONS), PLANES)
_TARGETS = np.clip(_ORIGINS + STEPS[_PLANES], 0, 63).astype(np.uint8)  # [actions] where a move ends
_PROMOTES = (_ORIGINS % 8 == 6) & (_TARGETS % 8 == 7)  # [actions] whether it may be one of a pawn to the last rank


def is_forced(state: Any) -> bool:
    """Return whether the player to move is in check."""
    return is_check(state)


def passed(state: Any) -> bool:
    """Pass, but not in check, and not with pawns alone, where it is most often best to pass."""
    if state.own & (state.knights | state.diagonals | state.straights) == _ZERO or is_check(state):
        return False
    turn_round(state)
    state.en_passant = 0
    state.quiet += 1
    return True


@helper
def _prize(state: Any, origin: int, target: int, plane: int) -> Any:
    """Return what a move wins at once, and the worth of the piece that then stands on its target."""
    kind = 0 if origin == state.king else kind_at(state, origin)
    there = bit_of(target)
    gain, placed = np.int64(0), WORTH[kind]
    if state.other & there != _ZERO:  # what is there could be one's own rook, in Chess960
        gain = WORTH[kind_at(state, target)]
    if kind == PAWN:
        if target & 7 == 7:
            placed = WORTH[PROMOTED[plane]]
            gain += placed - WORTH[PAWN]
        elif target == state.en_passant:
            gain = WORTH[PAWN]
    return gain, placed


def stakes(state: Any, action: int) -> tuple[float, float]:
    """Return what a move wins at once, and, if that is anything, the worth of the piece that moves, once promoted."""
    target = np.int64(_TARGETS[action])
    if state.other & bit_of(target) == _ZERO and not _PROMOTES[action] and target != state.en_passant:
        return 0.0, 0.0
    origin, plane = action // PLANES, action % PLANES
    gain, placed = _prize(state, origin, target, plane)
    return gain * _SCALE, placed * _SCALE


@helper
def _attackers(state: Any, square: int, occupied: Any) -> Any:
    """Return the pieces of both sides that attack a square, where ``occupied`` stops sliding pieces."""
    here = bit_of(square)
    found = ((here >> _9) | (here << _7)) & state.own & state.pawns
    found |= ((here << _9) | (here >> _7)) & state.other & state.pawns
    found |= KNIGHT_STEPS[square] & state.knights
    found |= KING_STEPS[square] & (bit_of(np.int64(state.king)) | bit_of(np.int64(state.other_king)))
    found |= diagonal_attacks(square, occupied) & state.diagonals
    found |= straight_attacks(square, occupied) & state.straights
    return found & occupied


@helper
def _least(state: Any, pieces: Any) -> Any:
    """Return the kind of the least of some pieces, and those that are of it; 0 for a king."""
    sliders = state.diagonals & state.straights
    if pieces & state.pawns != _ZERO:
        return PAWN, pieces & state.pawns
    if pieces & state.knights != _ZERO:
        return KNIGHT, pieces & state.knights
    if pieces & state.diagonals & ~sliders != _ZERO:
        return BISHOP, pieces & state.diagonals & ~sliders
    if pieces & state.straights & ~sliders != _ZERO:
        return ROOK, pieces & state.straights & ~sliders
    if pieces & sliders != _ZERO:
        return QUEEN, pieces & sliders
    return 0, pieces


@helper
def wins(state: Any, action: int, least: int) -> bool:
    """Return whether a move and the exchange after it win at least so many hundredths of a pawn.

    Of the two sides, one is content with what has been won until now, and the other has to capture or give in. If the
    other is not content after its capture, the first may stop, and so has its way.
    """
    origin, plane = action // PLANES, action % PLANES
    target = origin + STEPS[plane]
    gain, standing = _prize(state, origin, target, plane)
    balance = gain - least
    if balance < 0:
        return False
    if balance >= standing or origin == state.king:
        return True
    occupied = ((state.own | state.other) & ~bit_of(origin)) | bit_of(target)
    if target == state.en_passant and state.pawns & bit_of(origin) != _ZERO:
        occupied &= ~bit_of(target - 1)
    is_content = True  # the player to move, who has moved
    attackers = _attackers(state, target, occupied) & ~bit_of(target)
    while True:
        pieces, others = attackers & state.other, attackers & state.own
        if not is_content:
            pieces, others = others, pieces
        if pieces == _ZERO:
            return is_content
        kind, least_pieces = _least(state, pieces)
        if kind == 0 and others != _ZERO:
            return is_content  # the king would be captured
        if is_content:
            balance -= standing
            if balance >= 0:
                return True
        else:
            balance += standing
            if balance < 0:
                return False
        is_content = not is_content
        standing = WORTH[kind]
        occupied &= ~bit_of(lowest(least_pieces))
        attackers = _attackers(state, target, occupied) & ~bit_of(target)


def exchange(state: Any, action: int, least: float) -> bool:
    """Return whether a move and the exchange after it win at least so much."""
    return wins(state, action, np.int64(np.floor(least / _SCALE + 0.5)))
