"""The formats of tournaments by name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest, parse_spec
from .allocation import bandit
from .course import Course
from .schedules import Outcome, Schedule, gauntlet, knockout, round_robin, swiss

__all__ = ["FORMATS", "canonical_format", "expected_games", "planned_games", "same_format", "schedule_of"]

FORMATS: dict[str, Callable[..., Schedule]] = {
    one.__name__: one for one in (round_robin, gauntlet, swiss, knockout, bandit)
}


def schedule_of(spec: str, players: int) -> Schedule:
    """Return the schedule that a spec names, such as ``"swiss(rounds=5)"``, for so many players.

    Raises:
        ValueError: there is none of this name, or it takes no such arguments.
    """
    name, named = _parsed(spec)
    return _checked(FORMATS[name](players, **named))


def _parsed(spec: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of a format, see `schedule_of` for the errors."""
    name, values, named = parse_spec(spec)
    if name not in FORMATS:
        stops = "; a test that stops by itself is `plyground sprt`, or `Sprt` with `until_decided`"
        raise ValueError(f"unknown format {shown(name)}: {nearest(name, FORMATS)}{stops if name == 'sprt' else ''}")
    options = list(inspect.signature(FORMATS[name]).parameters)[1:]
    if values or not set(named) <= set(options):
        takes = f"takes {', '.join(f'{option}=…' for option in options)}" if options else "takes no arguments"
        raise ValueError(f"cannot make a tournament of {shown(spec)}: {name} {takes}")
    return name, named


def canonical_format(spec: str) -> str:
    """Return the one spelling of a format that there is: as ``"gauntlet"`` for ``" gauntlet(seeds=1)"``.

    Arguments that are the defaults are left out, but for such as depend on the number of players.

    Raises:
        ValueError: there is none of this name, or it takes no such arguments.
    """
    name, named = _parsed(spec)
    usual = inspect.signature(FORMATS[name]).parameters
    others = [f"{key}={value!r}" for key, value in sorted(named.items()) if value != usual[key].default]
    return f"{name}({', '.join(others)})" if others else name


def same_format(one: str, other: str) -> bool:
    """Return whether two specs name the same format, however they are spelt; those that name none are not the same."""
    try:
        return canonical_format(one) == canonical_format(other)
    except ValueError:
        return False


def planned_games(format: str, players: int, games: int) -> int:
    """Return how many games a tournament has, if no player is withdrawn and no pairing of a knockout is tied.

    Raises:
        ValueError: there is no such format.
    """
    return games * sum(_planned_rounds(format, players))


def expected_games(course: Course, format: str) -> int:
    """Return how many games a tournament of this format will have, as far as it is known after those of its course.

    Who is withdrawn plays no more, and a tied pairing of a knockout is played again. What that changes in later rounds
    is known when they come.
    """
    rounds = _planned_rounds(format, len(course.labels))
    known = course.played + course.left_in_round
    return known if course.is_over or len(rounds) == 1 else max(known, course.games * sum(rounds))


@functools.lru_cache
def _planned_rounds(format: str, players: int) -> list[int]:
    """Return how many pairings each round has, as `planned_games` counts them."""
    schedule = schedule_of(format, players)
    rounds, upcoming = [], next(schedule)
    while True:
        rounds.append(len(upcoming))
        try:
            upcoming = schedule.send(Outcome([(1.0, 0.0)] * len(upcoming), set()))
        except StopIteration:
            return rounds


def _checked(schedule: Schedule) -> Schedule:
    """Return the same schedule after its first round was asked for, so that a wrong argument is said at once."""
    first = next(schedule)

    def rounds() -> Schedule:
        upcoming = first
        while True:
            outcome = yield upcoming
            try:
                upcoming = schedule.send(outcome)
            except StopIteration as end:
                return end.value

    return rounds()
