"""What a state of checkers holds, the keys by which positions are known, and what players see of them.

Boards are bitboards, see `squares`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.terms import Rule, state_dtype
from ..jit import helper
from .squares import BITS, CELLS

__all__ = ["STATE", "key", "planes_of", "repetition_key"]

# sides: the pieces of black, of white; jumper: the one in the middle of a jump; quiet: plies without jump or man's move
STATE = state_dtype(sides=("u8", (2,)), kings="u8", jumper="u8", turn="i1", quiet="u1")

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SEVEN_BITS = np.uint64(127)
_RANDOM = np.random.SeedSequence(1959).generate_state(3 * 5 * 128, np.uint64).reshape(3, 5, 128)
_MIX_JUMPER, _MIX_TURN, _MIX_QUIET = np.uint64(0x1B873593), np.uint64(0x9E3779B97F4A7C), np.uint64(0xBF58476D1CE4E5)
_GRID = np.array([(cell // 8, cell % 8, bit) for cell, bit in zip(CELLS, BITS, strict=True)], np.int64)


@helper
def repetition_key(state: Any) -> Any:
    # Tabulation hashing: a random number for each seven bits of a board (A. L. Zobrist, 1970, has one for each piece).
    value = (state.jumper * _MIX_JUMPER) ^ (np.uint64(state.turn) * _MIX_TURN)
    for chunk in range(5):
        shift = np.uint64(7 * chunk)
        value ^= _RANDOM[0, chunk, np.int64((state.sides[0] >> shift) & _SEVEN_BITS)]
        value ^= _RANDOM[1, chunk, np.int64((state.sides[1] >> shift) & _SEVEN_BITS)]
        value ^= _RANDOM[2, chunk, np.int64((state.kings >> shift) & _SEVEN_BITS)]
    return value


def key(state: Any) -> Any:
    # With the count: how near the draw is can decide a game, and a search must not mix up the two.
    return repetition_key(state) ^ (np.uint64(state.quiet) * _MIX_QUIET)


def planes_of(digits: int) -> tuple[Rule, Rule]:
    """Return the rules ``observe`` and ``decode``; the count of quiet plies is shown in binary ``digits``."""

    def observe(state: Any, player: int, planes: Any) -> None:
        own, other = state.sides[player], state.sides[1 - player]
        for row, column, index in _GRID:
            bit = np.uint64(index)
            king = 1 if (state.kings >> bit) & _ONE != _ZERO else 0
            planes[row, column, king] = (own >> bit) & _ONE
            planes[row, column, 2 + king] = (other >> bit) & _ONE
            planes[row, column, 4] = (state.jumper >> bit) & _ONE
        planes[:, :, 5] = player
        for digit in range(digits):
            planes[:, :, 6 + digit] = state.quiet >> digit & 1

    def decode(planes: Any, state: Any) -> None:
        rows, columns, bits = _GRID.T
        boards = (planes[rows, columns, :5] != 0).T @ (np.uint64(1) << bits.astype(np.uint64))  # [5]
        turn = int(planes[0, 0, 5] != 0)
        state.sides[turn], state.sides[1 - turn] = boards[0] | boards[1], boards[2] | boards[3]
        state.kings, state.jumper, state.turn = boards[1] | boards[3], boards[4], turn
        state.quiet = sum(1 << digit for digit in range(digits) if planes[0, 0, 6 + digit])

    return observe, decode
