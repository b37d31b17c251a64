"""Go as one would first write it, with lists of lists and flood fill; and boards typed as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.envs import Game

Grid = tuple[tuple[int, ...], ...]  # rows from the top; 0 empty, 1 black, 2 white


def state_of(game: Game, diagram: str, to_move: int = 0) -> Any:
    """Return the state that a diagram shows: X black, O white."""
    stones = np.array([[" .XO".index(mark) - 1 for mark in line.split()] for line in diagram.strip().splitlines()])
    planes = np.zeros(game.observation_shape, np.int8)
    planes[:, :, 0], planes[:, :, 1], planes[:, :, 16] = stones == to_move + 1, stones == 2 - to_move, to_move
    planes[:, :, 2] = 1 - planes[:, :, 0]  # anything but the same board: nobody has just passed
    return game.state_from_observation(planes)


def grid_of(game: Game, state: Any) -> Grid:
    assert game.board is not None
    return tuple(tuple(row) for row in game.board.pieces(state).tolist())


def neighbours(size: int, row: int, column: int) -> list[tuple[int, int]]:
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [(r, c) for r, c in around if 0 <= r < size and 0 <= c < size]


def region(grid: Grid, row: int, column: int) -> tuple[set[tuple[int, int]], set[int]]:
    """Return the points of one colour (or empty) that hang together, and the colours beside them."""
    found, border, queue = {(row, column)}, set(), [(row, column)]
    while queue:
        for r, c in neighbours(len(grid), *queue.pop()):
            if grid[r][c] != grid[row][column]:
                border.add(grid[r][c])
            elif (r, c) not in found:
                found.add((r, c))
                queue.append((r, c))
    return found, border


def after(grid: Grid, row: int, column: int, own: int) -> Grid | None:
    """Return the board after a stone is played, or None for suicide."""
    rows = [list(line) for line in grid]
    rows[row][column] = own
    for r, c in neighbours(len(grid), row, column):
        if rows[r][c] == 3 - own:
            chain, border = region(tuple(map(tuple, rows)), r, c)
            if 0 not in border:
                for y, x in chain:
                    rows[y][x] = 0
    played = tuple(map(tuple, rows))
    return played if 0 in region(played, row, column)[1] else None


def area(grid: Grid) -> int:
    """Return black's area minus white's."""
    balance = 0
    for row in range(len(grid)):
        for column in range(len(grid)):
            stone = grid[row][column]
            owners = {stone} if stone else region(grid, row, column)[1]
            balance += (owners == {1}) - (owners == {2})
    return balance
