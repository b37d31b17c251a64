"""What sliding pieces attack, by obstruction difference, and whether a square is attacked.

On a line through a square, the squares below it and those above are two masks. The highest piece below and all of the
pieces above are subtracted as numbers, which leaves the squares from the one piece to the other: both directions of the
line at once (M. Bosch-Vivancos, "Obstruction Difference", as the chess programming wiki describes it). The tables take
4 KB. ``benchmarks/speed/chess_sliding.py`` has what else was measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import helper
from ...jit.bits import highest, lowest
from .squares import DIRECTIONS, KING_STEPS, KNIGHT_STEPS, RAYS, bit_of

__all__ = ["attacked_squares", "diagonal_attacks", "is_attacked", "straight_attacks"]

_ZERO, _ONE, _7, _9, _TOP = (np.uint64(n) for n in (0, 1, 7, 9, 1 << 63))
# [squares, lines, 2] what lies below a square on a line, and what above; the first two lines are straight.
_ALONG = [DIRECTIONS.index(up) for up in ((0, 1), (1, 0), (1, 1), (1, -1))]
_LINES = np.array([[(RAYS[square, 7 - up], RAYS[square, up]) for up in _ALONG] for square in range(64)], np.uint64)


@helper
def _line_attacks(square: int, line: int, occupied: Any) -> Any:
    below, above = _LINES[square, line, 0], _LINES[square, line, 1]
    upper = (occupied & above) | _TOP  # there is always a bit to subtract from
    lower = bit_of(highest((occupied & below) | _ONE))
    return (upper ^ (upper - lower)) & (below | above)


@helper
def straight_attacks(square: int, occupied: Any) -> Any:
    """Return what a rook on ``square`` attacks, its own side's pieces included."""
    return _line_attacks(square, 0, occupied) | _line_attacks(square, 1, occupied)


@helper
def diagonal_attacks(square: int, occupied: Any) -> Any:
    """Return what a bishop on ``square`` attacks, its own side's pieces included."""
    return _line_attacks(square, 2, occupied) | _line_attacks(square, 3, occupied)


@helper
def is_attacked(state: Any, square: int, occupied: Any, other: Any) -> bool:
    """Return whether the pieces ``other`` of the other side, but for their king, attack a square.

    Args:
        state: the state.
        square: the square.
        occupied: the squares that stop sliding pieces.
        other: the pieces that attack.
    """
    here = bit_of(square)
    if ((here << _9) | (here >> _7)) & other & state.pawns | KNIGHT_STEPS[square] & other & state.knights != _ZERO:
        return True
    if diagonal_attacks(square, occupied) & other & state.diagonals != _ZERO:
        return True
    return straight_attacks(square, occupied) & other & state.straights != _ZERO


@helper
def attacked_squares(state: Any, occupied: Any) -> Any:
    """Return what the other side attacks, where ``occupied`` stops sliding pieces."""
    other = state.other
    pawns = other & state.pawns
    attacked = (pawns << _7) | (pawns >> _9) | KING_STEPS[state.other_king]
    pieces = other & state.knights
    while pieces != _ZERO:
        attacked |= KNIGHT_STEPS[lowest(pieces)]
        pieces &= pieces - _ONE
    pieces = other & state.diagonals
    while pieces != _ZERO:
        attacked |= diagonal_attacks(lowest(pieces), occupied)
        pieces &= pieces - _ONE
    pieces = other & state.straights
    while pieces != _ZERO:
        attacked |= straight_attacks(lowest(pieces), occupied)
        pieces &= pieces - _ONE
    return attacked
