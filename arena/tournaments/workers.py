"""Processes that play the games of a tournament: those of joblib, Dask's among them, and those of a Ray cluster.

The games are the same wherever they are played, and come back a bundle at a time: each is kept as soon as it is there,
and given on in order.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Any

from joblib import delayed

from ..cluster import Cluster
from ..processes import WorkerError, has_unpacked, quiet, results_of, unpacked
from ..records.record import GameRecord
from .bundles import Bundle, Find, Pace, bundles_of
from .course import Course
from .pairing import Pairing
from .table import Table

__all__ = ["JoblibWorkers", "RayWorkers", "Workers"]

_AHEAD = 2  # tasks for each processor of a cluster: one is played while another waits
_RETRIES = 10  # of a task whose machine or process dies
_MOST_FOUND = 10_000  # games that need not be played, and wait to be given on

Numbered = tuple[int, Bundle]  # a bundle and its number in the round
Played = tuple[int, list[GameRecord], float]  # the number of a bundle, its games, and the seconds they took
Keep = Callable[[Sequence[GameRecord]], list[GameRecord]]


class Workers(ABC):
    """Other processes, on this machine or others.

    Args:
        table: the players. It is pickled once, and each worker unpickles it once.

    Raises:
        ValueError: a player cannot be pickled.
    """

    def __init__(self, table: Table) -> None:
        self._sent = table.packed()

    def play(
        self, course: Course, find: Find | None, keep: Keep
    ) -> Generator[tuple[Bundle, Iterator[GameRecord]], None, None]:
        """Yield the next bundles of this round, in order, with their games.

        Those are all that are left, or fewer where so many games are found that they would fill the memory. Whoever
        asks adds them to ``course``, and asks again for the rest.

        Args:
            course: the tournament.
            find: looks for games that need not be played.
            keep: called with games as soon as they have come back, in any order; returns those that count.
        """
        paces, begun, upcoming = defaultdict[Pairing, Pace](Pace), dict[int, Bundle](), 0
        ready: dict[int, list[GameRecord]] = {}  # what has come back, by its number
        found, given = 0, 0  # games: each number is changed in one thread
        faults: list[Exception] = []

        def tasks() -> Iterator[Numbered]:  # joblib asks for these in a thread of its own, where errors would be lost
            nonlocal found
            try:
                for number, bundle in enumerate(bundles_of(course, lambda pairing: paces[pairing].size, find)):
                    begun[number], left = bundle, bundle.left
                    found += len(bundle.found)
                    if left.seeds:
                        yield number, left
                    else:
                        ready[number] = []
                    if found - given >= _MOST_FOUND:  # joblib goes on until it has a task, and gives no game on before
                        return
            except Exception as error:
                faults.append(error)

        def in_order() -> Iterator[tuple[Bundle, Iterator[GameRecord]]]:
            nonlocal upcoming, given
            while upcoming in ready:
                bundle = begun.pop(upcoming)
                yield bundle, bundle.with_found(ready.pop(upcoming))
                upcoming += 1
                given += len(bundle.found)

        with closing(self._results(tasks())) as results:
            for number, records, seconds in results:
                paces[begun[number].pairing].note(begun[number].left, seconds)
                ready[number] = keep(records)
                yield from in_order()
        yield from in_order()
        if faults:
            raise faults[0]

    @abstractmethod
    def _results(self, tasks: Iterator[Numbered]) -> Generator[Played, None, None]:
        """Yield what `play_in_worker` returns for each task, in any order."""

    def close(self) -> None:  # noqa: B027  (joblib's processes wait for the next work)
        """Let the workers go."""


def play_in_worker(token: str, data: Any, number: int, bundle: Bundle) -> Played:
    """Play a bundle at the table in this parcel."""
    table: Table = unpacked(token, data)
    start = time.perf_counter()
    with quiet():
        records = list(table.play(bundle))
    return number, records, time.perf_counter() - start


class JoblibWorkers(Workers):
    """The workers of joblib's backend: processes of this machine, or those of a Dask cluster.

    Args:
        table: the players.
        jobs: how many, as joblib's ``n_jobs``.
    """

    def __init__(self, table: Table, jobs: int) -> None:
        super().__init__(table)
        self._jobs = jobs

    def _results(self, tasks: Iterator[Numbered]) -> Generator[Played, None, None]:
        work = (delayed(play_in_worker)(*self._sent, *task) for task in tasks)
        advice = "; --resume (resume=True) goes on after saved games"
        return results_of(work, self._jobs, "plays games", advice, return_as="generator_unordered", batch_size=1)


class RayWorkers(Workers):
    """The processors of a Ray cluster: a task for each bundle, played again where its machine fails.

    Args:
        table: the players.

    Raises:
        ImportError: Ray is not installed.
    """

    def __init__(self, table: Table) -> None:
        self._cluster = Cluster("games on a cluster")
        super().__init__(table)
        self._stored: Any = None  # the table in the cluster's store

    def _results(self, tasks: Iterator[Numbered]) -> Generator[Played, None, None]:
        ray = self._cluster.ray
        self._cluster.join()
        if self._stored is None:
            self._stored = ray.put(self._sent.data)
        task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_play_on_cluster)
        waiting: list[Any] = []
        try:
            for number, bundle in tasks:
                # In a list, the table stays where it is until a worker asks for it.
                waiting.append(task.remote(self._sent.token, [self._stored], number, bundle))
                if len(waiting) >= _AHEAD * max(1, self._cluster.processors):
                    yield self._result(waiting)
            while waiting:
                yield self._result(waiting)
        finally:
            for rest in waiting:
                ray.cancel(rest)

    def _result(self, waiting: list[Any]) -> Played:
        """Wait for one of the tasks, and take it out of the list.

        Raises:
            WorkerError: one machine after the other failed, or one process after the other died, while it was played.
        """
        ray = self._cluster.ray
        (first,), _ = ray.wait(waiting, num_returns=1)
        waiting.remove(first)
        try:
            return ray.get(first)
        except ray.exceptions.RayTaskError as error:  # whose text is the traceback there
            if isinstance(error.cause, Exception):
                raise error.cause from error
            raise
        except ray.exceptions.RayError as error:
            line = " ".join(str(error).split())[:300]
            raise WorkerError(f"the cluster could not play some games in {_RETRIES + 1} attempts: {line}") from error

    def close(self) -> None:
        """Forget the table, and leave the cluster if it was joined for these games."""
        self._stored = None
        self._cluster.leave()


def _play_on_cluster(token: str, stored: list[Any], number: int, bundle: Bundle) -> Played:
    import ray

    return play_in_worker(token, None if has_unpacked(token) else ray.get(stored[0]), number, bundle)
