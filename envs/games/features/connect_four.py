"""The evaluation of Connect Four.

Six features count what one side has more than the other. What is divided by less than all there could be ends at ±1:

==============  ================================================================================================
ones            lines of four with one stone of this side and none of the other, by all lines
twos            such lines with two stones, by half of all lines
threes          such lines with three stones, by a quarter of all lines
centre          stones in the middle columns, by the cells there
parity_threats  cells that would complete four and cannot be taken yet, by 5; in odd rows for the first player and
                in even rows for the second, who get them in the end (L. V. Allis, "A knowledge-based approach of
                connect-four", 1988)
winning_move    1 if the player to move can complete four; -1 if not, and the other has two ways to
==============  ================================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.evaluation import lead
from ...definition.terms import Rule
from ...jit import helper
from ...jit.bits import popcount

__all__ = ["WEIGHTS", "make_features"]

WEIGHTS = {
    "ones": 0.14,
    "twos": 0.25,
    "threes": 0.14,
    "centre": 0.04,
    "parity_threats": 0.16,
    "winning_move": 0.18,
}

_ZERO = np.uint64(0)


def make_features(bits: Any, steps: Any) -> Rule:
    """Return the rule ``features`` for a board.

    Args:
        bits: uint64 [rows, columns] the bit of each cell, the top row first.
        steps: uint64 [4] from the bit of a cell to those up, right and down, right, right and up.
    """
    rows, columns = bits.shape
    board = np.uint64(sum(1 << int(bit) for bit in bits.flat))
    bottom = np.uint64(sum(1 << int(bit) for bit in bits[-1]))
    odd = np.uint64(sum(1 << int(bit) for bit in bits[::-2].flat))  # the rows, counted from 1 at the bottom
    even = board & ~odd
    middle = bits[:, (columns - 1) // 2 : columns // 2 + 1]  # one column, or two
    centre, size_of_centre = np.uint64(sum(1 << int(bit) for bit in middle.flat)), middle.size
    # The lowest cells of the lines in each direction.
    starts = np.array([board & (board >> s) & (board >> (s + s)) & (board >> (s + s + s)) for s in steps], np.uint64)
    count = rows * (columns - 3) + (rows - 3) * columns + 2 * (rows - 3) * (columns - 3)  # all lines of four

    @helper
    def stones_in_lines(stones: Any, direction: int) -> tuple[Any, Any]:
        """Return the lines with 1 or 3 ``stones``, and those with 2 or 3, by their lowest cells; 4 would be a win."""
        step, start = steps[direction], starts[direction]
        step_2 = step + step
        # Add the cells of each line, bit by bit: first two neighbours, then two such pairs.
        single, pair = stones ^ (stones >> step), stones & (stones >> step)
        ones = single ^ (single >> step_2)
        twos = pair ^ (pair >> step_2) ^ (single & (single >> step_2))
        return ones & start, twos & start

    @helper
    def cells_in_lines(lines: Any, direction: int) -> Any:
        step = steps[direction]
        pairs = lines | (lines << step)
        return pairs | (pairs << (step + step))

    @helper
    def open_lines(own: Any, other: Any) -> tuple[int, int, int, Any, Any]:
        """Count the lines of four with stones of one side only, all lines of a direction at once.

        Returns:
            How many more ``own`` has of those with one stone, two, and three, and the empty cells that would fill one
            of the last, for ``own`` and for ``other``.
        """
        one, two, three, own_cells, other_cells = 0, 0, 0, _ZERO, _ZERO
        for direction in range(4):
            ones, twos = stones_in_lines(own, direction)
            their_ones, their_twos = stones_in_lines(other, direction)
            open_to_own, open_to_other = ~(their_ones | their_twos), ~(ones | twos)
            one += popcount(ones & ~twos & open_to_own) - popcount(their_ones & ~their_twos & open_to_other)
            two += popcount(twos & ~ones & open_to_own) - popcount(their_twos & ~their_ones & open_to_other)
            threes, their_threes = ones & twos & open_to_own, their_ones & their_twos & open_to_other
            three += popcount(threes) - popcount(their_threes)
            own_cells |= cells_in_lines(threes, direction)
            other_cells |= cells_in_lines(their_threes, direction)
        empty = board & ~(own | other)
        return one, two, three, own_cells & empty, other_cells & empty

    def features(state: Any, player: int) -> tuple[float, ...]:
        to_move = player == state.ply & 1
        own, other = (state.mine, state.theirs) if to_move else (state.theirs, state.mine)
        one, two, three, own_threats, other_threats = open_lines(own, other)
        landings = ((own | other) + bottom) & board
        wins, losses = own_threats & landings, other_threats & landings
        if not to_move:
            wins, losses = losses, wins
        win, two_losses = np.int64(wins != _ZERO), np.int64(popcount(losses) > 1)
        move = win - two_losses * (1 - win)  # without a jump, which would often be foretold wrongly
        # What a player gets by waiting: the first the odd rows, the second the even ones.
        own_rows, other_rows = (odd, even) if player == 0 else (even, odd)
        late, other_late = own_threats & own_rows & ~landings, other_threats & other_rows & ~landings
        return (
            lead(one, 0, count),
            lead(two, 0, count / 2),
            lead(three, 0, count / 4),
            lead(popcount(own & centre), popcount(other & centre), size_of_centre),
            lead(popcount(late), popcount(other_late), 5.0),
            np.float64(move if to_move else -move),
        )

    return features
