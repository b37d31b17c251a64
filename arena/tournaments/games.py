"""The games of a tournament as they are played: in this process, or in others."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing

from ..records.record import GameRecord
from .bundles import Bundle, Pace, bundles_of
from .course import Course
from .schedules import Pairing
from .table import Table
from .workers import Workers

__all__ = ["MANY", "played"]

MANY = 1000  # games of a round from which on those of players that can are played side by side

_LOG = logging.getLogger("plyground")


def played(course: Course, table: Table, workers: Workers | None) -> Iterator[GameRecord]:
    """Yield the games of a tournament that are left, in order; what happens to players is said to the log.

    Args:
        course: the tournament; each game is added to it.
        table: its players.
        workers: who plays in other processes; None: all is played here.
    """
    try:
        while not course.is_over:
            with closing(_here(course, table) if workers is None else workers.play(course)) as finished:
                for bundle, records in finished:
                    for record in records:
                        if course.accepts(bundle.pairing):
                            failed = course.add(record)
                            if failed is not None:
                                _tell(course, failed, record)
                            yield record
    finally:
        if workers is not None:
            workers.close()


def _tell(course: Course, player: int, record: GameRecord) -> None:
    name = course.labels[player]
    _LOG.warning("%s fails in game %d, and loses it: %s", name, course.played, record.reason)
    if player in course.withdrawn:
        _LOG.warning("%s has failed too often: it is withdrawn, and its other games are not played", name)


def _here(course: Course, table: Table) -> Generator[tuple[Bundle, Iterable[GameRecord]], None, None]:
    pace = Pace()

    def size(pairing: Pairing) -> int:
        return pace.size if table.plays_side_by_side(pairing) else 1

    for bundle in bundles_of(course, size):
        start = time.perf_counter()
        records = table.play(bundle)
        if table.plays_side_by_side(bundle.pairing):
            records = list(records)
            pace.note(bundle, time.perf_counter() - start)
        yield bundle, records
