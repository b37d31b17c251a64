"""How a game's board looks to people: what stands on each cell, and which cells an action touches.

The rules know no screen: text and pictures are drawn from what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLACK_FIRST", "MARKS", "Board", "draw_grid", "letters", "numbers_up", "sides_of"]

MARKS = ".XOKk"  # empty, first player's piece, second player's piece, first player's king, second player's king
BLACK_FIRST = ("Black", "White")  # the sides of most games with discs and stones


@dataclass(frozen=True)
class Board:
    """What people see of a game. Cells are numbered row by row, from the top left.

    Attributes:
        rows, columns: the size of the board.
        pieces: ``pieces(state)`` gives an int8 array [rows, columns]: 0 empty, 1 a piece of the first player, 2 of the
            second, 3 and 4 their kings; in chess odd numbers are white's and even ones black's, as in ``marks``.
        cells: ``cells(state, action)`` gives the cells that an action touches in ``state``, before it is played: the
            cell a piece leaves, if it was on the board, and last the cell where it lands; no cells for a pass.
        style: how pictures are drawn, a key of `plyground.envs.render.styles.STYLES`. Default: discs on crossings of
            lines.
        row_labels: a label for each row, from the top; empty for none.
        column_labels: a label for each column, from the left; empty for none.
        marks: the character of each piece in text, by its number.
        symbols: the same in Unicode, for those who can see it; empty for none.
        threatened: ``threatened(state)`` gives the cells that are marked for danger, as of a king in check: a glow in
            pictures, a plus sign behind the piece in text, as in ``K+``.
        sides: what people call the first player and the second, as in ``("White", "Black")``; empty: as PettingZoo
            does, by the game's ``players``.

    Raises:
        ValueError: ``sides`` are not two names.
    """

    rows: int
    columns: int
    pieces: Callable[[Any], NDArray[np.int8]]
    cells: Callable[[Any, int], tuple[int, ...]]
    style: str = "lines"
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    marks: str = MARKS
    symbols: str = ""
    threatened: Callable[[Any], tuple[int, ...]] | None = None
    sides: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.sides) not in (0, 2):
            raise ValueError(f"sides must be two names, as in ('White', 'Black'), or none, got {self.sides!r}")

    def text(self, state: Any, unicode: bool = False) -> str:
        """Draw the board with one character a cell, from ``marks``, and a plus sign behind those in danger.

        Args:
            state: the position.
            unicode: whether to draw with ``symbols``, if there are any.
        """
        known = self.symbols if unicode and self.symbols else self.marks
        marks = [[known[piece] for piece in row] for row in self.pieces(state)]
        danger = () if self.threatened is None else self.threatened(state)
        return draw_grid(marks, self.column_labels, self.row_labels, danger)


def sides_of(game: Any) -> tuple[str, str]:
    """Return what people call the first player of a game, and the second: by its `Board`, else as PettingZoo does."""
    first, second = (() if game.board is None else game.board.sides) or game.players
    return first, second


def draw_grid(
    cells: Sequence[Sequence[str]],
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
    marked: Container[int] = (),
) -> str:
    """Draw a board of one string a cell, top row first.

    Args:
        cells: what stands in them, row by row.
        columns: labels under the columns, if any.
        rows: labels left of the rows, if any.
        marked: cells, numbered row by row from the top left, that have a plus sign behind them.
    """
    width = max(len(cell) for row in [*cells, columns] for cell in row)
    margin = max((len(label) for label in rows), default=0)
    lines = []
    for index, (row, label) in enumerate(zip(cells, rows or [""] * len(cells), strict=True)):
        drawn = [f"{cell:>{width}}{'+' if index * len(row) + i in marked else ' '}" for i, cell in enumerate(row)]
        lines.append(f"{label:>{margin}} " * bool(rows) + "".join(drawn).removesuffix(" "))
    if columns:
        lines.append(" " * (margin + bool(rows)) + " ".join(f"{label:>{width}}" for label in columns))
    return "\n".join(lines)


def letters(count: int, skip: str = "") -> tuple[str, ...]:
    """Return the labels a, b, c … for ``count`` columns, without the letters in ``skip``; aa follows z."""
    single = [letter for letter in ascii_lowercase if letter not in skip]
    return tuple(islice(chain(single, map("".join, product(single, repeat=2))), count))


def numbers_up(count: int) -> tuple[str, ...]:
    """Return labels for ``count`` rows, numbered from 1 at the bottom; the top row comes first."""
    return tuple(str(number) for number in range(count, 0, -1))
