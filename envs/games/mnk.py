"""Stones in a row: m,n,k games and gomoku. A move puts a stone on any empty cell; who first has k in a row wins.

Rows, columns and diagonals count; a full board without a winner is a draw. Actions are the cells, row by row from the
top left; their names have the column as a letter, from the left, and the row as a number, from the bottom: ``h8`` is
the centre of 15x15, and no letter is left out.

A state's board has a border of places that stay empty, so that a run of stones ends before it leaves the board or comes
round to the next row. For m = 4 columns and n = 3 rows::

       |  a  b  c  d |
     0 |  1  2  3  4 |  5    border
     5 |  6  7  8  9 | 10    row 3
    10 | 11 12 13 14 | 15    row 2
    15 | 16 17 18 19 | 20    row 1
    20 | 21 22 23 24 | 25    border; on the left and on the right it is the same place, one row apart

The evaluation weighs what one side has more than the other of lines of k cells that the other side has no stone in, by
the stones already there: a feature for each number from k - 1 down to k - 4, as fours, threes, twos and ones in gomoku.
They are divided by 5, 10, 40 and 80, and end at ±1. The last feature, winning_move, is 1 if the player to move has a
line that lacks one stone, and -1 if not and the other has two. Where an overline does not win, a line that can only
grow into one counts all the same, until it is full.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..board import Board, letters, numbers_up
from ..evaluation import lead
from ..factory import game_factory
from ..game import Game, Symmetry, state_dtype
from ..jit import helper
from ..jit.prng import below

__all__ = ["gomoku", "mnk"]

LARGEST = 19  # side of a board

_FIRST, _SECOND = 1, 32  # the stones on a board: the sum over a line of at most 31 cells counts both, in 5 bits each
_COUNTS = (  # names of features, by the stones on a line
    *("ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "elevens", "twelves"),
    *("thirteens", "fourteens", "fifteens", "sixteens", "seventeens", "eighteens"),
)
_MOST = (80.0, 40.0, 10.0, 5.0)  # a lead of so many lines that lack four stones, three, two, one is 1 as a feature
_WEIGHTS = (0.09, 0.24, 0.22, 0.18, 0.16)
# Counts are digits of one number, from lines that lack four stones to those that lack one, of the first player, and of
# the second. But for the last two they are the first player's minus the second's. There are 1444 lines at most.
_DIGIT = 12
_HALF, _LOW = 1 << _DIGIT - 1, (1 << _DIGIT) - 1
_SEED = 2013  # of the random numbers that keys are made of: any will do


@game_factory
def mnk(m: int = 3, n: int = 3, k: int = 3) -> Game:
    """Make the m,n,k game: k or more in a row win.

    Args:
        m: columns of the board, 1 to 19.
        n: rows of the board, 1 to 19.
        k: stones in a row that win, at most the longer side.

    Raises:
        ValueError: a number is out of range.
    """
    if not (1 <= m <= LARGEST and 1 <= n <= LARGEST and 1 <= k <= max(m, n)):
        raise ValueError(f"mnk needs m and n from 1 to {LARGEST}, and k from 1 to the larger: got {m=}, {n=}, {k=}")
    return _in_a_row("mnk", n, m, k, exact=False, style="marks")


@game_factory
def gomoku(size: int = 15, exact: bool = False) -> Game:
    """Make the game of gomoku: five in a row win, without restrictions of the opening or of the first player.

    Args:
        size: of the board's side, 5 to 19.
        exact: only exactly five stones win, and six or more do not. Otherwise they win too ("freestyle").

    Raises:
        ValueError: the size is out of range.
    """
    if not 5 <= size <= LARGEST:
        raise ValueError(f"gomoku needs a size from 5 to {LARGEST}, got {size=}")
    return _in_a_row("gomoku", size, size, 5, exact, style="lines")


@helper
def run_through(board: Any, place: int, step: int) -> int:
    """Return how many equal stones are in a row, through that on ``place``, along ``step`` and back."""
    stone = board[place]
    start, end = place - step, place + step
    while board[start] == stone:
        start -= step
    while board[end] == stone:
        end += step
    return (end - start) // step - 1


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


def _symmetries(rows: int, columns: int) -> list[Symmetry]:
    """Return those of a square or a rectangle; fewer if the board is so narrow that some of them are the same."""
    board = np.arange(rows * columns).reshape(rows, columns)
    turned = [np.rot90(board, turns) for turns in range(4)]
    images = [image for grid in turned for image in (grid, grid[:, ::-1]) if image.shape == board.shape]
    distinct = {image.tobytes(): image.ravel() for image in images}
    del distinct[board.tobytes()]
    return [Symmetry(cells, cells) for cells in distinct.values()]


def _in_a_row(name: str, rows: int, columns: int, length: int, exact: bool, style: str) -> Game:
    cells = rows * columns
    stride = columns + 1  # from a cell to the one below
    steps = (1, stride, stride + 1, stride - 1)
    # [rows, columns]: the cells on the board of a state. Copied: Numba does not keep code with strided constants.
    places = np.arange((rows + 1) * stride).reshape(rows + 1, stride)[1:, 1:].copy()
    place_of = places.ravel()  # [actions]
    hashes = np.random.PCG64(_SEED).random_raw(2 * cells).reshape(2, cells)  # [players, actions]
    straights = _straight_lines(places, length)  # [lines, 3]
    digits = np.zeros(_SECOND * (length + 1), np.int64)  # [sum of the stones on a line]: what it adds to all counts
    for lacking in range(1, min(length - 1, len(_MOST)) + 1):
        digit = len(_MOST) - lacking
        digits[(length - lacking) * _FIRST] = 1 << digit * _DIGIT
        digits[(length - lacking) * _SECOND] = 1 << (digit + 1) * _DIGIT if lacking == 1 else -1 << digit * _DIGIT
    absent = max(len(_MOST) - (length - 1), 0)  # counts that lines so short do not have
    counted = _COUNTS[max(length - 1 - len(_MOST), 0) : length - 1]

    symmetries = _symmetries(rows, columns)
    images = np.array([symmetry.cells for symmetry in symmetries], np.int64).reshape(-1, cells)

    def player(state: Any) -> int:
        return state.ply & 1

    def legal_actions(state: Any, actions: Any) -> int:
        count = 0
        for action in range(cells):
            if state.board[place_of[action]] == 0:
                actions[count] = action
                count += 1
        return count

    def random_action(state: Any, actions: Any, rng: Any) -> int:
        free = cells - state.ply
        if 8 * free >= cells:  # soon found by trying
            action = below(rng, cells)
            while state.board[place_of[action]] != 0:
                action = below(rng, cells)
            return action
        wanted = below(rng, free)
        action = 0
        while True:
            if state.board[place_of[action]] == 0:
                if wanted == 0:
                    return action
                wanted -= 1
            action += 1

    def play(state: Any, action: int) -> None:
        seat = state.ply & 1
        place = place_of[action]
        state.board[place] = _SECOND if seat else _FIRST
        state.hash ^= hashes[seat, action]
        state.ply += 1
        for step in steps:
            run = run_through(state.board, place, step)
            if run == length or (run > length and not exact):
                state.won = 1

    def is_terminal(state: Any) -> bool:
        return state.won != 0 or state.ply == cells

    def utility(state: Any, player: int) -> float:
        if state.won == 0:
            return 0.0
        return -1.0 if player == state.ply & 1 else 1.0

    def observe(state: Any, player: int, planes: Any) -> None:
        own, other = (_SECOND, _FIRST) if player else (_FIRST, _SECOND)
        for row in range(rows):
            for column in range(columns):
                stone = state.board[places[row, column]]
                planes[row, column, 0] = stone == own
                planes[row, column, 1] = stone == other

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

    def key(state: Any) -> Any:
        return state.hash

    def canonical_key(state: Any) -> Any:
        best = state.hash
        for image in images:
            key = state.hash ^ state.hash
            for cell in range(cells):
                stone = state.board[place_of[cell]]
                if stone != 0:
                    key ^= hashes[np.int64(stone == _SECOND), image[cell]]
            best = min(best, key)
        return best

    def decode(planes: Any, state: Any) -> None:
        state.ply = np.count_nonzero(planes)
        seat = state.ply % 2
        for plane, owner in ((0, seat), (1, 1 - seat)):
            actions = np.flatnonzero(planes[:, :, plane])
            state.board[place_of[actions]] = (_FIRST, _SECOND)[owner]
            state.hash ^= np.bitwise_xor.reduce(hashes[owner, actions])

    def pieces(state: Any) -> Any:
        board = state.board[places]
        return ((board == _FIRST) + 2 * (board == _SECOND)).astype(np.int8)

    names = [f"{column}{row}" for row in numbers_up(rows) for column in letters(columns)]
    return Game(
        name=name,
        # won: whether the last move did; hash: A. L. Zobrist's, of the stones ("A new hashing method", 1970)
        state=state_dtype(board=("i1", ((rows + 2) * stride + 1,)), won="i1", ply="i4", hash="u8"),
        num_actions=cells,
        max_plies=cells,
        observation_shape=(rows, columns, 2),
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        features=features,
        weights={**dict(zip(counted, _WEIGHTS[absent:-1], strict=True)), "winning_move": _WEIGHTS[-1]},
        key=key,
        canonical_key=canonical_key,
        random_action=random_action,
        decode=decode,
        action_to_str=names.__getitem__,
        board=Board(
            rows=rows,
            columns=columns,
            pieces=pieces,
            cells=lambda state, action: (action,),
            style=style,
            row_labels=numbers_up(rows),
            column_labels=letters(columns),
        ),
        symmetries=symmetries,
    )
