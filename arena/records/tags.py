"""What PDN and PGN write alike: the tag pairs before the moves of a game, and its result."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..wording import decimal_of
from .event import Event, known_event
from .record import GameRecord

__all__ = ["check_start", "escaped", "event_of_tags", "event_tags", "result_of"]

_OURS = "plyground"  # the event of games of which none is known
_TITLE = "PlygroundEvent"  # our tag for a title that as `Event` would tell of no event
_UNKNOWN = "?."  # of what a tag consists where nothing is known
_DAY = re.compile(r"\d{4}(-\d\d){0,2}")
_DAY_IN_TAG = re.compile(r"(\d{4})(?:\.(\d\d))?(?:\.(\d\d))?(?:\.\?\?)*")


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
        return {"Event": _OURS}
    tags = {"Event": event.title or "?"}
    if event.title and not _title_of(event.title):
        tags[_TITLE] = event.title
    if event.site is not None:
        tags["Site"] = event.site
    if event.date is not None:
        is_day = _DAY.fullmatch(event.date)
        tags["Date"] = event.date.replace("-", ".") + ".??" * (2 - event.date.count("-")) if is_day else event.date
    if event.round is not None:
        tags["Round"] = event.round
    if event.clock is not None:
        seconds, increment, per_move = event.clock
        kind = f"+{decimal_of(increment)}" if increment else ""
        tags["TimeControl"] = f"{'1/' if per_move else ''}{decimal_of(seconds)}{kind}"
    elif event.time == "":
        tags["TimeControl"] = "-"
    return tags


def event_of_tags(tags: Mapping[str, str]) -> Event | None:
    """Return the event that the tags of a game tell, and not what `event_tags` writes where nothing is known."""
    title, site, date, round = (tags.get(name, "").strip() for name in ("Event", "Site", "Date", "Round"))
    day = _DAY_IN_TAG.fullmatch(date)
    known = {
        "title": tags.get(_TITLE) or _title_of(title),
        "site": site,
        "date": date if day is None else "-".join(filter(None, day.groups())),
        "round": round,
    }
    return known_event({name: text for name, text in known.items() if name == "title" or text.strip(_UNKNOWN)})


def _title_of(event: str) -> str:
    """Return the title that the tag ``Event`` tells; empty where it stands for none."""
    return event if event != _OURS and event.strip(_UNKNOWN) else ""


def result_of(record: GameRecord, player: int) -> str:
    """Return the points of the first player, then the second's; ``player`` is the one to move at the end.

    Whoever made an illegal move has lost; a game that was broken off has no result, ``*``.
    """
    if record.ending == "truncated":
        return "*"
    balance = 2 * player - 1 if record.ending == "illegal" else record.outcome[0] - record.outcome[1]
    return "1/2-1/2" if balance == 0 else "1-0" if balance > 0 else "0-1"
