"""Late boards of Connect Four and their scores by the book, on Python's numbers: ten times as fast as by the rules.

A column has a bit for each row, from below, and one above that stays empty; the first column comes first.
"""

from __future__ import annotations

import numpy as np

from plyground.envs import Game, State

__all__ = ["is_won", "openings", "score_by_the_book", "unfinished"]


def is_won(stones: int, rows: int) -> bool:
    """Return whether four stones are in a row."""
    pairs = [(stones & stones >> step, 2 * step) for step in (1, rows, rows + 1, rows + 2)]
    return any(two & two >> far for two, far in pairs)


def openings(stones: int, rows: int, columns: int) -> list[int]:
    """Return the lowest free cell of each column that has one, as a bit."""
    columns_at = range(0, columns * (rows + 1), rows + 1)
    cells = [(stones & (1 << rows) - 1 << first) + (1 << first) for first in columns_at]
    return [cell for first, cell in zip(columns_at, cells, strict=True) if cell < 1 << first + rows]


def unfinished(game: Game, plies: int, rng: np.random.Generator) -> State:
    """Return the position after so many random moves of which none wins; of games at random few come so far."""
    rows, columns, _ = game.observation_shape
    while True:
        stones, state = [0, 0], game.new_state()
        for ply in range(plies):
            cells = openings(stones[0] | stones[1], rows, columns)
            cells = [cell for cell in cells if not is_won(stones[ply % 2] | cell, rows)]
            if not cells:
                break
            cell = cells[int(rng.integers(len(cells)))]
            stones[ply % 2] |= cell
            game.play(state, cell.bit_length() // (rows + 1))
        else:
            assert not game.is_terminal(state)
            return state


def score_by_the_book(game: Game, state: State, known: dict[tuple[int, int], int]) -> int:
    """Return the score from its definition: stones that the winner has left, with the one that wins."""
    rows, columns, _ = game.observation_shape

    def score(mine: int, theirs: int) -> int:
        if (mine, theirs) not in known:
            left = rows * columns - (mine | theirs).bit_count()
            if is_won(theirs, rows):
                known[mine, theirs] = -(left // 2 + 1)
            else:
                cells = openings(mine | theirs, rows, columns)
                known[mine, theirs] = max((-score(theirs, mine | cell) for cell in cells), default=0)
        return known[mine, theirs]

    return score(int(state.mine), int(state.theirs))
