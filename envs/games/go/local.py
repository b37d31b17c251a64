"""Local features of moves in Go, for linear policies of rollouts: see `plyground.envs.definition.knowledge`.

=====  ======================================================================================
slot   what it says of a move
=====  ======================================================================================
0      the 3x3 pattern around it, the same for its eight images and with the colours swapped
1      the same pattern if the move touches the last one, else a weight of its own
2      how far it is from the last move, 0 where that is not known
3      how far it is from the move before
4      whether it takes a chain, saves one from atari, gives atari, or is in atari itself
5      its line, counted from the edge
=====  ======================================================================================

Distances are dx + dy + max(dx, dy), as in R. Coulom, "Computing Elo ratings of move patterns in the game of Go", ICGA
Journal 30 (2007). The candidates are the legal moves that fill no eye; a pass where there is none. AlphaGo's fast
policy (D. Silver et al., Nature 529 (2016), extended data table 4) had the same kinds of features, and nakade.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...definition.terms import Rule
from ...jit import helper
from ..points import BLACK, BORDER, WHITE, points
from .liberties import liberties
from .patterns import SURROUNDINGS, surroundings
from .tactics import tactics

__all__ = ["LocalFeatures", "go_local"]

_FAR = 12  # distances from here on are alike
_LINES = 5


class LocalFeatures(NamedTuple):
    """What `go_local` makes, as `Knowledge` has it."""

    local_features: Rule
    slots: int
    num_weights: int


@cache
def pattern_numbers() -> tuple[NDArray[np.uint16], int]:
    """Return [2, SURROUNDINGS] the number of a pattern as each colour sees it, and how many numbers there are.

    Surroundings that no board has are number 0.
    """
    codes = np.arange(SURROUNDINGS)
    kinds = (codes[:, None] >> 2 * np.arange(8)) & 3
    # The cells go round from the top left as 4 0 5 2 7 3 6 1.
    ring = kinds[:, [4, 0, 5, 2, 7, 3, 6, 1]]
    edges = ring == BORDER
    sides = [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}, {6, 7, 0}]
    borders = {frozenset[int]().union(*some) for count in range(5) for some in combinations(sides, count)}
    masks = {sum(1 << i for i in border) for border in borders}
    exists = np.isin(edges @ (1 << np.arange(8)), sorted(masks))
    images = [
        np.roll(order, 2 * turn, axis=1) for order in (ring, ring[:, [2, 1, 0, 7, 6, 5, 4, 3]]) for turn in range(4)
    ]
    smallest = np.min([image @ (4 ** np.arange(8)) for image in images], axis=0)
    smallest[~exists] = -1
    _, numbers = np.unique(smallest, return_inverse=True)
    swap = np.arange(4)
    swap[[BLACK, WHITE]] = WHITE, BLACK
    swapped = (swap[kinds] << 2 * np.arange(8)).sum(axis=1)
    both = np.stack((numbers.ravel(), numbers.ravel()[swapped])).astype(np.uint16)
    return both, int(both.max()) + 1


@cache
def go_local(board_size: int) -> LocalFeatures:
    """Return the features for a board of ``board_size`` points a side."""
    num_points, _, _, point_of, _, _, _ = points(board_size)
    is_legal, is_eye = liberties(board_size).is_legal, liberties(board_size).is_eye
    _, gives_atari, is_capture, is_saving, is_self_atari = tactics(board_size)
    surroundings_of = surroundings(board_size)
    numbers, patterns = pattern_numbers()
    # The first weight of each slot, and the end.
    response, to_last, to_before, danger, line, end = np.cumsum(
        [patterns, patterns + 1, _FAR + 1, _FAR + 1, 16, _LINES + 1]
    )

    @helper
    def distance(action: Any, other: Any) -> Any:
        if not 0 <= other < num_points:
            return np.int64(0)
        dx = abs(action % board_size - other % board_size)
        dy = abs(action // board_size - other // board_size)
        return min(np.int64(dx + dy + max(dx, dy)), np.int64(_FAR))

    @helper
    def describe(state: Any, action: Any, cell: Any, own: int, last: Any, before: Any, row: Any) -> None:
        pattern = np.int64(numbers[own - 1, surroundings_of(state, cell)])
        far = distance(action, last)
        row[0] = pattern
        row[1] = response + (1 + pattern if 0 < far <= 3 else 0)
        row[2] = to_last + far
        row[3] = to_before + distance(action, before)
        signs = np.int64(is_capture(state, cell, own))
        signs += 2 * np.int64(is_saving(state, cell, own))
        signs += 4 * np.int64(gives_atari(state, cell, own))
        signs += 8 * np.int64(is_self_atari(state, cell, own))
        row[4] = danger + signs
        y, x = action // board_size, action % board_size
        row[5] = line + min(min(min(y, x), min(board_size - 1 - y, board_size - 1 - x)), _LINES - 1)

    def local_features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
        own = state.turn + 1
        count = 0
        for i in range(state.empties):
            cell = np.int64(state.empty[i])
            if not is_eye(state, cell, own) and is_legal(state, cell, own):
                action = np.int64(point_of[cell])
                actions[count] = action
                describe(state, action, cell, own, np.int64(last), np.int64(before), features[count])
                count += 1
        if count == 0:
            actions[0] = num_points
            features[0, 0], features[0, 1], features[0, 2] = 0, response, to_last
            features[0, 3], features[0, 4], features[0, 5] = to_before, danger, line + _LINES
            count = 1
        return count

    return LocalFeatures(local_features, 6, int(end))
