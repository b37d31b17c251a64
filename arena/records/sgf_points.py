"""The games that SGF files hold here, and how their moves are written in them: see `plyground.arena.records.sgf`."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

__all__ = ["KINDS", "Kind"]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Kind(NamedTuple):
    """How SGF knows a game. Its actions are the cells, row by row from the top left, and then the pass, if any."""

    number: int  # GM
    name: str
    size: str  # the parameter that is the size of the board
    default: int  # SZ, where the file has none
    passes: tuple[str, ...]  # how a pass is written: by us, and by others
    digits: bool  # whether a row is a number, from 1

    def point(self, action: int, size: int) -> str:
        """Return the value of B or W for an action."""
        row, column = divmod(action, size)
        if row == size:
            return self.passes[0]
        return _LETTERS[column] + (str(row + 1) if self.digits else _LETTERS[row])

    def points(self, size: int) -> dict[bytes, int]:
        """Return the actions by their values of B and W, as `point` writes them."""
        return _points(self, size)

    def action(self, point: str, size: int) -> int | None:
        """Return the action that a value of B or W names; None: it names none."""
        if self.digits:
            point = point.lower()
        if point in self.passes:
            return size * size
        if not re.fullmatch(r"[a-z]([a-z]|[1-9][0-9]?)", point) or (point[1].isdigit() and not self.digits):
            return None
        column = _LETTERS.index(point[0])
        row = int(point[1:]) - 1 if point[1].isdigit() else _LETTERS.index(point[1])
        return row * size + column if max(row, column) < size else None


@cache
def _points(kind: Kind, size: int) -> dict[bytes, int]:
    actions = size * size + bool(kind.passes)
    return {kind.point(action, size).encode(): action for action in range(actions)}


KINDS = (
    Kind(1, "go", "board_size", 19, ("", "tt"), digits=False),
    Kind(2, "othello", "size", 8, ("PA", "pa", "", "pass", "tt"), digits=True),
    Kind(4, "gomoku", "size", 15, (), digits=False),
)
