"""The event in which a game was played, as a store knows it: what PGN, PDN and SGF have names for."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Event"]


class Event(NamedTuple):
    """Where and when a game was played, as far as that is known. Only formats of the field keep it, for people.

    Attributes:
        title: the title of the tournament.
        place: the round, the pairing of that round, and the game of that pairing, each from 0.
        date: the day, in UTC, as in ``"2026-11-28"``; ``"2026-11"`` or ``"2026"`` where it may have been another one.
        time: the time control, as `plyground.arena.TimeControl` reads it; empty where there was none.
    """

    title: str
    place: tuple[int, int, int] | None = None
    date: str | None = None
    time: str | None = None

    @property
    def round(self) -> str | None:
        """The place as people write it, each number from 1, as in ``"2.1.4"``."""
        return None if self.place is None else ".".join(str(number + 1) for number in self.place)

    @property
    def clock(self) -> tuple[float, float, bool] | None:
        """Seconds, the increment, and whether they are for each move; None where no clock on the wall was used."""
        if not self.time or self.time.endswith("cpu"):
            return None
        if self.time.endswith("/move"):
            return float(self.time.removesuffix("/move")), 0.0, True
        seconds, _, increment = self.time.partition("+")
        return float(seconds), float(increment or 0), False
