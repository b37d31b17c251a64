"""Errors in code of somebody's own: where they came up, and, of a player, who it was and in which game.

An error of a player stays what it is, for whoever calls us from Python. It has a note, which Python shows below the
traceback from 3.11 on, and the command line in its place.
"""

from __future__ import annotations

import contextlib
import sysconfig
import traceback
from pathlib import Path
from typing import Any

from ..envs import Game
from ..envs.definition.board import sides_of
from ..envs.starting import position_of
from .records.record import GameRecord

__all__ = ["FaultNote", "note_fault", "noted", "own_frame", "place_of"]

_PACKAGE = [Path(__file__).parents[1] / room for room in ("agents", "arena", "envs")]
_WHEN = {
    "prepare": "before the game",
    "reset": "when the game began",
    "watch": "when it was told of a move",
    "act": "when it was to move",
}


class FaultNote(str):
    """Who failed, when, and in which game, as in ``"mine:Agent failed when it was to move as X against random, …"``.

    Attributes:
        place: as `place_of` returns it, which is lost with the traceback where another process sends the error.
    """

    place: str


def own_frame(error: BaseException) -> traceback.FrameSummary | None:
    """Return where in a file of the user's own an error came up, the innermost; None if it was in none."""
    libraries = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.is_file() and not any(map(file.is_relative_to, _PACKAGE + libraries)):
            return frame
    return None


def place_of(error: BaseException) -> str:
    """Return the same as the end of a message, as in ``" (/home/me/mine.py, line 12, in act)"``, or ``""``."""
    frame = own_frame(error)
    return "" if frame is None else f" ({frame.filename}, line {frame.lineno}, in {frame.name})"


def note_fault(error: Exception, record: GameRecord, seat: int, method: str, game: Game | None) -> None:
    """Note on an error of a player who it was, and in which game; nothing where the method is none of a player.

    Args:
        error: what the player raised.
        record: the game until now.
        seat: the player's seat.
        method: what it was asked, as in ``"act"``.
        game: the game, if it is one of ours.
    """
    if method not in _WHEN:
        return
    seed = "" if record.seed is None else f" with seed {record.seed}"
    side = ("the first player", "the second player")[seat] if game is None else sides_of(game)[seat]
    note = FaultNote(
        f"{record.players[seat]} failed {_WHEN[method]} as {side} against {record.players[1 - seat]}, in a game of "
        f"{record.game}{seed}{_moves_of(record, game)}"
    )
    note.place = place_of(error) or ("" if error.__cause__ is None else place_of(error.__cause__))
    with contextlib.suppress(Exception):  # as `add_note`, which Python 3.10 lacks
        error.__dict__.setdefault("__notes__", []).append(note)


def _moves_of(record: GameRecord, game: Game | None) -> str:
    """Return the moves of a game by their names, as the end of a sentence."""
    if not record.moves:
        return ", before any move"
    texts = list(map(str, record.moves))
    if game is not None:
        with contextlib.suppress(Exception):  # rules of somebody's own may be what has failed
            texts = game.line_names(record.moves, position_of(game, record.start))
    start = "" if record.start is None else f" from {record.start}"
    return f"{start}, after {' '.join(texts)}"


def noted(error: BaseException) -> FaultNote | None:
    """Return what is noted on an error of a player."""
    notes: list[Any] = getattr(error, "__notes__", [])
    return next((note for note in notes if isinstance(note, FaultNote)), None)
