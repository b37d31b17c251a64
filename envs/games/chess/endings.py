"""Endings of chess, for their solver: when a game is over whatever was counted, and positions that are images.

Without castling rights the left and the right of the board are alike. Without pawns the board has all eight images of a
square, since pieces then move in all directions alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import helper
from ...jit.bits import lowest, scattered
from .listing import can_move
from .moves import KING
from .position import FILE_KEYS, PIECE_KEYS, TURN_KEY, is_dead, kind_at

__all__ = ["image_key", "is_over"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FILE, _RANK = np.divmod(np.arange(64), 8)
# [images, squares] where an image has a square: first the board itself and its reflection, which pawns permit
_IMAGES = np.array(
    [8 * x + y for file, rank in ((_FILE, _RANK), (_RANK, _FILE)) for y in (rank, 7 - rank) for x in (file, 7 - file)]
)


def is_over(state: Any) -> bool:
    """Return whether the game is over without the count of quiet plies."""
    return is_dead(state) or not can_move(state)


@helper
def _key_of(state: Any, image: int) -> Any:
    """Return a key of an image of the position, without its castling rights."""
    value, turn = _ZERO, np.int64(state.turn)
    for side in range(2):
        pieces, king = (state.own, state.king) if side == 0 else (state.other, state.other_king)
        colour = turn if side == 0 else 1 - turn
        while pieces != _ZERO:
            square = lowest(pieces)
            kind = KING if square == king else kind_at(state, square)
            value ^= PIECE_KEYS[colour, kind, _IMAGES[image, square ^ 7 * turn]]
            pieces &= pieces - _ONE
    if turn == 1:
        value ^= TURN_KEY
    if state.en_passant != 0:
        value ^= FILE_KEYS[_IMAGES[image, np.int64(state.en_passant)] >> 3]
    return value


def image_key(state: Any) -> Any:
    """Return a key that is the same for a position and those of its images that are played alike."""
    if state.castling != 0 or state.other_castling != 0:
        rights = np.uint64(state.castling) << np.uint64(8) | np.uint64(state.other_castling)
        return _key_of(state, 0) ^ scattered(rights)
    least = _key_of(state, 0)
    for image in range(1, 2 if state.pawns != _ZERO else 8):
        value = _key_of(state, image)
        if value < least:
            least = value
    return least
