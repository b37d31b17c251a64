"""What PDN and PGN write alike: the tag pairs before the moves of a game, and its result."""

from __future__ import annotations

import re

from .record import GameRecord

__all__ = ["check_start", "escaped", "event_tags", "result_of"]


def check_start(record: GameRecord) -> None:
    """Raise `ValueError` if a game starts from a position that FEN cannot tell, for which there is no tag."""
    if (record.start or "").startswith("{"):
        raise ValueError("the game starts from a position that FEN cannot tell: write a .jsonl file")


def escaped(text: str) -> str:
    """Return a text as the value of a tag, which is one line between quotation marks."""
    return re.sub(r'(["\\])', r"\\\1", re.sub(r"\r\n|\r|\n", " ", text))


def event_tags(record: GameRecord) -> dict[str, str]:
    """Return the tags that tell where and when a game was played, as far as that is known."""
    event = record.event
    if event is None:
        return {"Event": "plyground"}
    tags = {"Event": event.title}
    if event.date is not None:
        tags["Date"] = event.date.replace("-", ".") + ".??" * (2 - event.date.count("-"))
    if event.round is not None:
        tags["Round"] = event.round
    if event.clock is not None:
        seconds, increment, per_move = event.clock
        tags["TimeControl"] = f"{'1/' if per_move else ''}{seconds:g}{f'+{increment:g}' if increment else ''}"
    elif event.time == "":
        tags["TimeControl"] = "-"
    return tags


def result_of(record: GameRecord, player: int) -> str:
    """Return the points of the first player, then the second's; ``player`` is the one to move at the end.

    Whoever made an illegal move has lost; a game that was broken off has no result, ``*``.
    """
    if record.ending == "truncated":
        return "*"
    balance = 2 * player - 1 if record.ending == "illegal" else record.outcome[0] - record.outcome[1]
    return "1/2-1/2" if balance == 0 else "1-0" if balance > 0 else "0-1"
