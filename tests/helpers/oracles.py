"""Slow and obvious: games on lists, and minimax by the book, to check the fast ones against."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from plyground.envs import Game

Board = tuple[tuple[int, ...], ...]  # rows from the top, cells: 0 empty, 1 and 2 the players


@functools.cache
def lines(rows: int, columns: int, length: int) -> list[list[tuple[int, int]]]:
    """Return every straight line of cells."""
    found = []
    for r in range(rows):
        for c in range(columns):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(r + i * dr, c + i * dc) for i in range(length)]
                if all(0 <= x < rows and 0 <= y < columns for x, y in cells):
                    found.append(cells)
    return found


def board_of(game: Game, state: Any) -> Board:
    """Read the board of a two-plane game, stones of the first player as 1."""
    planes = game.observation(state, 0)
    return tuple(tuple(int(cell[0] + 2 * cell[1]) for cell in row) for row in planes)


def winner(board: Board, length: int) -> int:
    """Return 1 or 2 if that player has a line, else 0."""
    for line in lines(len(board), len(board[0]), length):
        first, *rest = (board[r][c] for r, c in line)
        if first and all(cell == first for cell in rest):
            return first
    return 0


def drop(board: Board, column: int, stone: int) -> Board:
    """Return the board after a stone fell into a column."""
    rows = [list(row) for row in board]
    lowest = max(r for r in range(len(rows)) if rows[r][column] == 0)
    rows[lowest][column] = stone
    return tuple(tuple(row) for row in rows)


def connect_four_value(board: Board, known: dict[Board, int]) -> int:
    """Return the game-theoretic value for the player to move: 1, 0 or -1."""
    if board not in known:
        if winner(board, 4):
            known[board] = -1  # the one who moved last has won
        else:
            known[board] = max(
                (-connect_four_value(drop(board, c, stone_to_move(board)), known) for c in open_columns(board)),
                default=0,
            )
    return known[board]


def open_columns(board: Board) -> list[int]:
    """Return the columns with room."""
    return [c for c, cell in enumerate(board[0]) if cell == 0]


def stone_to_move(board: Board) -> int:
    """Return the stone of the player to move."""
    return 1 + sum(cell != 0 for row in board for cell in row) % 2


def identity(state: Any) -> bytes:
    """Return bytes that are equal for equal states (the record's own bytes have padding between the fields)."""
    return b"".join(np.asarray(state[name]).tobytes() for name in state.dtype.names)


def minimax_value(game: Game, state: Any, known: dict[bytes, float]) -> float:
    """Return the game-theoretic value of any game's state for its player to move, from the rules alone."""
    found = known.get(identity(state))
    if found is None:
        player = game.player(state)
        if game.is_terminal(state):
            found = game.utility(state, player)
        else:
            found = float("-inf")
            for action in game.actions(state):
                child = state.copy()
                game.play(child, action)
                value = minimax_value(game, child, known)
                found = max(found, value if game.player(child) == player else -value)
                if found == game.max_utility:  # nothing is worth more
                    break
        known[identity(state)] = found
    return found


def worth_after(game: Game, state: Any, action: int, known: dict[bytes, float]) -> float:
    """Return what an action is worth to its player, from the rules alone."""
    player, after = game.player(state), state.copy()
    game.play(after, action)
    if game.is_terminal(after):
        return game.utility(after, player)
    value = minimax_value(game, after, known)
    return value if game.player(after) == player else -value


def reachable(game: Game) -> dict[bytes, Any]:
    """Return every reachable state, by its bytes."""
    start = game.new_state()
    states, todo = {identity(start): start}, [start]
    while todo:
        state = todo.pop()
        if game.is_terminal(state):
            continue
        for action in game.actions(state):
            child = state.copy()
            game.play(child, action)
            if identity(child) not in states:
                states[identity(child)] = child
                todo.append(child)
    return states


def decoded(game: Game, planes: Any) -> Any:
    """Return the state that a game's ``decode`` makes of planes, even if no game comes to look like that."""
    assert game.decode is not None
    state = np.zeros(1, game.dtype)[0]
    game.decode(planes, state)
    return state
