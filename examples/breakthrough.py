"""A game of one's own in one file: Breakthrough (D. Troyka, 2000). It is named by its place, wherever a game is.

Run from the root of the repository::

    plyground show ./examples/breakthrough.py:breakthrough
    plyground match random ./examples/greedy.py:Greedy --game ./examples/breakthrough.py:breakthrough --games 20
    plyground play "./examples/breakthrough.py:breakthrough(size=6)" --against "alphabeta(depth=6)"

Each player has two rows of pieces. A piece moves one row on, straight or diagonally, to an empty cell, or takes a piece
of the opponent's diagonally. Whoever comes to the far row, or takes the last piece, wins. There is always a move, since
nothing of one's own stands before the piece that has come farthest, so there are no draws.

The rules are plain functions over the state; ``docs/add_a_game.md`` says what each of them promises.
"""

from typing import Any

import numpy as np

from plyground.envs import Board, Game, game_factory, letters, numbers_up, state_dtype

WAYS = "lfr"  # to the left, forwards, to the right, as one sees the board


@game_factory
def breakthrough(size: int = 8) -> Game:
    """Make the game of Breakthrough.

    Args:
        size: rows and columns of the board, 5 to 16.

    Raises:
        ValueError: the size is out of range.
    """
    if not 5 <= size <= 16:
        raise ValueError(f"breakthrough needs a size from 5 to 16, got {size=}")
    columns, rows = letters(size), numbers_up(size)

    def setup(state: Any) -> None:
        state.board[:2], state.board[-2:] = 2, 1  # the first player begins at the bottom
        state.pieces[:] = 2 * size

    def player(state: Any) -> int:
        return state.ply & 1

    def legal_actions(state: Any, actions: Any) -> int:
        own, ahead, count = (state.ply & 1) + 1, 1 if state.ply & 1 else -1, 0
        for cell in range(size * size):
            row, column = cell // size, cell % size
            if state.board[row, column] != own or not 0 <= row + ahead < size:
                continue
            for way in range(3):
                to = column + way - 1
                if 0 <= to < size:
                    there = state.board[row + ahead, to]
                    if there == 0 or (there != own and way != 1):
                        actions[count] = 3 * cell + way
                        count += 1
        return count

    def play(state: Any, action: int) -> None:
        cell, way = action // 3, action % 3
        row, column, ahead = cell // size, cell % size, 1 if state.ply & 1 else -1
        state.board[row, column] = 0
        if state.board[row + ahead, column + way - 1] != 0:
            state.pieces[1 - (state.ply & 1)] -= 1
        state.board[row + ahead, column + way - 1] = (state.ply & 1) + 1
        state.won = row + ahead == 0 or row + ahead == size - 1 or state.pieces[1 - (state.ply & 1)] == 0
        state.ply += 1

    def is_terminal(state: Any) -> bool:
        return state.won != 0

    def utility(state: Any, player: int) -> float:
        return -1.0 if player == state.ply & 1 else 1.0  # who moved last has won

    def evaluate(state: Any, player: int) -> float:
        return 0.9 * (np.float64(state.pieces[player]) - np.float64(state.pieces[1 - player])) / (2 * size)

    def observe(state: Any, player: int, planes: Any) -> None:
        for row in range(size):
            for column in range(size):
                planes[row, column, 0] = state.board[row, column] == player + 1
                planes[row, column, 1] = state.board[row, column] == 2 - player
                planes[row, column, 2] = state.ply & 1

    def cells(state: Any, action: int) -> tuple[int, ...]:
        cell, way = divmod(action, 3)
        return cell, cell + (size if state.ply & 1 else -size) + way - 1

    return Game(
        name="breakthrough",
        state=state_dtype(board=("i1", (size, size)), pieces=("i2", (2,)), won="i1", ply="i4"),
        num_actions=3 * size * size,
        max_plies=2 * size * (2 * size - 3),  # each ply takes a piece one row on
        observation_shape=(size, size, 3),
        setup=setup,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        evaluate=evaluate,
        observe=observe,
        action_to_str=lambda action: f"{columns[action // 3 % size]}{rows[action // 3 // size]}{WAYS[action % 3]}",
        board=Board(size, size, lambda state: state.board, cells, "marks", rows, columns),
    )
