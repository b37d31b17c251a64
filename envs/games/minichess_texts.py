"""How minichess is written and shown: names of moves, FEN, the board."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..definition.board import Board, letters, numbers_up
from .minichess_rules import (
    KING,
    LETTERS,
    PAWN,
    PLANES,
    PROMOTED,
    SIZE,
    SQUARES,
    STATE,
    TARGETS,
    UNDERPROMOTION,
    is_attacked,
    is_check,
    king_of,
)

__all__ = ["BOARD", "action_to_str", "fen_of", "move_name", "move_of", "read_fen"]

_PIECES = LETTERS[1:] + LETTERS[1:].lower()


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


def read_fen(text: str, most_quiet: int = 255) -> Any:
    """Return the state of a position in FEN, in which the fields for castling and en passant are ``-``.

    Args:
        text: the position. The counts of quiet plies and of moves may be left out.
        most_quiet: the most plies since the last capture or move of a pawn.

    Raises:
        ValueError: the text cannot be read, or is no position of minichess; the message says why.
    """
    fields = text.split() if isinstance(text, str) else []
    if not 4 <= len(fields) <= 6:
        some = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        _fail(text, f"it has {some}: expected 4 to 6, as in 'rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1'")
    ranks, turn, *others = fields[:4]
    if turn not in ("w", "b"):
        _fail(text, f"the side to move must be w or b, got {turn!r}")
    if others != ["-", "-"]:
        _fail(text, f"nobody castles, or captures en passant: expected '- -' after the side to move, got {others}")
    quiet, number = (fields[4:] + ["0", "1"][len(fields) - 4 :])[:2]
    if not (quiet.isascii() and quiet.isdigit() and len(quiet) < 6 and int(quiet) <= most_quiet):
        _fail(text, f"the count of plies without capture or pawn move must be 0 to {most_quiet}, got {quiet!r}")
    if not (number.isascii() and number.isdigit() and len(number) < 6):
        _fail(text, f"the number of the move must be a whole number, got {number!r}")
    state = np.zeros(1, STATE)[0]
    state.turn, state.quiet = "wb".index(turn), int(quiet)
    board = _read_ranks(text, ranks)
    state.cells[:] = (board[::-1] if state.turn == 0 else -board).ravel()
    _check_pieces(text, board)
    if is_attacked(state.cells, king_of(state.cells, -1), 1, -1, -1):
        side = "black" if state.turn == 0 else "white"
        _fail(text, f"{side} is in check, and it is not {side}'s move")
    return state


def _fail(text: Any, why: str) -> NoReturn:
    raise ValueError(f"the position {text!r} cannot be read: {why}")


def _read_ranks(text: str, ranks: str) -> NDArray[np.int8]:
    """Return the board as white sees it, the last rank first: white's pieces are positive."""
    rows = ranks.split("/")
    if len(rows) != SIZE:
        _fail(text, f"it has {len(rows)} ranks: expected {SIZE}, from the fifth down")
    grid = np.zeros((SIZE, SIZE), np.int8)
    for row, content in enumerate(rows):
        file, after_digit = 0, False
        for letter in content:
            is_digit = letter in "12345"
            if is_digit and after_digit:
                _fail(text, f"rank {SIZE - row} has two digits side by side: {content!r}")
            if not is_digit and letter not in _PIECES:
                _fail(text, f"rank {SIZE - row} has {letter!r}: expected one of {_PIECES} or 1 to {SIZE}")
            if not is_digit and file < SIZE:
                grid[row, file] = LETTERS.index(letter.upper()) * (1 if letter.isupper() else -1)
            file += int(letter) if is_digit else 1
            after_digit = is_digit
        if file != SIZE:
            _fail(text, f"rank {SIZE - row} has {file} squares, expected {SIZE}: {content!r}")
    return grid


def _check_pieces(text: str, grid: NDArray[np.int8]) -> None:
    """Check that each side has one king, no more pieces than at the start, and pawns where they can be."""
    for name, own in (("white", grid), ("black", -grid)):
        kings, pawns, pieces = ((own == KING).sum(), (own == PAWN).sum(), (own > 0).sum())
        if kings != 1:
            _fail(text, f"{name} has {kings} kings: expected 1")
        if pieces > 2 * SIZE or pawns > SIZE:
            _fail(text, f"{name} has {pieces} pieces, {pawns} of them pawns: expected {2 * SIZE} and {SIZE} at most")
        for row in (0, SIZE - 1):
            if (own[row] == PAWN).any():
                _fail(text, f"a pawn stands on {'abcde'[int((own[row] == PAWN).argmax())]}{SIZE - row}")


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
