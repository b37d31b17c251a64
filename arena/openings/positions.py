"""Openings that are positions: files with one in each line, FEN or EPD (S. J. Edwards, "PGN Standard", 1994, 16.2).

EPD is FEN without its counters, which chess has and which may stand there all the same, and then operations such as
``bm Nf3; id "Mate in 2";``. They are skipped, and messages name a position by its ``id``. What comes after ``#`` is
skipped too, outside of quotation marks.
"""

from __future__ import annotations

import re

from ...envs import Game
from ...envs.outside.messages import shown
from ...envs.starting import position_text
from ..records.opening import Opening

__all__ = ["SUFFIXES", "read_position"]

SUFFIXES = (".epd", ".fen")  # of files with positions
_UNQUOTED = re.compile(r'(?:[^#"]|"[^"]*"?)*')
_OPERATIONS = re.compile(r'(?:[A-Za-z]\w{0,14}(?:\s(?:[^;"]|"[^"]*")*)?;\s*)*')  # no sign fits in two places
_ID = re.compile(r'(?:^|;\s*)id\s+"([^"]*)"')


def read_position(game: Game, line: str) -> Opening | None:
    """Return the position in a line; None if there is nothing but a comment.

    Raises:
        ValueError: it cannot be read, is no position of the game, or one in which the game is over.
    """
    found = _UNQUOTED.match(line)
    text = "" if found is None else found[0].strip()
    if not text:
        return None
    fields, rest = text.split(), text
    whole = game.fen(game.initial[0]).split()
    least = len(whole)
    while least > 1 and whole[least - 1].isdecimal():  # counters, which EPD leaves out
        least -= 1
    count = min(least, len(fields))
    while count < min(len(whole), len(fields)) and fields[count].isdecimal():
        count += 1
    for field in fields[:count]:
        rest = rest.removeprefix(field).lstrip()
    try:
        found = _OPERATIONS.match(rest)
        if wrong := rest if found is None else rest[found.end() :]:
            raise ValueError(f"{shown(wrong)} is no operation: expected some such as 'bm Nf3;' after the position")
        state = game.state_from_fen(" ".join(fields[:count]))
        if game.is_terminal(state):
            raise ValueError("the game is over in this position")
    except ValueError as error:
        name = _ID.search(rest)
        raise ValueError(f"{name[1]}: {error}" if name else str(error)) from None
    return Opening([], position_text(game, state))
