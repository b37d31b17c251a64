"""Positions of checkers as PDN has them: the text of its tag ``FEN``, such as ``B:W18,24,K27:B12,16,K20``.

It begins with the side to move. The squares of each side follow, in any order, with a ``K`` before a king's. Men may
stand in ranges, ``B1-12``, and a full stop may end the text (PDN 3.0, https://github.com/wiegerw/pdn). How many quiet
plies there were is not told: none. A position in the middle of a move has no such text. At the end of a game the side
to move may have no pieces: ``W:W:B23``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .squares import BITS

__all__ = ["MOST_PIECES", "fen_of", "read_fen"]

MOST_PIECES = 12  # of a side

_FORM = "expected as in 'B:W18,24,K27:B12,16,K20': who is to move, and the squares of both sides"
_PIECES = re.compile(r"(K?)(\d+)(?:-(\d+))?")


def read_fen(text: str, state: Any) -> Any:
    """Fill a zeroed state with a position, and return it.

    Raises:
        ValueError: the text cannot be read, or has pieces where they cannot be.
    """
    turn, *parts = "".join(text.split()).removesuffix(".").upper().split(":") if isinstance(text, str) else [""]
    if turn not in ("B", "W") or sorted(part[:1] for part in parts) != ["B", "W"]:
        raise ValueError(f"the position {text!r} cannot be read: {_FORM}")
    state.turn = int(turn == "W")
    taken: set[int] = set()
    for part in parts:
        listed = [] if part == turn else part[1:].split(",")  # the side to move may have lost its last piece
        squares = [item for piece in listed for item in _squares(text, piece)]
        if len(squares) > MOST_PIECES:
            raise ValueError(
                f"the position {text!r} has {len(squares)} pieces of a side: expected {MOST_PIECES} at most"
            )
        for square, king in squares:
            if square in taken:
                raise ValueError(f"the position {text!r} has two pieces on {square}")
            taken.add(square)
            if not king and (square - 1) // 4 == (7 if part[0] == "B" else 0):
                raise ValueError(f"the position {text!r} has a man on {square}, where he is a king: write K{square}")
            bit = np.uint64(1 << BITS[square - 1])
            state.sides[int(part[0] == "W")] |= bit
            if king:
                state.kings |= bit
    return state


def _squares(text: str, piece: str) -> list[tuple[int, bool]]:
    """Return the squares of one entry, each with whether a king stands there."""
    found = _PIECES.fullmatch(piece)
    if found is None or (found[1] and found[3]):
        raise ValueError(f"the position {text!r} cannot be read at {piece!r}: {_FORM}")
    first, last = int(found[2][:9]), int((found[3] or found[2])[:9])
    if not 1 <= first <= last <= 32:
        raise ValueError(f"the position {text!r} has a piece on {piece}: expected squares from 1 to 32")
    return [(square, bool(found[1])) for square in range(first, last + 1)]


def fen_of(state: Any) -> str:
    """Return a position as text.

    Raises:
        ValueError: it is one in the middle of a move.
    """
    if state.jumper:
        raise ValueError("a position of checkers in the middle of a move cannot be written as FEN")
    sides = [f"{'BW'[side]}{_listed(int(state.sides[side]), int(state.kings))}" for side in (1, 0)]
    return ":".join(["BW"[int(state.turn)], *sides])


def _listed(pieces: int, kings: int) -> str:
    places = [(square, bit) for square, bit in enumerate(BITS, start=1) if pieces >> bit & 1]
    return ",".join("K" * (kings >> bit & 1) + str(square) for square, bit in places)
