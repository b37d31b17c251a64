"""The games of a tournament as they are played: in this process, or in others."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Protocol

from ..records.opening import Opening
from ..records.record import GameRecord
from .bundles import Bundle, Pace, bundles_of
from .course import Course
from .pairing import Pairing
from .table import Table
from .workers import Workers

__all__ = ["MANY", "Kept", "played"]

MANY = 1000  # games of a round from which on those of players that can are played side by side

_LOG = logging.getLogger("plyground")


class Kept(Protocol):
    """Where the games of a tournament are kept, such as `plyground.arena.store.Session`."""

    def find(self, players: Sequence[str], opening: Opening, seed: int) -> GameRecord | None:
        """Return a game that is there; None if it is not."""
        ...

    def keep(self, records: Sequence[GameRecord]) -> list[GameRecord]:
        """Save games as soon as they are finished, and return those that count."""
        ...

    def enter(self, games: Sequence[tuple[tuple[int, int, int], GameRecord]]) -> None:
        """Put games that are saved into the tournament, at their places."""
        ...

    def end(self, passed: Mapping[tuple[int, int], int]) -> None:
        """Keep in a tournament, which is over, only the games that belong to it.

        Args:
            passed: how many games each pairing has had, by the numbers of its round and of the pairing; those that are
                missing had none.
        """
        ...


def played(course: Course, table: Table, workers: Workers | None, kept: Kept | None = None) -> Iterator[GameRecord]:
    """Yield the games of a tournament that are left, in order; what happens to players is said to the log.

    Args:
        course: the tournament; each game is added to it.
        table: its players.
        workers: who plays in other processes; None: all is played here.
        kept: where games are kept: those that are there are not played again.
    """
    find = None if kept is None else kept.find
    keep = list if kept is None else kept.keep
    passed: dict[tuple[int, int], int] = {}
    try:
        while not course.is_over:
            runs = _here(course, table, kept) if workers is None else workers.play(course, find, keep)
            with closing(runs) as finished:
                for bundle, records in finished:
                    entries: list[tuple[tuple[int, int, int], GameRecord]] = []
                    for record in records:
                        if not course.accepts(bundle.pairing):
                            break
                        round_, pairing, number = course.place
                        passed[round_, pairing] = number + 1
                        entries.append(((round_, pairing, number), record))
                        failed = course.add(record)
                        if failed is not None and not any(record is one for one in bundle.found.values()):
                            _tell(course, failed, record)  # an earlier run has told of those that were found
                        if kept is None:
                            yield record
                    if kept is not None:
                        kept.enter(entries)
                        if course.is_over and course.withdrawn:  # with fewer games a pairing, others were played
                            kept.end(passed)
                        yield from (record for _, record in entries)
    finally:
        if workers is not None:
            workers.close()


def _tell(course: Course, player: int, record: GameRecord) -> None:
    name = course.labels[player]
    _LOG.warning("%s fails in game %d, and loses it: %s", name, course.played, record.reason)
    if player in course.withdrawn:
        _LOG.warning("%s has failed too often: it is withdrawn, and its other games are not played", name)


def _here(
    course: Course, table: Table, kept: Kept | None
) -> Generator[tuple[Bundle, Iterable[GameRecord]], None, None]:
    """Yield the bundles of this round, in order, with their games; those that are played one by one game by game."""
    paces = defaultdict[Pairing, Pace](Pace)

    def size(pairing: Pairing) -> int:
        return paces[pairing].size if table.plays_side_by_side(pairing) else 1

    for bundle in bundles_of(course, size, None if kept is None else kept.find):
        start = time.perf_counter()
        records = table.play(bundle.left)
        if table.plays_side_by_side(bundle.pairing):
            games = list(records)
            paces[bundle.pairing].note(bundle.left, time.perf_counter() - start)
            yield bundle, bundle.with_found(games if kept is None else kept.keep(games))
            continue
        if kept is not None:
            records = (kept.keep([record])[0] for record in records)
        for record in bundle.with_found(records):  # each is entered before the next one is played
            yield bundle, [record]
            if not course.accepts(bundle.pairing):
                break
