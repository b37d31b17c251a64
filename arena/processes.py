"""Other processes that work for this one: what they are sent, once, and what comes back, until one dies."""

from __future__ import annotations

import os
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from typing import Any, NamedTuple

import cloudpickle
import numpy as np
from joblib import Parallel
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from ..agents.registry import register_agent, registered

__all__ = ["Parcel", "WorkerError", "has_unpacked", "let_go", "packed", "quiet", "results_of", "unpacked"]

_HERE = uuid.uuid4().hex  # this process
_PAUSE = 1.0  # seconds between two looks at whether a worker's parent lives
_last = threading.local()  # what this thread of a worker has unpacked
_kept = set[int]()  # processes whose workers of joblib's own backend wait for more work
_watched = set[int]()  # parents of which a thread of this worker hears when they die


class WorkerError(RuntimeError):
    """A process that works for this one has died."""


class Parcel(NamedTuple):
    """What workers are sent with each piece of work, and unpack once."""

    token: str  # by which a worker knows it again
    data: NDArray[np.uint8]


def packed(value: Any, players: Iterable[tuple[str, Any]]) -> Parcel:
    """Return a value as it is sent, with the kinds of agents that were registered here and are needed there.

    Args:
        value: what is sent.
        players: the players in it, each with its name.

    Raises:
        ValueError: a player cannot be pickled.
    """
    kinds: dict[str, Callable[..., Any]] = {}
    for label, player in players:
        kinds_of_player = registered(player) if isinstance(player, str) else {}
        try:
            cloudpickle.dumps((player, kinds_of_player))
        except Exception as error:  # whatever a class of somebody's own may raise
            raise ValueError(
                f"{label} cannot be sent to other processes ({error}): play with jobs=1, or give the player by a "
                "spec, of which each process makes its own"
            ) from error
        kinds |= kinds_of_player
    # As an array: joblib lets large ones be read from shared memory, and Dask and Ray keep them on each machine.
    return Parcel(uuid.uuid4().hex, np.frombuffer(cloudpickle.dumps((_HERE, kinds, value)), np.uint8))


def unpacked(token: str, data: Any) -> Any:
    """Return what is in a parcel, whose data are read if it is not the last one that this thread has unpacked."""
    if not has_unpacked(token):
        _last.token = None
        sender, kinds, _last.value = cloudpickle.loads(data)
        for name, constructor in kinds.items() if sender != _HERE else ():  # what comes back home is a copy
            register_agent(name, constructor)
        _last.token = token
    return _last.value


def has_unpacked(token: str) -> bool:
    """Return whether the parcel of this token is the last one that this thread has unpacked."""
    return getattr(_last, "token", None) == token


@contextmanager
def quiet() -> Iterator[None]:
    """Send what players print to standard error: it is no result of the command that asks this worker."""
    # All threads of a process have one standard output.
    is_alone = threading.current_thread() is threading.main_thread()
    with redirect_stdout(sys.stderr) if is_alone else nullcontext():
        yield


def results_of(
    work: Iterable[Any], jobs: int, doing: str, advice: str = "", **options: Any
) -> Generator[Any, None, None]:
    """Yield what comes back from joblib's workers, who begin when the first result is asked for.

    Args:
        work: calls, as `joblib.delayed` makes them.
        jobs: how many workers, as joblib's ``n_jobs``.
        doing: what they do, for the message, as in ``"plays games"``.
        advice: what else may be done when one dies, with which the message ends.
        options: options of `joblib.Parallel`. By default the results come in the order of the work.

    Raises:
        WorkerError: a process has died.
    """
    results: Any = None
    own = os.getpid()
    work = ((_worked_for, (own, function, *given), named) for function, given, named in work)
    try:
        backend = get_active_backend()[0]
        _hear_of_lost_tasks(backend)
        if type(backend).__name__ == "LokyBackend" and jobs != 1:
            _kept.add(own)
        results = Parallel(n_jobs=jobs, **{"return_as": "generator", **options})(work)
        for result in results:  # noqa: UP028  ("yield from" would close them outside of the filter below)
            yield result
    except BrokenProcessPool as error:
        raise WorkerError(
            f"a process that {doing} has died, of a fault in a player, or for want of memory: use fewer jobs, or one "
            f"to see where{advice}"
        ) from error
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # Dask's, which is not imported for this
            raise
        raise WorkerError(f"one process after the other that {doing} has died: {error}{advice}") from error
    finally:
        if results is not None:
            with warnings.catch_warnings():  # joblib warns where somebody has seen enough before all is done
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def let_go() -> None:
    """End the workers of this machine, which wait for more work, as Python does when it ends.

    That takes a second, in which Ctrl-C ends nothing else; Python then would print where it was.
    """
    if os.getpid() not in _kept:
        return
    from joblib.externals.loky import get_reusable_executor

    _kept.clear()
    with suppress(KeyboardInterrupt):
        get_reusable_executor(reuse=True).shutdown(wait=True)  # pyright: ignore[reportArgumentType]


def _worked_for(parent: int, function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
    """Call a function, in a process that ends soon after its parent, even where that is killed.

    The workers of joblib's own backend would go on with the tasks that they have, and wait for more for minutes.
    """
    if os.name == "posix" and os.getppid() == parent and parent not in _watched:
        _watched.add(parent)
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    return function(*given, **named)


def _end_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PAUSE)
    os._exit(1)


def _hear_of_lost_tasks(backend: Any) -> None:
    """Let joblib's backend for Dask call back for tasks that the cluster gives up, too: joblib waits for ever for them.

    So it does in joblib 1.6 (`DaskDistributedBackend._collect`). Errors in a task come back as all results do.
    """
    name = "submit" if hasattr(backend, "submit") else "apply_async"  # the latter before joblib 1.5
    if type(backend).__name__ != "DaskDistributedBackend" or name in vars(backend):
        return
    submit = getattr(backend, name)

    def heard(function: Any, callback: Any = None) -> Any:
        def lost(done: Any) -> None:
            if callback is not None and not done.cancelled() and done.exception() is not None:
                callback(done.exception())

        future = submit(function, callback)
        future.add_done_callback(lost)
        return future

    setattr(backend, name, heard)
