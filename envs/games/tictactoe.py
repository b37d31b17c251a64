"""Tic-tac-toe, with the conventions of ``pettingzoo.classic.tictactoe_v3``.

Cells are numbered down the columns, and cell ``i`` is bit ``i``. X, the first player, is ``player_1``::

    0 3 6
    1 4 7
    2 5 8

The evaluation is the textbook's e(s): the lines still open to one side minus those still open to the other (N. J.
Nilsson, Problem-Solving Methods in Artificial Intelligence, 1971), divided by 9 to stay between a loss and a win.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.board import Board, draw_grid
from ..definition.terms import Symmetry, state_dtype
from ..factory import game_factory
from ..game import Game
from ..jit import helper
from ..jit.bits import popcount
from .images import board_images

__all__ = ["open_lines", "tictactoe"]

STATE = state_dtype(stones=("u2", (2,)), ply="i4")  # stones: X's, O's

_LINES = np.array([0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124], np.uint16)  # columns, rows, diagonals
_BOARD = np.uint64(0o777)
_IMAGES = board_images(3, 3)


def player(state: Any) -> int:
    return state.ply & 1


def legal_actions(state: Any, actions: Any) -> int:
    taken = state.stones[0] | state.stones[1]
    count = 0
    for cell in range(9):
        if not taken >> cell & 1:
            actions[count] = cell
            count += 1
    return count


def play(state: Any, action: int) -> None:
    state.stones[state.ply & 1] |= 1 << action
    state.ply += 1


@helper
def has_line(stones: Any) -> bool:
    for line in _LINES:
        if stones & line == line:
            return True
    return False


def is_terminal(state: Any) -> bool:
    return state.ply == 9 or has_line(state.stones[0]) or has_line(state.stones[1])


def utility(state: Any, player: int) -> float:
    if has_line(state.stones[player]):
        return 1.0
    return -1.0 if has_line(state.stones[1 - player]) else 0.0


def observe(state: Any, player: int, planes: Any) -> None:
    own, other = state.stones[player], state.stones[1 - player]
    for row in range(3):
        for column in range(3):
            planes[row, column, 0] = own >> 3 * row + column & 1
            planes[row, column, 1] = other >> 3 * row + column & 1


@helper
def open_lines(state: Any, player: int) -> float:
    """Return the textbook's e(s): lines without a stone of the opponent minus lines without one of ``player``."""
    balance = 0
    for line in _LINES:
        balance += int(state.stones[1 - player] & line == 0) - int(state.stones[player] & line == 0)
    return float(balance)


def features(state: Any, player: int) -> tuple[float, ...]:
    return (open_lines(state, player) / 8.0,)


def canonical_key(state: Any) -> Any:
    best = np.int64(state.stones[0]) | np.int64(state.stones[1]) << 9
    for image in _IMAGES:
        key = 0
        for cell in range(9):
            key |= (state.stones[0] >> cell & 1) << image[cell] | (state.stones[1] >> cell & 1) << (9 + image[cell])
        best = min(best, key)
    return np.uint64(best)


def is_valid(state: Any) -> bool:
    crosses, rings, ply = np.uint64(state.stones[0]), np.uint64(state.stones[1]), np.int64(state.ply)
    if (crosses | rings) & ~_BOARD != 0 or crosses & rings != 0:
        return False
    # Who is to move has no line: the game would have ended before.
    return popcount(crosses) == (ply + 1) // 2 and popcount(rings) == ply // 2 and not has_line(state.stones[ply & 1])


def decode(planes: Any, state: Any) -> None:
    own, opponent = (int((plane.ravel() << np.arange(9)).sum()) for plane in np.moveaxis(planes.astype(int), 2, 0))
    state.ply = planes.sum()
    state.stones = (own, opponent) if state.ply % 2 == 0 else (opponent, own)


def pieces(state: Any) -> Any:
    cells = np.arange(9).reshape(3, 3).T
    return ((state.stones[0] >> cells & 1) + 2 * (state.stones[1] >> cells & 1)).astype(np.int8)


def text(state: Any) -> str:
    def mark(cell: int) -> str:
        return "X" if state.stones[0] >> cell & 1 else "O" if state.stones[1] >> cell & 1 else str(cell)

    return draw_grid([[mark(3 * column + row) for column in range(3)] for row in range(3)])


@game_factory
def tictactoe() -> Game:
    """Make the game of tic-tac-toe: three in a row on a 3x3 board."""
    return Game(
        name="tictactoe",
        state=STATE,
        num_actions=9,
        max_plies=9,
        observation_shape=(3, 3, 2),
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        features=features,
        weights={"open_lines": 8 / 9},
        canonical_key=canonical_key,
        is_valid=is_valid,
        decode=decode,
        board=Board(3, 3, pieces, lambda state, action: (3 * (action % 3) + action // 3,), "marks", sides=("X", "O")),
        text=text,
        symmetries=[Symmetry(cells, cells) for cells in _IMAGES],
        players=("player_1", "player_2"),
    )
