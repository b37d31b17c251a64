"""Bundles: games that are played in one go by one process, and how many these are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby, islice
from typing import NamedTuple

from .course import Course, Task
from .schedules import Pairing

__all__ = ["Bundle", "Pace", "bundles_of"]

_AIM = 0.25  # seconds that a bundle should take: what Ctrl-C, or a machine that fails, costs at most, about
_MOST = 512  # openings in a bundle; more make nothing faster


class Bundle(NamedTuple):
    """Games of two players, in order. The lists have an element for each game."""

    pairing: Pairing
    openings: list[list[int]]  # the moves
    sides: list[int]  # 0: the first of the pairing begins; 1: the other does
    seeds: list[int]


class Pace:
    """How many openings a bundle has: at first one, and more as bundles turn out to be quick."""

    def __init__(self) -> None:
        self.size = 1

    def note(self, bundle: Bundle, seconds: float) -> None:
        """Learn how long a bundle took."""
        if seconds < _AIM and len(bundle.seeds) >= self.size:
            self.size = min(2 * self.size, _MOST)
        elif seconds > 4 * _AIM:
            self.size = max(1, self.size // 2)


def bundles_of(course: Course, size: Callable[[Pairing], int]) -> Iterator[Bundle]:
    """Yield what is left of this round of a tournament; ``size`` is asked how many openings the next bundle has."""
    for pairing, tasks in groupby(course.tasks(), key=lambda task: task.pairing):
        while some := list(islice(tasks, size(pairing))):
            yield _bundle(course, pairing, some)


def _bundle(course: Course, pairing: Pairing, tasks: list[Task]) -> Bundle:
    games = [(task.opening, side) for task in tasks for side in task.sides]
    openings = [course.openings[opening] for opening, _ in games]
    return Bundle(pairing, openings, [side for _, side in games], course.seeds_of(games))
