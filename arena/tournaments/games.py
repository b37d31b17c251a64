"""The games of a tournament as they are played: in this process, or in several."""

from __future__ import annotations

import itertools
import logging
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from joblib import Parallel, delayed

from ...agents import Agent, make
from ...envs import BoardGameEnv, Game
from ...envs.outside.elsewhere import absolute
from ...envs.players import PlayerLike
from ..loop import play_under
from ..records.record import GameRecord
from ..referee import Conditions
from .course import Course, Task

__all__ = ["played"]

_LOG = logging.getLogger("plyground")
_tokens = itertools.count()


def played(
    course: Course, agents: Sequence[Agent], players: Sequence[PlayerLike], jobs: int, conditions: Conditions
) -> Iterator[GameRecord]:
    """Yield the games of a tournament that are left, in order; what happens to players is said to the log.

    Args:
        course: the tournament; each game is added to it.
        agents: the players, for this process.
        players: the same as they were given, for others, which make agents of specs themselves.
        jobs: processes, as joblib counts them.
        conditions: what ends games beside their rules.
    """
    while not course.is_over:
        tasks = course.tasks()
        runs = (
            _here(course, agents, tasks, conditions) if jobs == 1 else _apart(course, players, tasks, jobs, conditions)
        )
        for task, records in runs:
            for record in records:
                if course.accepts(task.pairing):
                    failed = course.add(record)
                    if failed is not None:
                        _tell(course, failed, record)
                    yield record


def _tell(course: Course, player: int, record: GameRecord) -> None:
    name = course.labels[player]
    _LOG.warning("%s fails in game %d, and loses it: %s", name, course.played, record.reason)
    if player in course.withdrawn:
        _LOG.warning("%s has failed too often: it is withdrawn, and its other games are not played", name)


def _here(
    course: Course, agents: Sequence[Agent], tasks: Iterable[Task], conditions: Conditions
) -> Iterator[tuple[Task, list[GameRecord]]]:
    for task in tasks:
        two = dict(zip(task.pairing, (agents[player] for player in task.pairing), strict=True))
        yield task, _play(course.game, two, *_arguments(course, task), conditions)


def _apart(
    course: Course, players: Sequence[PlayerLike], tasks: Iterable[Task], jobs: int, conditions: Conditions
) -> Iterator[tuple[Task, list[GameRecord]]]:
    token = next(_tokens)
    sent = [absolute(player) if isinstance(player, str) else player for player in players]
    begun: deque[Task] = deque()  # whose games have not come back

    def calls() -> Iterator[Any]:
        for task in tasks:
            two = {player: sent[player] for player in task.pairing}
            begun.append(task)
            yield delayed(_play_in_worker)(token, course.game, two, *_arguments(course, task), conditions)

    parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
    results = parallel(calls())
    try:
        for records in results:
            yield begun.popleft(), records
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


def _play_in_worker(token: int, game: Game, players: Mapping[int, PlayerLike], *rest: Any) -> list[GameRecord]:
    made = _made_in_tournament(token)
    for number, player in players.items():
        if isinstance(player, str) and number not in made:
            made[number] = make(player, game)
    return _play(game, {number: made.get(number, player) for number, player in players.items()}, *rest)


@lru_cache(maxsize=1)
def _made_in_tournament(token: int) -> dict[int, Agent]:
    """Return the agents that this worker has made, by number; none in a new tournament, which has another token."""
    return {}
