"""Where pieces of chess may legally go, found directly: what ends a check and where pinned pieces may go are masks.

Only a capture en passant, which takes two pieces off a rank at once, is tried out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import helper
from ...jit.bits import lowest
from .attacks import attacked_squares, diagonal_attacks, is_attacked, straight_attacks
from .squares import DIRECTION, DIRECTIONS, KING_STEPS, KNIGHT_STEPS, RANKS, RAYS, bit_of

__all__ = ["can_take_en_passant", "castling_square", "is_check", "king_targets", "restrictions", "targets_of"]

_ZERO, _ONE, _7, _9 = (np.uint64(n) for n in (0, 1, 7, 9))
_ALL = np.uint64(2**64 - 1)
_FIRST, _THIRD = RANKS[0], RANKS[2]
_STRAIGHT, _DIAGONAL = (  # [squares] what a rook or a bishop reaches on an empty board
    np.bitwise_or.reduce([RAYS[:, number] for number, (x, y) in enumerate(DIRECTIONS) if (x * y == 0) == straight])
    for straight in (True, False)
)


@helper
def _between(first: int, second: int) -> Any:
    """Return the squares between two that share a line."""
    direction = DIRECTION[first, second]
    return RAYS[first, direction] ^ RAYS[second, direction] ^ bit_of(second)


@helper
def restrictions(state: Any) -> Any:
    """Return where pieces other than the king may go for the sake of the king, and which of them are pinned to him.

    Returns:
        The checkers; the squares on which a piece ends all checks: all, if there is none; the own pieces that alone
        stand between the king and a sliding piece.
    """
    king, other = np.int64(state.king), state.other
    occupied = state.own | other
    here = bit_of(king)
    checkers = ((here << _9) | (here >> _7)) & other & state.pawns | KNIGHT_STEPS[king] & other & state.knights
    ends, pinned = checkers, _ZERO
    snipers = other & ((_STRAIGHT[king] & state.straights) | (_DIAGONAL[king] & state.diagonals))
    while snipers != _ZERO:
        sniper = lowest(snipers)
        line = _between(king, sniper)
        blockers = line & occupied
        if blockers == _ZERO:
            checkers |= bit_of(sniper)
            ends |= line | bit_of(sniper)
        elif blockers & (blockers - _ONE) == _ZERO:
            pinned |= blockers & state.own
        snipers &= snipers - _ONE
    if checkers == _ZERO:
        ends = _ALL
    elif checkers & (checkers - _ONE) != _ZERO:
        ends = _ZERO  # of two checks, only the king gets out
    return checkers, ends, pinned


@helper
def is_check(state: Any) -> bool:
    """Return whether the player to move is in check."""
    return is_attacked(state, np.int64(state.king), state.own | state.other, state.other)


@helper
def _is_safe_en_passant(state: Any, origin: int) -> bool:
    """Return whether the king is not attacked after the pawn on ``origin`` has captured en passant."""
    target = np.int64(state.en_passant)
    victim = bit_of(target - 1)
    occupied = (state.own | state.other) ^ bit_of(origin) ^ victim ^ bit_of(target)
    return not is_attacked(state, np.int64(state.king), occupied, state.other ^ victim)


@helper
def _takers(state: Any) -> Any:
    """Return the pawns beside the one that can be captured en passant."""
    target = bit_of(np.int64(state.en_passant))
    return ((target >> _9) | (target << _7)) & state.own & state.pawns


@helper
def can_take_en_passant(state: Any) -> bool:
    """Return whether a pawn may legally capture on the square ``en_passant``, where there is one."""
    pawns = _takers(state)
    while pawns != _ZERO:
        if _is_safe_en_passant(state, lowest(pawns)):
            return True
        pawns &= pawns - _ONE
    return False


@helper
def castling_square(castling: int, side: int) -> int:
    """Return the square of the rook that may castle on the left (0) or the right (1), or -1."""
    return 8 * ((np.int64(castling) >> 4 * side & 15) - 1) if castling >> 4 * side & 15 else -1


@helper
def _span(first: int, second: int) -> Any:
    """Return the squares of the first rank from one to the other."""
    low, high = min(first, second), max(first, second)
    return _FIRST & ((_ONE << np.uint64(high + 1)) - (_ONE << np.uint64(low)))


@helper
def _may_castle(state: Any, side: int, attacked: Any) -> bool:
    """Return whether the king, who is not in check, may castle on a side."""
    rook = castling_square(state.castling, side)
    if rook < 0:
        return False
    king = np.int64(state.king)
    king_to, rook_to = (48, 40) if side == 1 else (16, 24)
    occupied = state.own | state.other
    without = occupied & ~(bit_of(king) | bit_of(rook))
    if (_span(king, king_to) | _span(rook, rook_to)) & without != _ZERO or _span(king, king_to) & attacked != _ZERO:
        return False
    # In Chess960 the rook may have stood between the king's new square and a piece on the first rank.
    return straight_attacks(king_to, without | bit_of(rook_to)) & state.other & state.straights == _ZERO


@helper
def targets_of(state: Any, origin: int, ends: Any, pinned: Any) -> Any:
    """Return where a piece other than the king may go; ``ends`` and ``pinned`` are from `restrictions`."""
    here, occupied = bit_of(origin), state.own | state.other
    if here & state.pawns != _ZERO:
        step = here << _ONE & ~occupied
        sides = (here << _9) | (here >> _7)
        targets = step | ((step & _THIRD) << _ONE & ~occupied) | (sides & state.other)
    elif here & state.knights != _ZERO:
        targets, sides = KNIGHT_STEPS[origin] & ~state.own, _ZERO
    else:
        targets, sides = _ZERO, _ZERO
        if here & state.diagonals != _ZERO:
            targets = diagonal_attacks(origin, occupied)
        if here & state.straights != _ZERO:
            targets |= straight_attacks(origin, occupied)
        targets &= ~state.own
    targets &= ends
    if here & pinned != _ZERO:
        king = np.int64(state.king)
        targets &= RAYS[king, DIRECTION[king, origin]]
    if state.en_passant != 0:
        passed = bit_of(np.int64(state.en_passant))
        if sides & passed != _ZERO and _is_safe_en_passant(state, origin):
            targets |= passed
    return targets


@helper
def king_targets(state: Any, checkers: Any) -> Any:
    """Return where the king may go, and which castlings he may play: 1 for the left, 2 for the right."""
    steps = KING_STEPS[state.king] & ~state.own
    castlings = 0
    if steps != _ZERO or state.castling != 0:
        attacked = attacked_squares(state, (state.own | state.other) ^ bit_of(np.int64(state.king)))
        steps &= ~attacked
        if state.castling != 0 and checkers == _ZERO:
            castlings = 1 * _may_castle(state, 0, attacked) + 2 * _may_castle(state, 1, attacked)
    return steps, castlings
