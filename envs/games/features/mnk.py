"""The evaluation of stones in a row: m,n,k games and gomoku.

Features count what one side has more than the other of lines of k cells that the other side has no stone in, by the
stones already there: a feature for each number from k - 1 down to k - 4, as fours, threes, twos and ones in gomoku.
They are divided by 5, 10, 40 and 80, and end at ±1. The last feature, winning_move, is 1 if the player to move has a
line that lacks one stone, and -1 if not and the other has two. Where an overline does not win, a line that can only
grow into one counts all the same, until it is full.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...definition.evaluation import lead
from ...definition.terms import Rule
from ...jit import helper

__all__ = ["FIRST", "SECOND", "make_features"]

FIRST, SECOND = 1, 32  # the stones on a board: the sum over a line of at most 31 cells counts both, in 5 bits each
_COUNTS = (  # names of features, by the number of stones on a line
    *("ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "elevens", "twelves"),
    *("thirteens", "fourteens", "fifteens", "sixteens", "seventeens", "eighteens"),
)
_MOST = (80.0, 40.0, 10.0, 5.0)  # the lead that makes a feature 1, in lines that lack four stones, three, two, one
_WEIGHTS = (0.09, 0.24, 0.22, 0.18, 0.16)
# Counts are digits of one number, from lines that lack four stones to those that lack one, of the first player, and of
# the second. But for the last two they are the first player's minus the second's. There are 1444 lines at most.
_DIGIT = 12
_HALF, _LOW = 1 << _DIGIT - 1, (1 << _DIGIT) - 1


@helper
def signed_digit(counts: int) -> int:
    """Return the lowest digit, which may be negative."""
    return ((counts + _HALF) & _LOW) - _HALF


def _straight_lines(places: Any, length: int) -> Any:
    """Return, for each straight line with at least ``length`` cells: the first and the last place, and the step."""
    rows, columns = places.shape
    found = []
    for side in (places, places[:, ::-1]):
        found += [side.diagonal(shift) for shift in range(1 - rows, columns)]
    found += [*places, *places.T]
    ends = [(line[0], line[-1], line[1] - line[0]) for line in found if len(line) >= max(length, 2)]
    return np.array(ends, np.int64).reshape(-1, 3)


def make_features(places: Any, length: int) -> tuple[Rule, dict[str, float]]:
    """Return the rule ``features``, and the weights of the features by their names.

    Args:
        places: int [rows, columns] the place of each cell on the board of a state.
        length: stones in a row that win.
    """
    straights = _straight_lines(places, length)  # [lines, 3]
    digits = np.zeros(SECOND * (length + 1), np.int64)  # [sum of the stones on a line]: what it adds to all counts
    for lacking in range(1, min(length - 1, len(_MOST)) + 1):
        digit = len(_MOST) - lacking
        digits[(length - lacking) * FIRST] = 1 << digit * _DIGIT
        digits[(length - lacking) * SECOND] = 1 << (digit + 1) * _DIGIT if lacking == 1 else -1 << digit * _DIGIT
    absent = max(len(_MOST) - (length - 1), 0)  # counts that do not exist for lines of this length
    counted = _COUNTS[max(length - 1 - len(_MOST), 0) : length - 1]

    @helper
    def line_counts(board: Any) -> int:
        """Return the sum of the digits of all lines."""
        counts = 0
        for i in range(straights.shape[0]):
            start, end, step = straights[i]
            stones, front, back = 0, start, start  # the window of cells from `back` up to before `front`
            for _ in range(length - 1):
                stones += int(board[front])
                front += step
            while front <= end:
                stones += int(board[front])
                counts += digits[stones]
                stones -= int(board[back])
                front += step
                back += step
        return counts

    def features(state: Any, player: int) -> tuple[float, ...]:
        counts = line_counts(state.board)
        four = signed_digit(counts)
        counts = (counts - four) >> _DIGIT
        three = signed_digit(counts)
        counts = (counts - three) >> _DIGIT
        two = signed_digit(counts)
        counts = (counts - two) >> _DIGIT
        first, second = counts & _LOW, counts >> _DIGIT
        sign = -1 if player else 1
        own, other = (second, first) if state.ply & 1 else (first, second)
        wins = 1.0 if own > 0 else -1.0 if other > 1 else 0.0
        return (
            lead(sign * four, 0, _MOST[0]),
            lead(sign * three, 0, _MOST[1]),
            lead(sign * two, 0, _MOST[2]),
            lead(sign * first, sign * second, _MOST[3]),
            wins if player == state.ply & 1 else -wins,
        )[absent:]

    return features, {**dict(zip(counted, _WEIGHTS[absent:-1], strict=True)), "winning_move": _WEIGHTS[-1]}
