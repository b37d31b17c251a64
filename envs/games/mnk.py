"""Stones in a row: m,n,k games and gomoku. A move puts a stone on any empty cell; the first to have k in a row wins.

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
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.board import BLACK_FIRST, Board, letters, numbers_up
from ..definition.terms import Symmetry, state_dtype
from ..factory import game_factory
from ..game import Game
from ..jit import helper
from ..jit.prng import below
from .features.mnk import FIRST, SECOND, make_features
from .features.runs import grid_knowledge
from .images import board_images
from .mnk_validity import validity

__all__ = ["gomoku", "mnk"]

LARGEST = 19  # cells along a side of the largest board

_SEED = 2013  # seed for the random numbers in keys: any will do


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
        size: cells along a side of the board, 5 to 19.
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


def _in_a_row(name: str, rows: int, columns: int, length: int, exact: bool, style: str) -> Game:
    cells = rows * columns
    stride = columns + 1  # from a cell to the one below
    steps = (1, stride, stride + 1, stride - 1)
    # [rows, columns]: the cells on the board of a state. Copied: Numba does not keep code with strided constants.
    places = np.arange((rows + 1) * stride).reshape(rows + 1, stride)[1:, 1:].copy()
    place_of = places.ravel()  # [actions]
    hashes = np.random.PCG64(_SEED).random_raw(2 * cells).reshape(2, cells)  # [players, actions]
    features, weights = make_features(places, length)
    images = board_images(rows, columns)

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
        action = -1
        while wanted >= 0:
            action += 1
            wanted -= state.board[place_of[action]] == 0
        return action

    def play(state: Any, action: int) -> None:
        seat = state.ply & 1
        place = place_of[action]
        state.board[place] = SECOND if seat else FIRST
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
        own, other = (SECOND, FIRST) if player else (FIRST, SECOND)
        for row in range(rows):
            for column in range(columns):
                stone = state.board[places[row, column]]
                planes[row, column, 0] = stone == own
                planes[row, column, 1] = stone == other

    def key(state: Any) -> Any:
        return state.hash

    def canonical_key(state: Any) -> Any:
        best = state.hash
        for image in images:
            key = state.hash ^ state.hash
            for cell in range(cells):
                stone = state.board[place_of[cell]]
                if stone != 0:
                    key ^= hashes[np.int64(stone == SECOND), image[cell]]
            best = min(best, key)
        return best

    def decode(planes: Any, state: Any) -> None:
        state.ply = np.count_nonzero(planes)
        seat = state.ply % 2
        for plane, owner in ((0, seat), (1, 1 - seat)):
            actions = np.flatnonzero(planes[:, :, plane])
            state.board[place_of[actions]] = (FIRST, SECOND)[owner]
            state.hash ^= np.bitwise_xor.reduce(hashes[owner, actions])

    def pieces(state: Any) -> Any:
        board = state.board[places]
        return ((board == FIRST) + 2 * (board == SECOND)).astype(np.int8)

    return Game(
        name=name,
        # won: whether the last move won; hash: A. L. Zobrist's hash of the stones ("A new hashing method", 1970)
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
        weights=weights,
        key=key,
        canonical_key=canonical_key,
        random_action=random_action,
        knowledge=grid_knowledge(rows, columns, place_of, steps, FIRST),
        is_valid=validity(place_of, hashes, steps, length, exact),
        decode=decode,
        action_to_str=[f"{column}{row}" for row in numbers_up(rows) for column in letters(columns)].__getitem__,
        board=Board(
            rows,
            columns,
            pieces,
            lambda state, action: (action,),
            style,
            numbers_up(rows),
            letters(columns),
            sides=("X", "O") if style == "marks" else BLACK_FIRST,
        ),
        symmetries=[Symmetry(image, image) for image in images],
    )
