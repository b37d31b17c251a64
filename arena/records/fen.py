"""Positions of checkers as PDN has them: the text of its tag ``FEN``, such as ``B:W18,24,K27:B12,16,K20``.

It begins with the side to move. The squares of each side follow, in any order, with a ``K`` before a king's. Men may
stand in ranges, ``B1-12``, and a full stop may end the text (PDN 3.0, https://github.com/wiegerw/pdn).
"""

from __future__ import annotations

import re

import numpy as np

from ...envs import Game, State

__all__ = ["read_fen"]

_FORM = "expected as in 'B:W18,24,K27:B12,16,K20': who is to move, and the squares of both sides"
_PIECES = re.compile(r"(K?)(\d+)(?:-(\d+))?")
_MOST = 12  # pieces of a side


def read_fen(game: Game, text: str) -> State:
    """Return the position; of checkers, with no quiet plies counted.

    Args:
        game: checkers, with any parameters, or another game that reads positions itself.
        text: the position.

    Raises:
        ValueError: the game reads no positions, the text cannot be read, or no game can come to the position.
    """
    if game.name != "checkers":
        return game.state_from_fen(text)
    parts = "".join(text.split()).removesuffix(".").upper().split(":")
    if [part[:1] for part in parts] not in (["B", "B", "W"], ["B", "W", "B"], ["W", "B", "W"], ["W", "W", "B"]):
        raise ValueError(f"the position {text!r} cannot be read: {_FORM}")
    turn = parts[0]
    planes = np.zeros(game.observation_shape, game.observation_dtype)
    planes[:, :, 5] = turn == "W"
    taken: set[int] = set()
    for part in parts[1:]:
        squares = [item for piece in part[1:].split(",") for item in _squares(text, piece)]
        if len(squares) > _MOST:
            raise ValueError(f"the position {text!r} has {len(squares)} pieces of a side: expected {_MOST} at most")
        for square, king in squares:
            if square in taken:
                raise ValueError(f"the position {text!r} has two pieces on {square}")
            taken.add(square)
            row = (square - 1) // 4
            if not king and row == (7 if part[0] == "B" else 0):
                raise ValueError(f"the position {text!r} has a man on {square}, where he is a king: write K{square}")
            planes[row, (square - 1) % 4 * 2 + (row + 1) % 2, king + 2 * (part[0] != turn)] = 1
    return game.state_from_observation(planes)


def _squares(text: str, piece: str) -> list[tuple[int, int]]:
    """Return the squares of one entry, each with 1 for a king and 0 for a man."""
    found = _PIECES.fullmatch(piece)
    if found is None or (found[1] and found[3]):
        raise ValueError(f"the position {text!r} cannot be read at {piece!r}: {_FORM}")
    first, last = int(found[2]), int(found[3] or found[2])
    if not 1 <= first <= last <= 32:
        raise ValueError(f"the position {text!r} has a piece on {piece}: expected squares from 1 to 32")
    return [(square, int(bool(found[1]))) for square in range(first, last + 1)]
