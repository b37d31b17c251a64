"""The games of a tournament as they are played: in this process, or in several."""

from __future__ import annotations

import itertools
import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from joblib import Parallel, delayed

from ...agents import Agent, make
from ...envs import BoardGameEnv, Game
from ...envs.outside.elsewhere import absolute
from ...envs.players import PlayerLike
from ..loop import play_under
from ..records.record import GameRecord
from ..referee import Conditions
from .course import Course, Task

__all__ = ["Kept", "played"]

_LOG = logging.getLogger("plyground")
_tokens = itertools.count()


class Kept(Protocol):
    """Where the games of a tournament are kept, such as `plyground.arena.store.Session`."""

    def find(self, players: Sequence[str], opening: Sequence[int], seed: int) -> GameRecord | None:
        """Return a game that is there; None if it is not."""
        ...

    def keep(self, records: Sequence[GameRecord]) -> list[GameRecord]:
        """Save games as soon as they are finished, and return those that count."""
        ...

    def enter(self, games: Sequence[tuple[tuple[int, int, int], GameRecord]]) -> None:
        """Put games that are saved into the tournament, at their places."""
        ...


def played(
    course: Course,
    agents: Sequence[Agent],
    players: Sequence[PlayerLike],
    jobs: int,
    conditions: Conditions,
    kept: Kept | None = None,
) -> Iterator[GameRecord]:
    """Yield the games of a tournament that are left, in order; what happens to players is said to the log.

    Args:
        course: the tournament; each game is added to it.
        agents: the players, for this process.
        players: the same as they were given, for others, which make agents of specs themselves.
        jobs: processes, as joblib counts them.
        conditions: what ends games beside their rules.
        kept: where games are kept: those that are there are not played again.
    """
    while not course.is_over:
        tasks = _looked_up(course, kept)
        if jobs == 1:
            runs = _here(course, agents, tasks, conditions, kept)
        else:
            runs = _apart(course, players, tasks, jobs, conditions, kept)
        for task, records in runs:
            entries = []
            for record in records:
                if course.accepts(task.pairing):
                    place = course.place
                    failed = course.add(record)
                    entries.append((place, record))
                    if failed is not None:
                        _tell(course, failed, record)
            if kept is not None:
                kept.enter(entries)
            for _, record in entries:
                yield record


def _looked_up(course: Course, kept: Kept | None) -> Iterator[tuple[Task, Task, list[GameRecord]]]:
    """Yield the tasks that are left of this round; of each what is to be played, and its games that are kept."""
    for task in course.tasks():
        if kept is None:
            yield task, task, []
            continue
        labels, opening, seeds = _arguments(course, task)
        found = {side: kept.find(labels[::-1] if side else labels, opening, seed) for side, seed in seeds.items()}
        missing = tuple(side for side, record in found.items() if record is None)
        yield task, task._replace(sides=missing), [record for record in found.values() if record is not None]


def _in_order(task: Task, course: Course, *parts: list[GameRecord]) -> list[GameRecord]:
    """Return the games of a task, that of its first side first."""
    first = course.labels[task.pairing[0]]
    return sorted(itertools.chain(*parts), key=lambda record: task.sides.index(int(record.players[0] != first)))


def _tell(course: Course, player: int, record: GameRecord) -> None:
    name = course.labels[player]
    _LOG.warning("%s fails in game %d, and loses it: %s", name, course.played, record.reason)
    if player in course.withdrawn:
        _LOG.warning("%s has failed too often: it is withdrawn, and its other games are not played", name)


def _here(
    course: Course,
    agents: Sequence[Agent],
    tasks: Iterable[tuple[Task, Task, list[GameRecord]]],
    conditions: Conditions,
    kept: Kept | None,
) -> Iterator[tuple[Task, list[GameRecord]]]:
    for task, left, found in tasks:
        records: list[GameRecord] = []
        if left.sides:
            two = dict(zip(task.pairing, (agents[player] for player in task.pairing), strict=True))
            records = _play(course.game, two, *_arguments(course, left), conditions)
            if kept is not None:
                records = kept.keep(records)
        yield task, _in_order(task, course, found, records)


def _apart(
    course: Course,
    players: Sequence[PlayerLike],
    tasks: Iterable[tuple[Task, Task, list[GameRecord]]],
    jobs: int,
    conditions: Conditions,
    kept: Kept | None,
) -> Iterator[tuple[Task, list[GameRecord]]]:
    token = next(_tokens)
    sent = [absolute(player) if isinstance(player, str) else player for player in players]
    begun: dict[int, tuple[Task, list[GameRecord]]] = {}  # by number: tasks, and their games that need not be played
    ready: dict[int, list[GameRecord]] = {}  # what has come back before an earlier one
    faults: list[Exception] = []

    def calls() -> Iterator[Any]:  # which joblib asks for in a thread of its own, where errors would be lost
        try:
            for number, (task, left, found) in enumerate(tasks):
                begun[number] = task, found
                if left.sides:
                    two = {player: sent[player] for player in task.pairing}
                    arguments = _arguments(course, left)
                    yield delayed(_play_in_worker)(number, token, course.game, two, *arguments, conditions)
                else:
                    ready[number] = []
        except Exception as error:
            faults.append(error)

    def ordered() -> Iterator[tuple[Task, list[GameRecord]]]:
        while upcoming[0] in ready:
            task, found = begun.pop(upcoming[0])
            yield task, _in_order(task, course, found, ready.pop(upcoming[0]))
            upcoming[0] += 1

    upcoming = [0]
    parallel: Any = Parallel(n_jobs=jobs, return_as="generator_unordered")  # each is kept as soon as it is finished
    results = parallel(calls())
    try:
        for number, records in results:
            ready[number] = records if kept is None else kept.keep(records)
            yield from ordered()
        yield from ordered()
        if faults:
            raise faults[0]
    finally:
        with warnings.catch_warnings():  # joblib warns where somebody has seen enough before all games are played
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _arguments(course: Course, task: Task) -> tuple[list[str], list[int], dict[int, int]]:
    """Return the names of a pairing, the moves of the opening, and the seeds of the games by side."""
    seeds = {side: course.seed_of(task.opening, side) for side in task.sides}
    return [course.labels[player] for player in task.pairing], course.openings[task.opening], seeds


def _play(
    game: Game,
    agents: Mapping[int, PlayerLike],
    labels: Sequence[str],
    opening: list[int],
    seeds: Mapping[int, int],
    conditions: Conditions,
) -> list[GameRecord]:
    """Play an opening from the sides that have seeds."""
    env: Any = BoardGameEnv(game)
    two, records = list(agents.values()), []
    for side, seed in seeds.items():
        order = (1, 0) if side else (0, 1)
        names, moves = [labels[i] for i in order], {"moves": opening}
        records.append(play_under(env, [two[i] for i in order], seed, conditions, names=names, options=moves))
    return records


def _play_in_worker(
    task: int, token: int, game: Game, players: Mapping[int, PlayerLike], *rest: Any
) -> tuple[int, list[GameRecord]]:
    made = _made_in_tournament(token)
    for number, player in players.items():
        if isinstance(player, str) and number not in made:
            made[number] = make(player, game)
    return task, _play(game, {number: made.get(number, player) for number, player in players.items()}, *rest)


@lru_cache(maxsize=1)
def _made_in_tournament(token: int) -> dict[int, Agent]:
    """Return the agents that this worker has made, by number; none in a new tournament, which has another token."""
    return {}
