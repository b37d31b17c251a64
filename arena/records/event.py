"""The event in which a game was played, as a store or a file knows it: what PGN, PDN and SGF have names for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...envs.outside.arguments import is_text

__all__ = ["Event", "is_event", "known_event"]

_NAMES = ("title", "site", "date", "round")  # of what JSON has


class Event(NamedTuple):
    """Where and when a game was played, as far as that is known, for people.

    Attributes:
        title: the title of the tournament; empty if it is not known.
        place: the round, the pairing of that round, and the game of that pairing, each from 0; or, of a game that was
            read from a file, what the file calls its round.
        date: the day, in UTC, as in ``"2026-11-28"``; ``"2026-11"`` or ``"2026"`` where it may have been another one;
            or what else a file says.
        time: the time control, as `plyground.arena.TimeControl` reads it; empty where there was none. It is told of
            games of tournaments in a store, and not read from files.
        site: the town, or the address of a server.
    """

    title: str
    place: tuple[int, int, int] | str | None = None
    date: str | None = None
    time: str | None = None
    site: str | None = None

    @property
    def round(self) -> str | None:
        """The place as people write it, each number from 1, as in ``"2.1.4"``."""
        if self.place is None or isinstance(self.place, str):
            return self.place
        return ".".join(str(number + 1) for number in self.place)

    @property
    def clock(self) -> tuple[float, float, bool] | None:
        """Seconds, the increment, and whether they are for each move; None where no clock on the wall was used."""
        if not self.time or self.time.endswith("cpu"):
            return None
        if self.time.endswith("/move"):
            return float(self.time.removesuffix("/move")), 0.0, True
        seconds, _, increment = self.time.partition("+")
        return float(seconds), float(increment or 0), False

    def as_data(self) -> dict[str, str]:
        """Return what JSON lines and stores keep of it: whatever is known but the time control."""
        return {name: value for name in _NAMES if (value := getattr(self, name))}


def is_event(value: Any) -> bool:
    """Return whether a value of JSON is what `Event.as_data` returns."""
    return isinstance(value, dict) and all(name in _NAMES and is_text(text) for name, text in value.items())


def known_event(known: Mapping[str, str]) -> Event | None:
    """Return the event of which something is known, by the names of `Event.as_data`; None if nothing is."""
    title, site, date, round = (known.get(name) or None for name in _NAMES)
    return Event(title or "", round, date, site=site) if title or site or date or round else None
