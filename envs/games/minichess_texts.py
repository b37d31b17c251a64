"""How minichess is written and shown: names of moves, FEN, the board."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .chessmen import board_of_chessmen
from .forsyth import refuse, split_fen, squares_of, write_ranks
from .minichess_moves import KING, LETTERS, PAWN, PLANES, PROMOTED, SIZE, SQUARES, TARGETS, UNDERPROMOTION
from .minichess_rules import STATE, is_attacked, is_check, king_of

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
    rows = ["".join(LETTERS[piece] if piece >= 0 else LETTERS[-piece].lower() for piece in row) for row in _grid(state)]
    return f"{write_ranks(rows)} {'wb'[state.turn]} - - {state.quiet} 1"


def read_fen(text: str, most_quiet: int) -> Any:
    """Return the state of a position in FEN, in which the fields for castling and en passant are ``-``.

    Args:
        text: the position. The counts of quiet plies and of moves may be left out.
        most_quiet: the most plies since the last capture or move of a pawn.

    Raises:
        ValueError: the text cannot be read, or is no position of minichess; the message says why.
    """
    fields = split_fen(text, "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1", most_quiet)
    if (others := [fields.castling, fields.passed]) != ["-", "-"]:
        refuse(text, f"nobody castles, or captures en passant: expected '- -' after the side to move, got {others}")
    state, board = np.zeros(1, STATE)[0], np.zeros((SIZE, SIZE), np.int8)
    state.turn, state.quiet = fields.turn, fields.quiet
    for rank, file, letter in squares_of(text, fields.ranks, SIZE, _PIECES):
        board[SIZE - 1 - rank, file] = LETTERS.index(letter.upper()) * (1 if letter.isupper() else -1)
    state.cells[:] = (board[::-1] if state.turn == 0 else -board).ravel()
    _check_pieces(text, board)
    if is_attacked(state.cells, king_of(state.cells, -1), 1, -1, -1):
        side = "black" if state.turn == 0 else "white"
        refuse(text, f"{side} is in check, and it is not {side}'s move")
    return state


def _check_pieces(text: str, grid: NDArray[np.int8]) -> None:
    """Check that each side has one king, no more pieces than at the start, and pawns where they can be."""
    for name, own in (("white", grid), ("black", -grid)):
        kings, pawns, pieces = ((own == KING).sum(), (own == PAWN).sum(), (own > 0).sum())
        if kings != 1:
            refuse(text, f"{name} has {kings} kings: expected 1")
        if pieces > 2 * SIZE or pawns > SIZE:
            refuse(text, f"{name} has {pieces} pieces, {pawns} of them pawns: expected {2 * SIZE} and {SIZE} at most")
        for row in (0, SIZE - 1):
            if (own[row] == PAWN).any():
                refuse(text, f"a pawn stands on {'abcde'[int((own[row] == PAWN).argmax())]}{SIZE - row}")


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


BOARD = board_of_chessmen(SIZE, _pieces, _cells, _threatened)
