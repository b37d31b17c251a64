"""The slow count that ours is held against, in tests and in the benchmark: python-chess, one move after the other."""

from __future__ import annotations

from typing import Any


def by_python_chess(board: Any, depth: int) -> int:
    """Return how many sequences of legal moves python-chess counts from its board."""
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += by_python_chess(board, depth - 1)
        board.pop()
    return total
