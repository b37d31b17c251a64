"""What FENs of chess and of minichess share: the fields, the ranks, and errors that quote the text.

Forsyth–Edwards Notation (S. J. Edwards, "PGN Standard", 1994, 16.1): the ranks from the last down, the side to move,
castling rights, the square behind a pawn that has just moved two squares, the plies since the last capture or move of a
pawn, and the number of the move. The last two may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

from ..outside.messages import cut, shown

__all__ = ["FenFields", "refuse", "split_fen", "squares_of", "write_ranks"]

_ORDINALS = {5: "fifth", 8: "eighth"}
_DIGITS = 5  # of a count, at most
_MOST_QUOTED = 200  # characters: a FEN has 90 or so, and the text may be a whole file


class FenFields(NamedTuple):
    """The fields of a FEN, but for the number of the move, which no state keeps."""

    ranks: str
    turn: int  # 0: white, 1: black
    castling: str
    passed: str
    quiet: int


def refuse(text: Any, why: str) -> NoReturn:
    """Raise the `ValueError` of a text that is no FEN, or of a position that cannot be."""
    raise ValueError(f"the position {shown(text, _MOST_QUOTED)} cannot be read: {cut(why, _MOST_QUOTED)}")


def split_fen(text: Any, example: str, most_quiet: int) -> FenFields:
    """Return the fields of a FEN.

    Args:
        text: the FEN.
        example: one of the game, for the error.
        most_quiet: the most plies since the last capture or move of a pawn.

    Raises:
        ValueError: it is no text of four to six fields, or the side to move or a count cannot be read.
    """
    if not isinstance(text, str):
        refuse(text, f"expected text, as in {example!r}")
    fields = text.split()
    if not 4 <= len(fields) <= 6:
        some = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        refuse(text, f"it has {some}: expected 4 to 6, as in {example!r}")
    ranks, turn, castling, passed = fields[:4]
    if turn not in ("w", "b"):
        refuse(text, f"the side to move must be w or b, got {turn!r}")
    quiet, number = (fields[4:] + ["0", "1"][len(fields) - 4 :])[:2]
    if not (_is_count(quiet) and int(quiet) <= most_quiet):
        refuse(text, f"the count of plies without capture or pawn move must be 0 to {most_quiet}, got {quiet!r}")
    if not _is_count(number):
        refuse(text, f"the number of the move must be a whole number of at most {_DIGITS} digits, got {number!r}")
    return FenFields(ranks, "wb".index(turn), castling, passed, int(quiet))


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS


def squares_of(text: str, ranks: str, size: int, pieces: str) -> Iterator[tuple[int, int, str]]:
    """Yield the rank and the file of each piece, from 0 as white counts, with its letter: the last rank first.

    Args:
        text: the whole FEN, for errors.
        ranks: its field of the ranks.
        size: the ranks of the board, and its files.
        pieces: the letters that stand for pieces, white's in upper case.

    Raises:
        ValueError: there are more or fewer ranks or files, other letters, or two digits side by side.
    """
    rows = ranks.split("/")
    if len(rows) != size:
        refuse(text, f"it has {len(rows)} ranks: expected {size}, from the {_ORDINALS[size]} down")
    digits = "".join(str(n) for n in range(1, size + 1))
    for rank, content in zip(range(size - 1, -1, -1), rows, strict=True):
        file, after_digit = 0, False
        for letter in content:
            is_digit = letter in digits
            if is_digit and after_digit:
                refuse(text, f"rank {rank + 1} has two digits side by side: {content!r}")
            if not is_digit and letter not in pieces:
                refuse(text, f"rank {rank + 1} has {letter!r}: expected one of {pieces} or 1 to {size}")
            if not is_digit and file < size:
                yield rank, file, letter
            file += int(letter) if is_digit else 1
            after_digit = is_digit
        if file != size:
            refuse(text, f"rank {rank + 1} has {file} squares, expected {size}: {content!r}")


def write_ranks(rows: Iterable[str]) -> str:
    """Return the field of the ranks: ``rows`` from the last rank down, with a letter or a full stop for each square."""
    return "/".join(re.sub(r"\.+", lambda dots: str(len(dots[0])), row) for row in rows)
