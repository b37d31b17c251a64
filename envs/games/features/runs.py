"""Local features of moves in games of stones in a row, for linear policies: see `plyground.envs.definition.knowledge`.

A slot for each of the four directions has the runs of stones that the cell would touch on both sides: whose they are,
how long (three and more are alike), and whether the cell behind the run is free. One more tells how far the cell is
from the last move. In Connect Four there are two others in its place: who could complete four on the cell above, which
the move makes playable, and how far the column is from the nearer side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...definition.knowledge import Knowledge
from ...jit import helper

__all__ = ["column_knowledge", "grid_knowledge"]

_SIDE = 13  # what may be on one side: nothing, or a run of own or other stones of 1, 2 or 3, closed or open
_FAR = 6


@helper
def _both_sides(one: Any, other: Any) -> Any:
    """Return the number of a pair of sides, whichever is which."""
    return max(one, other) * _SIDE + min(one, other)


def grid_knowledge(rows: int, columns: int, place_of: NDArray[Any], steps: tuple[int, ...], first: int) -> Knowledge:
    """Return the local features for a board whose actions are its cells.

    Args:
        rows: cells in a column.
        columns: cells in a row.
        place_of: [actions] where each cell stands in the board of a state; a border stays 0.
        steps: from a place to the next in each direction.
        first: what a stone of the first player is on the board; of the second, its negative or another number.
    """
    cells = rows * columns
    directions = np.array(steps, np.int64)
    is_cell = np.zeros(int(place_of.max()) + max(steps) + 1, np.bool_)  # [places] that a run may end at
    is_cell[place_of] = True
    distances = _SIDE * _SIDE

    @helper
    def side(board: Any, place: Any, step: Any, is_second: bool) -> Any:
        stone = board[place + step]
        if stone == 0:
            return np.int64(0)
        run, place = 1, place + 2 * step
        while run < 3 and board[place] == stone:
            run, place = run + 1, place + step
        is_other = (stone == first) == is_second
        return np.int64(2 * run - 1) + np.int64(is_other) * 6 + np.int64(is_cell[place] and board[place] == 0)

    def local_features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
        count = 0
        is_second = state.ply & 1 == 1
        for action in range(cells):
            place = np.int64(place_of[action])
            if state.board[place] != 0:
                continue
            actions[count] = action
            for i in range(4):
                one = side(state.board, place, directions[i], is_second)
                features[count, i] = _both_sides(one, side(state.board, place, -directions[i], is_second))
            far = 0
            if last >= 0:
                dx, dy = abs(action % columns - last % columns), abs(action // columns - last // columns)
                far = min(max(dx, dy), _FAR)
            features[count, 4] = distances + far
            count += 1
        return count

    return Knowledge(local_features=local_features, slots=5, num_weights=distances + _FAR + 1)


def column_knowledge(rows: int, columns: int) -> Knowledge:
    """Return the local features of Connect Four, whose actions are columns of ``rows + 1`` bits."""
    height = rows + 1
    directions = np.array([1, height - 1, height, height + 1], np.int64)
    above = _SIDE * _SIDE
    place = above + 4

    @helper
    def has(stones: Any, bit: Any) -> bool:
        return 0 <= bit < columns * height and (stones >> np.uint64(bit)) & np.uint64(1) != np.uint64(0)

    @helper
    def side(mine: Any, theirs: Any, bit: Any, step: Any) -> Any:
        bit += step
        own, other = has(mine, bit), has(theirs, bit)
        if not own and not other:
            return np.int64(0)
        stones = mine if own else theirs
        run, bit = 1, bit + step
        while run < 3 and has(stones, bit):
            run, bit = run + 1, bit + step
        is_free = 0 <= bit < columns * height and bit % height < rows and not has(mine | theirs, bit)
        return np.int64(2 * run - 1) + np.int64(other) * 6 + np.int64(is_free)

    @helper
    def completes(stones: Any, bit: Any) -> bool:
        for step in directions:
            run = 0
            for sign in (-1, 1):
                at = bit + sign * step
                while run < 3 and has(stones, at):
                    run, at = run + 1, at + sign * step
            if run == 3:
                return True
        return False

    def local_features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
        taken, count = state.mine | state.theirs, 0
        for column in range(columns):
            row = 0
            while row < rows and has(taken, np.int64(column * height + row)):
                row += 1
            if row == rows:
                continue
            bit = np.int64(column * height + row)
            actions[count] = column
            for i in range(4):
                one = side(state.mine, state.theirs, bit, directions[i])
                features[count, i] = _both_sides(one, side(state.mine, state.theirs, bit, -directions[i]))
            threats = 0
            if row + 1 < rows:
                threats = np.int64(completes(state.mine, bit + 1)) + 2 * np.int64(completes(state.theirs, bit + 1))
            features[count, 4] = above + threats
            features[count, 5] = place + min(column, columns - 1 - column)
            count += 1
        return count

    return Knowledge(local_features=local_features, slots=6, num_weights=place + (columns + 1) // 2)
