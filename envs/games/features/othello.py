"""The evaluation of Othello.

Seven features count what one side has more than the other, most of them Rosenbloom's or near to his. What is divided by
less than all there could be ends at ±1:

===========  ===================================================================================================
mobility     legal moves, by all of both sides and 2 more (the formula of P. Norvig, Paradigms of Artificial
             Intelligence Programming, 1992, section 18.12)
frontier     discs next to an empty cell, by all such discs and 2 more; fewer are better, for they give the other
             side moves
corners      corners, by 2
stability    discs on the edges in an unbroken row from a corner of their colour, which no move can turn, by 8;
             corners count here too
x_squares    discs diagonally next to an empty corner, by 2; fewer are better, for they give the corner away
c_squares    discs on an edge next to an empty corner, by 4; fewer are better
discs        discs, by a quarter of the cells
===========  ===================================================================================================

(P. S. Rosenbloom, "A world-championship-level Othello program", Artificial Intelligence 19, 1982.) The weights started
as those of a logistic regression of results on features, over games of the search against itself, and matches decided
between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.evaluation import lead
from ...definition.terms import Rule
from ...jit import helper
from ...jit.bits import popcount
from ...jit.runs import run_down, run_up

__all__ = ["WEIGHTS", "make_features"]

WEIGHTS = {
    "mobility": 0.22,
    "frontier": 0.18,
    "corners": 0.19,
    "stability": 0.12,
    "x_squares": 0.16,
    "c_squares": 0.05,
    "discs": 0.02,
}

_ZERO = np.uint64(0)


def make_features(grid: Any, steps: Any, placements: Rule) -> Rule:
    """Return the rule ``features`` for a board.

    Args:
        grid: int [size, size] the bit of each cell.
        steps: uint64 [4] from the bit of a cell to those on the right, down left, down, down right.
        placements: ``placements(own, other)`` returns the cells where ``own`` may place a disc.
    """

    def board_of(some: Any) -> Any:
        return np.uint64(sum(1 << int(cell) for cell in some.flat))

    size = len(grid)
    board, cells = board_of(grid), grid.size
    corners = board_of(grid[:: size - 1, :: size - 1])
    x_squares = board_of(grid[1 : -1 : size - 3, 1 : -1 : size - 3])
    top, bottom, left, right = map(board_of, (grid[0], grid[-1], grid[:, 0], grid[:, -1]))

    @helper
    def next_to(some: Any) -> Any:
        """Return the cells next to ``some`` in any of the eight directions, and perhaps some of these themselves."""
        row = some | ((some & ~right) << steps[0]) | ((some & ~left) >> steps[0])
        return row | (row << steps[2]) | (row >> steps[2])

    @helper
    def anchored(own: Any) -> Any:
        """Return the discs of ``own`` on the edges that no move can turn: from a corner on, in an unbroken row."""
        held = own & corners
        if held == _ZERO:
            return held
        across, down = own & (top | bottom), own & (left | right)
        found = held | run_up(held, across, steps[0]) | run_down(held, across, steps[0])
        return found | run_up(held, down, steps[2]) | run_down(held, down, steps[2])

    def features(state: Any, player: int) -> tuple[float, ...]:
        mine, theirs = state.mine, state.theirs
        own, other = popcount(state.moves), popcount(placements(theirs, mine))
        mobility = (own - other) / (own + other + 2.0)
        empty = board & ~(mine | theirs)
        exposed = next_to(empty)
        own, other = popcount(mine & exposed), popcount(theirs & exposed)
        frontier = (other - own) / (own + other + 2.0)
        own_corners, other_corners = popcount(mine & corners), popcount(theirs & corners)
        own_stable, other_stable = popcount(anchored(mine)), popcount(anchored(theirs))
        risky = next_to(empty & corners)
        own_x, other_x = popcount(mine & risky & x_squares), popcount(theirs & risky & x_squares)
        own_c, other_c = popcount(mine & risky & ~x_squares), popcount(theirs & risky & ~x_squares)
        sign = 1.0 if player == state.turn else -1.0
        return (
            sign * mobility,
            sign * frontier,
            lead(sign * own_corners, sign * other_corners, 2.0),
            lead(sign * own_stable, sign * other_stable, 8.0),
            lead(sign * other_x, sign * own_x, 2.0),
            lead(sign * other_c, sign * own_c, 4.0),
            lead(sign * popcount(mine), sign * popcount(theirs), cells / 4),
        )

    return features
