"""What a player of chess sees: planes of 8x8 squares, as ``pettingzoo.classic.chess_v6`` numbers them.

The first row is the last rank as the observer sees it, so black's board is turned upside down, and files stay.

=========  ====================================================================================================
0 to 3     ones if one may castle on the right, on the left; and so for the other side
4          ones for black
5          a one at the half of the plies since the last capture or move of a pawn, counted in rows from the
           observer's bottom left, in ``classic`` from white's; 63 stands for all that are more
6          ones
7 to 12    own pawns, knights, bishops, rooks, queens, king
13 to 18   those of the other side
19         ones if the position has been on the board before: environments know, where repetition draws
20 to 110  the seven boards before, as in 7 to 19
=========  ====================================================================================================

A pawn that can be captured en passant is shown on its own first rank instead of where it stands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from .position import piece_key
from .squares import flipped

__all__ = ["FIRST_BOARD", "FRAMES", "PLANES_OF_BOARD", "REPEATED", "SHAPE", "SWAP", "make_decode", "make_observe"]

FIRST_BOARD, PLANES_OF_BOARD, FRAMES = 7, 13, 8
REPEATED = FIRST_BOARD + 12
SHAPE = (8, 8, FIRST_BOARD + PLANES_OF_BOARD * FRAMES)
SWAP = (6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 12)  # the planes of a board, as the other side has them
_MOST = 63  # the last square of the clock
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@helper
def _draw(planes: Any, channel: int, bits: Any) -> None:
    """Write a bitboard into a channel."""
    for row in range(8):
        for file in range(8):
            planes[row, file, channel] = (bits >> np.uint64(8 * file + 7 - row)) & _ONE


def make_observe(classic: bool) -> Rule:
    """Return the rule ``observe``.

    Args:
        classic: whether the clock of black is upside down, and the initial position is not shown.
    """

    def observe(state: Any, player: int, planes: Any) -> None:
        turned = player != state.turn
        pawns, knights, diagonal, straight = state.pawns, state.knights, state.diagonals, state.straights
        for side in range(2):
            mine = (side == 0) != turned  # whether these pieces are the mover's
            pieces = state.own if mine else state.other
            king = _ONE << np.uint64(state.king if mine else state.other_king)
            castling = np.int64(state.castling if mine else state.other_castling)
            seen = pieces & pawns
            if not mine and state.en_passant != 0:  # from its fourth rank to its first
                stands = _ONE << np.uint64(np.int64(state.en_passant) - 1)
                seen = (seen ^ stands) | stands << np.uint64(3)
            boards = (
                seen,
                pieces & knights,
                pieces & diagonal & ~straight,
                pieces & straight & ~diagonal,
                pieces & straight & diagonal,
                king,
            )
            for kind in range(6):
                bits = flipped(boards[kind]) if turned else boards[kind]
                _draw(planes, FIRST_BOARD + 6 * side + kind, _ZERO if classic and state.moved == 0 else bits)
            planes[:, :, 2 * side] = castling >> 4 != 0
            planes[:, :, 2 * side + 1] = castling & 15 != 0
        half = min(np.int64(state.quiet) // 2, _MOST)
        planes[:, :, 4] = player
        planes[:, :, 5] = 0
        planes[half // 8 if classic and player == 1 else 7 - half // 8, half % 8, 5] = 1
        planes[:, :, 6] = 1
        planes[:, :, REPEATED] = 0

    return observe


def make_decode(classic: bool, setup: Rule) -> Rule:
    """Return the rule ``decode``. Which of two plies the clock has counted is not seen: it takes the lower number."""

    def board(planes: Any) -> int:
        rows, files = np.nonzero(planes)
        return sum(1 << (8 * int(file) + 7 - int(row)) for row, file in zip(rows, files, strict=True))

    def decode(planes: Any, state: Any) -> None:
        seen = planes != 0
        if classic and not seen[..., FIRST_BOARD : FIRST_BOARD + 12].any():  # nothing has moved
            setup(state)
            return
        state.turn = int(seen[0, 0, 4])
        own, other = ([board(seen[:, :, FIRST_BOARD + 6 * side + kind]) for kind in range(6)] for side in (0, 1))
        if len({bin(kings).count("1") for kings in (own[5], other[5])} ^ {1}):
            raise ValueError("each side has one king")
        last = 0x8080808080808080
        if other[0] & last:  # a pawn that can be captured en passant
            passed = (other[0] & last).bit_length() - 1
            state.en_passant = passed - 2
            other[0] ^= 1 << passed | 1 << (passed - 3)
        for side, kinds in enumerate((own, other)):
            state["own" if side == 0 else "other"] = sum(kinds)
            king = kinds[5].bit_length() - 1
            state["king" if side == 0 else "other_king"] = king
            # Of rooks that may castle, an observation tells the side only: take the outermost one.
            rank = sum(1 << (8 * file + 7 * side) for file in range(8))
            rooks = kinds[3] & rank
            files = [file for file in range(8) if rooks >> (8 * file + 7 * side) & 1]
            right, left = bool(seen[0, 0, 2 * side]), bool(seen[0, 0, 2 * side + 1])
            if (right or left) and not files:
                raise ValueError("there is no rook to castle with")
            rights = (files[0] + 1) * left + 16 * (files[-1] + 1) * right if files else 0
            state["castling" if side == 0 else "other_castling"] = rights
        both = [a | b for a, b in zip(own, other, strict=True)]
        state.pawns, state.knights = both[0], both[1]
        state.diagonals, state.straights = both[2] | both[4], both[3] | both[4]
        rows, files = np.nonzero(seen[:, :, 5])
        if len(rows) != 1:
            raise ValueError("the clock has one mark")
        row = int(rows[0])
        state.quiet = 2 * (8 * (row if classic and state.turn == 1 else 7 - row) + int(files[0]))
        state.moved = int(classic)
        state.hash = piece_key(state)

    return decode
