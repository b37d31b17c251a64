"""Positions of chess, built at random, where a capture en passant uncovers a check, or seems to.

A king stands behind the capturing pawn or the one that is captured, or both, and on the other side a piece that moves
along that line. Other pieces stand anywhere, so that some captures are legal after all, and some checks are others'.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess
import numpy as np

__all__ = ["LINES", "en_passant_pins"]

LINES = ("rank", "file", "diagonal", "diagonal of the captured pawn")
_STRAIGHT, _DIAGONAL = (chess.ROOK, chess.QUEEN), (chess.BISHOP, chess.QUEEN)
_OTHERS = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
_MOST_OTHERS = 6


def en_passant_pins(seed: int) -> Iterator[tuple[str, chess.Board]]:
    """Yield positions without end, half of them of each side, each with the line that is in question.

    A pawn has just moved two squares, and one beside it may capture it if that leaves no king in check. All are
    positions that python-chess calls valid.
    """
    rng = np.random.default_rng([seed, 12])
    while True:
        line = LINES[int(rng.integers(len(LINES)))]
        board = _built(line, rng)
        if board is not None and board.is_valid():
            yield line, board if rng.random() < 0.5 else board.mirror()


def _built(line: str, rng: np.random.Generator) -> chess.Board | None:
    """Return a position with white to move, valid or not; None if the line has no room for the pieces."""
    passed = int(rng.integers(8))
    sides = [file for file in (passed - 1, passed + 1) if 0 <= file < 8]
    file = sides[int(rng.integers(len(sides)))]
    taker, victim, target = chess.square(file, 4), chess.square(passed, 4), chess.square(passed, 5)
    slope = -1 if rng.random() < 0.5 else 1
    centre = victim if line == LINES[3] else taker
    x, y = {"rank": (1, 0), "file": (0, 1)}.get(line, (1, slope))
    ends = [[square for square in _ray(centre, sign * x, sign * y) if square != victim] for sign in (-1, 1)]
    if rng.random() < 0.5:
        ends.reverse()
    kings, sliders = ends
    taken = {taker, victim, target, chess.square(passed, 6)}
    board = chess.Board(None)
    board.set_piece_at(taker, chess.Piece(chess.PAWN, chess.WHITE))
    board.set_piece_at(victim, chess.Piece(chess.PAWN, chess.BLACK))
    board.ep_square = target
    kinds = _DIAGONAL if x and y else _STRAIGHT
    wanted = [
        (chess.Piece(chess.KING, chess.WHITE), kings),
        (chess.Piece(kinds[int(rng.integers(2))], chess.BLACK), sliders),
        (chess.Piece(chess.KING, chess.BLACK), list(chess.SQUARES)),
    ]
    if len(sides) == 2 and rng.random() < 0.3:  # two pawns can capture
        wanted.append((chess.Piece(chess.PAWN, chess.WHITE), [chess.square(sum(sides) - file, 4)]))
    for _ in range(int(rng.integers(_MOST_OTHERS + 1))):
        kind = _OTHERS[int(rng.integers(len(_OTHERS)))]
        wanted.append((chess.Piece(kind, bool(rng.integers(2))), list(chess.SQUARES)))
    for piece, squares in wanted:
        ranks = range(1, 7) if piece.piece_type == chess.PAWN else range(8)
        free = [square for square in squares if square not in taken and chess.square_rank(square) in ranks]
        if not free:
            return None
        square = free[int(rng.integers(len(free)))]
        board.set_piece_at(square, piece)
        taken.add(square)
    return board


def _ray(square: int, x: int, y: int) -> list[int]:
    """Return the squares in a direction, the nearest first."""
    file, rank = chess.square_file(square) + x, chess.square_rank(square) + y
    found = []
    while 0 <= file < 8 and 0 <= rank < 8:
        found.append(chess.square(file, rank))
        file, rank = file + x, rank + y
    return found
