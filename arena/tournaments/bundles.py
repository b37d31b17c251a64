"""Bundles: games that are played in one go by one process, and how many these are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from ..records.opening import Opening
from ..records.record import GameRecord
from .course import Course, Task
from .pairing import Pairing

__all__ = ["Bundle", "Pace", "bundles_of"]

_AIM = 0.25  # seconds that a bundle should take: what Ctrl-C, or a machine that fails, costs at most, about
_MOST = 512  # openings in a bundle; more make nothing faster


Find = Callable[[Sequence[str], Opening, int], GameRecord | None]
"""Looks for a game, by its players, its opening, and its seed, where games are kept."""


class Bundle(NamedTuple):
    """Games of two players, in order. The lists have an element for each game."""

    pairing: Pairing
    openings: list[Opening]
    sides: list[int]  # 0: the first of the pairing begins; 1: the other does
    seeds: list[int]
    found: Mapping[int, GameRecord] = {}  # those that need not be played, by their places in the lists

    @property
    def left(self) -> Bundle:
        """The games that are to be played."""
        if not self.found:
            return self
        places = [place for place in range(len(self.seeds)) if place not in self.found]
        openings, sides = [self.openings[place] for place in places], [self.sides[place] for place in places]
        return Bundle(self.pairing, openings, sides, [self.seeds[place] for place in places])

    def with_found(self, records: Iterable[GameRecord]) -> Iterator[GameRecord]:
        """Yield all games, in order; ``records`` are those that were played."""
        played = iter(records)
        for place in range(len(self.seeds)):
            yield self.found[place] if place in self.found else next(played)


class Pace:
    """How many openings a bundle of two players has: at first one, and more as bundles turn out to be quick."""

    def __init__(self) -> None:
        self.size = 1

    def note(self, bundle: Bundle, seconds: float) -> None:
        """Learn how long a bundle took."""
        if seconds < _AIM and len(bundle.seeds) >= self.size:
            self.size = min(2 * self.size, _MOST)
        elif seconds > 4 * _AIM:
            self.size = max(1, self.size // 2)


def bundles_of(course: Course, size: Callable[[Pairing], int], find: Find | None = None) -> Iterator[Bundle]:
    """Yield what is left of this round of a tournament.

    Args:
        course: the tournament.
        size: tells how many openings the next bundle of a pairing has.
        find: looks for games that need not be played.
    """
    for pairing, tasks in groupby(course.tasks(), key=lambda task: task.pairing):
        while some := list(islice(tasks, size(pairing))):
            yield _bundle(course, pairing, some, find)


def _bundle(course: Course, pairing: Pairing, tasks: list[Task], find: Find | None) -> Bundle:
    games = [(task.opening, side) for task in tasks for side in task.sides]
    openings = [course.openings[opening] for opening, _ in games]
    bundle = Bundle(pairing, openings, [side for _, side in games], course.seeds_of(games))
    if find is None:
        return bundle
    labels, found = [course.labels[player] for player in pairing], dict[int, GameRecord]()
    for place, (opening, side, seed) in enumerate(zip(openings, bundle.sides, bundle.seeds, strict=True)):
        record = find(labels[::-1] if side else labels, opening, seed)
        if record is not None:
            found[place] = record
    return bundle._replace(found=found)
