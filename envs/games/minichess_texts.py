"""How minichess is written and shown: names of moves, FEN, the board."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..definition.board import Board, letters, numbers_up
from .minichess_rules import (
    LETTERS,
    PAWN,
    PLANES,
    PROMOTED,
    SIZE,
    SQUARES,
    STATE,
    TARGETS,
    UNDERPROMOTION,
    is_check,
    king_of,
)

__all__ = ["BOARD", "action_to_str", "fen_of", "move_name", "move_of", "read_fen"]


def _name(square: int, turn: int) -> str:
    return "abcde"[square % SIZE] + str((square // SIZE if turn == 0 else SIZE - 1 - square // SIZE) + 1)


def move_name(state: Any, action: int) -> str:
    origin, plane = divmod(int(action), PLANES)
    target, turn = int(TARGETS[origin, plane]), int(state.turn)
    if target < 0:
        return f"{_name(origin, turn)}#{plane}"
    promotes = state.cells[origin] == PAWN and target >= SQUARES - SIZE
    piece = ""
    if plane >= UNDERPROMOTION:
        piece = PROMOTED[(plane - UNDERPROMOTION) % 3]
    return _name(origin, turn) + _name(target, turn) + (piece or "q" * bool(promotes))


def move_of(state: Any, text: str) -> int:
    for action in range(SQUARES * PLANES):
        if TARGETS[action // PLANES, action % PLANES] >= 0 and move_name(state, action) == text.strip():
            return action
    raise ValueError(f"minichess has no move {text!r} here: expected a name such as a2a3 or, for a promotion, a4a5q")


def action_to_str(action: int) -> str:
    origin, plane = divmod(action, PLANES)
    target = int(TARGETS[origin, plane])
    if target < 0:
        return f"{_name(origin, 0)}#{plane}"
    piece = PROMOTED[(plane - UNDERPROMOTION) % 3] if plane >= UNDERPROMOTION else ""
    return _name(origin, 0) + _name(target, 0) + piece


def _grid(state: Any) -> NDArray[np.int64]:
    """Return the board as white sees it, the last rank first: white's pieces are positive."""
    grid = state.cells.reshape(SIZE, SIZE).astype(np.int64)
    return grid[::-1] if state.turn == 0 else -grid


def fen_of(state: Any) -> str:
    rows = []
    for row in _grid(state).tolist():
        text = "".join(LETTERS[piece] if piece >= 0 else LETTERS[-piece].lower() for piece in row)
        for n in range(SIZE, 0, -1):
            text = text.replace("." * n, str(n))
        rows.append(text)
    return f"{'/'.join(rows)} {'wb'[state.turn]} - - {state.quiet} 1"


def read_fen(text: str) -> Any:
    """Return the state of a position in FEN, in which the fields for castling and en passant are ``-``.

    Raises:
        ValueError: the text is none, or no position.
    """
    fields = text.split() if isinstance(text, str) else []
    rows = fields[0].split("/") if fields else []
    state = np.zeros(1, STATE)[0]
    grid = []
    for row in rows:
        cells: list[int] = []
        for letter in row:
            if letter in "12345":
                cells += [0] * int(letter)
            elif letter.upper() in LETTERS[1:]:
                cells.append(LETTERS.index(letter.upper()) * (1 if letter.isupper() else -1))
            else:
                raise ValueError(f"the position {text!r} cannot be read: {letter!r} is no piece")
        grid.append(cells)
    if [len(cells) for cells in grid] != [SIZE] * SIZE:
        raise ValueError(f"the position {text!r} cannot be read: expected {SIZE} rows of {SIZE} squares")
    if fields[1:4] not in (["w", "-", "-"], ["b", "-", "-"]) or len(fields) > 6:
        raise ValueError(f"the position {text!r} cannot be read: expected 'w - -' or 'b - -' after the board")
    if not all(field.isascii() and field.isdigit() and int(field) <= 9999 for field in fields[4:]):
        raise ValueError(f"the position {text!r} cannot be read: the counts of plies and moves must be numbers")
    board = np.array(grid, np.int8)
    state.turn = "wb".index(fields[1])
    state.cells[:] = (board[::-1] if state.turn == 0 else -board).ravel()
    if len(fields) > 4 and int(fields[4]) > 255:
        raise ValueError(f"the position {text!r} cannot be read: {fields[4]} plies without a capture are too many")
    state.quiet = int(fields[4]) if len(fields) > 4 else 0
    return state


def _pieces(state: Any) -> NDArray[np.int8]:
    grid = _grid(state)
    return np.where(grid > 0, 2 * grid - 1, -2 * grid).astype(np.int8)  # white's first


def _cell(square: int, turn: int) -> int:
    row = SIZE - 1 - square // SIZE if turn == 0 else square // SIZE
    return SIZE * row + square % SIZE


def _cells(state: Any, action: int) -> tuple[int, int]:
    origin, plane = divmod(action, PLANES)
    return _cell(origin, int(state.turn)), _cell(int(TARGETS[origin, plane]), int(state.turn))


def _threatened(state: Any) -> tuple[int, ...]:
    return (_cell(king_of(state.cells, 1), int(state.turn)),) if is_check(state) else ()


BOARD = Board(
    SIZE,
    SIZE,
    _pieces,
    _cells,
    "chess",
    row_labels=numbers_up(SIZE),
    column_labels=letters(SIZE),
    marks=".PpNnBbRrQqKk",
    symbols="·♙♟♘♞♗♝♖♜♕♛♔♚",
    threatened=_threatened,
)
