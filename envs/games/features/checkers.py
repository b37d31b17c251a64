"""The evaluation of checkers.

Four features count what one side has more than the other:

===========  ===================================================================================================
material     Samuel's piece ratio: a king to a man as 3 to 2, by all pieces, which also favours exchanges for the
             side ahead
advance      men beyond the middle, by 12
back_row     men on their own first row, which deny the other side kings, by 4
king_centre  kings on the eight squares in the middle, from where they reach most, by 8
===========  ===================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...definition.terms import Rule
from ...jit.bits import popcount

__all__ = ["WEIGHTS", "make_features"]

WEIGHTS = {"material": 0.8, "advance": 0.03, "back_row": 0.015, "king_centre": 0.1}

_CENTRE = (10, 11, 14, 15, 18, 19, 22, 23)  # the numbers of the eight squares in the middle


def make_features(bits: Sequence[int]) -> Rule:
    """Return the rule ``features``.

    Args:
        bits: [32] the bit of each square, from square 1 on.
    """

    def board_of(squares: Sequence[int]) -> int:
        return sum(1 << bit for bit in squares)

    first_row = np.array([board_of(bits[:4]), board_of(bits[-4:])], np.uint64)  # black's, white's
    far_half = np.array([board_of(bits[16:]), board_of(bits[:16])], np.uint64)  # for black, for white
    centre = np.uint64(board_of([bits[number - 1] for number in _CENTRE]))

    def features(state: Any, player: int) -> tuple[float, ...]:
        own, other = state.sides[player], state.sides[1 - player]
        own_men, other_men = own & ~state.kings, other & ~state.kings
        own_kings, other_kings = own & state.kings, other & state.kings
        own_worth = 2 * popcount(own_men) + 3 * popcount(own_kings)
        other_worth = 2 * popcount(other_men) + 3 * popcount(other_kings)
        beyond = popcount(own_men & far_half[player]) - popcount(other_men & far_half[1 - player])
        at_home = popcount(own_men & first_row[player]) - popcount(other_men & first_row[1 - player])
        central = popcount(own_kings & centre) - popcount(other_kings & centre)
        return (own_worth - other_worth) / (own_worth + other_worth), beyond / 12.0, at_home / 4.0, central / 8.0

    return features
