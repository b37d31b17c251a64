"""Processes that play the games of a tournament: those of joblib, Dask's among them, and those of a Ray cluster.

The games are the same wherever they are played, and come back a bundle at a time: each is kept as soon as it is there,
and given on in order.
"""

from __future__ import annotations

import sys
import threading
import time
import uuid
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext, redirect_stdout
from typing import Any

import cloudpickle
import numpy as np
from joblib import Parallel, delayed

from ..cluster import Cluster
from ..records.record import GameRecord
from .bundles import Bundle, Find, Pace, bundles_of
from .course import Course
from .table import Table

__all__ = ["JoblibWorkers", "RayWorkers", "WorkerError", "Workers"]

_AHEAD = 2  # tasks for each processor of a cluster: one is played while another waits
_RETRIES = 10  # of a task whose machine or process dies

Task = tuple[int, Bundle]  # a bundle and its number in the round
Played = tuple[int, list[GameRecord], float]  # the number of a bundle, its games, and the seconds they took
Keep = Callable[[Sequence[GameRecord]], list[GameRecord]]

_known = threading.local()  # the table at which this thread of a worker played last


class WorkerError(RuntimeError):
    """A process that plays games has died."""


class Workers(ABC):
    """Other processes, on this machine or others.

    Args:
        table: the players. It is pickled once, and each worker unpickles it once.

    Raises:
        ValueError: a player cannot be pickled.
    """

    def __init__(self, table: Table) -> None:
        self._token = uuid.uuid4().hex
        # As an array: joblib lets large ones be read from shared memory, and Dask and Ray keep them on each machine.
        self._sent = np.frombuffer(table.pickled(cloudpickle.dumps), np.uint8)

    def play(
        self, course: Course, find: Find | None, keep: Keep
    ) -> Generator[tuple[Bundle, Iterator[GameRecord]], None, None]:
        """Yield the bundles of this round, in order, with their games.

        Args:
            course: the tournament.
            find: looks for games that need not be played.
            keep: called with games as soon as they have come back, in any order; returns those that count.
        """
        pace, begun, upcoming = Pace(), dict[int, Bundle](), 0
        ready: dict[int, list[GameRecord]] = {}  # what has come back, by its number
        faults: list[Exception] = []

        def tasks() -> Iterator[Task]:  # joblib asks for these in a thread of its own, where errors would be lost
            try:
                for number, bundle in enumerate(bundles_of(course, lambda _: pace.size, find)):
                    begun[number], left = bundle, bundle.left
                    if left.seeds:
                        yield number, left
                    else:
                        ready[number] = []
            except Exception as error:
                faults.append(error)

        def in_order() -> Iterator[tuple[Bundle, Iterator[GameRecord]]]:
            nonlocal upcoming
            while upcoming in ready:
                bundle = begun.pop(upcoming)
                yield bundle, bundle.with_found(ready.pop(upcoming))
                upcoming += 1

        with closing(self._results(tasks())) as results:
            for number, records, seconds in results:
                pace.note(begun[number].left, seconds)
                ready[number] = keep(records)
                yield from in_order()
        yield from in_order()
        if faults:
            raise faults[0]

    @abstractmethod
    def _results(self, tasks: Iterator[Task]) -> Generator[Played, None, None]:
        """Yield what `play_in_worker` returns for each task, in any order."""

    def close(self) -> None:  # noqa: B027  (joblib's processes wait for the next work)
        """Let the workers go."""


def knows(token: str) -> bool:
    """Return whether this thread of a worker has the table of this token."""
    return getattr(_known, "token", None) == token


def play_in_worker(token: str, sent: Any, number: int, bundle: Bundle) -> Played:
    """Play a bundle at the table that was ``sent``, as bytes, which are read if this thread does not know it yet."""
    if not knows(token):
        _known.token = None
        _known.table = cloudpickle.loads(sent)
        _known.token = token
    start = time.perf_counter()
    # What players print is no result of the command that asks. (All threads of a process have one standard output.)
    is_alone = threading.current_thread() is threading.main_thread()
    with redirect_stdout(sys.stderr) if is_alone else nullcontext():
        records = list(_known.table.play(bundle))
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

    def _results(self, tasks: Iterator[Task]) -> Generator[Played, None, None]:
        one: Any = 1  # joblib's annotation has "auto" alone
        parallel: Any = Parallel(n_jobs=self._jobs, return_as="generator_unordered", batch_size=one)
        results = parallel(delayed(play_in_worker)(self._token, self._sent, *task) for task in tasks)
        try:
            for played in results:  # noqa: UP028  ("yield from" would close them outside of the filter below)
                yield played
        except BrokenProcessPool as error:
            raise WorkerError(
                "a process that plays games has died, of a fault in a player, or for want of memory: play with fewer "
                "jobs, or with one to see in which game; --resume (resume=True) goes on after saved games"
            ) from error
        finally:
            with warnings.catch_warnings():  # joblib warns where somebody has seen enough before all games are played
                warnings.simplefilter("ignore", UserWarning)
                results.close()


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

    def _results(self, tasks: Iterator[Task]) -> Generator[Played, None, None]:
        ray = self._cluster.ray
        self._cluster.join()
        if self._stored is None:
            self._stored = ray.put(self._sent)
        task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_play_on_cluster)
        waiting: list[Any] = []
        try:
            for number, bundle in tasks:
                # In a list, the table stays where it is until a worker asks for it.
                waiting.append(task.remote(self._token, [self._stored], number, bundle))
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
            RuntimeError: one machine after the other failed, or one process after the other died, while it was played.
        """
        ray = self._cluster.ray
        (first,), _ = ray.wait(waiting, num_returns=1)
        waiting.remove(first)
        try:
            return ray.get(first)
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError as error:
            line = " ".join(str(error).split())[:300]
            raise RuntimeError(f"the cluster could not play some games in {_RETRIES + 1} attempts: {line}") from error

    def close(self) -> None:
        """Forget the table, and leave the cluster if it was joined for these games."""
        self._stored = None
        self._cluster.leave()


def _play_on_cluster(token: str, stored: list[Any], number: int, bundle: Bundle) -> Played:
    import ray

    return play_in_worker(token, None if knows(token) else ray.get(stored[0]), number, bundle)
