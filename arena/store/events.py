"""Where and when the games of a tournament were played, as far as a store knows it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any

from ..records.event import Event
from ..wording import decimal_of
from .titles import COLLECTION

__all__ = ["events_of"]

_NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_CONTROL = re.compile(  # the `repr` of a `plyground.arena.TimeControl`
    rf"TimeControl\(seconds={_NUMBER}, increment={_NUMBER}, per_move=(True|False), cpu=(True|False), margin=.*\)"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=T)")
_SIGNS = (10, 7, 4)  # of a day, of a month and of a year


def events_of(
    connection: sqlite3.Connection, title: str, arguments: Mapping[str, Any]
) -> Callable[[int | None, int, int, int], Event | None]:
    """Return a function of the run, the round, the pairing and the number of a game, which tells its event.

    Args:
        connection: the file, which is asked about each run once.
        title: the title of the tournament.
        arguments: what it was begun with; nothing of games from elsewhere, of which at most the title is known.
    """
    if not arguments:
        elsewhere = None if title == COLLECTION else Event(title)
        return lambda *_: elsewhere
    time = _time_of(arguments.get("time"))
    dates: dict[int | None, str | None] = {None: None}

    def event_of(run: int | None, round: int, pairing: int, number: int) -> Event:
        if run is not None and run not in dates:
            dates[run] = _date_of(connection, run)
        return Event(title, (round, pairing, number), dates[run], time)

    return event_of


def _time_of(stored: Any) -> str | None:
    """Return the time control of a tournament as it is written at the terminal; empty if there was none."""
    found = _CONTROL.fullmatch(stored) if isinstance(stored, str) else None
    if found is None:
        return "" if stored is None else None
    seconds, increment = float(found[1]), float(found[2])
    kind = "/move" if found[3] == "True" else f"+{decimal_of(increment)}" if increment else ""
    return f"{decimal_of(seconds)}{kind}{' cpu' if found[4] == 'True' else ''}"


def _date_of(connection: sqlite3.Connection, run: int) -> str | None:
    """Return the day on which a process played, or the month or year, in which it began and had ended.

    One that was killed had ended before another one that has saved games after its last, or by now.
    """
    began, ended = connection.execute("SELECT began, ended FROM runs WHERE id = ?", (run,)).fetchone()
    if ended is None:
        (ended,) = connection.execute(
            "SELECT min(ended) FROM runs WHERE id IN "
            "(SELECT run FROM games WHERE id > (SELECT max(id) FROM games WHERE run = ?))",
            (run,),
        ).fetchone()
    days = [_DAY.match(text) for text in (began, ended or datetime.now(timezone.utc).isoformat())]
    first, last = (day[0] if day is not None else "" for day in days)
    return next((first[:signs] for signs in _SIGNS if first[:signs] == last[:signs] != ""), None)
