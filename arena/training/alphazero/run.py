"""Training a net by AlphaZero: self-play with the net inside the search, and learning from it.

D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Science 362 (2018). A run is saved, tested and interrupted only between two turns. When it goes on from what was saved
there, in one process, it does what it would have done without the break, bit for bit.

::

    config.json          the `AlphaZeroConfig`
    model.safetensors    the newest net, with the mean of the weights
    replay/              the samples of self-play, see `shards`
    positions.npz        solved positions in which the net is graded, where they were solved for this run
    checkpoints/ …       as in `StateFolder`
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....envs import make_game
from ...interruption import interruptible
from ..folder import StateFolder, algorithm_of
from ..settings import resumed
from ..whole_files import alone_in
from .config import AlphaZeroConfig
from .examination import KEPT
from .session import AlphaZeroProgress, AlphaZeroSession, OnProgress
from .shards import DamagedSamplesError

__all__ = ["check_unfinished", "is_run", "resume", "run_folder", "train"]


def run_folder(path: str | Path) -> StateFolder:
    """Return the folder of a run of AlphaZero."""
    return StateFolder(path, "model.safetensors")


def is_run(path: str | Path) -> bool:
    """Tell whether a folder holds a run of AlphaZero, by its ``config.json``."""
    return algorithm_of(path) == "alphazero"


def train(config: AlphaZeroConfig, folder: str | Path, on_progress: OnProgress | None = None) -> AlphaZeroProgress:
    """Train a net, keep it in a new folder, and return how far the run has come.

    Ctrl-C ends the training after the turn in progress, and saves it: `resume` goes on from there. A second Ctrl-C ends
    it at once: then `resume` goes on from what was saved last, two minutes ago at most (``checkpoint_minutes``).

    Args:
        config: what to train, and how.
        folder: the run's folder, a new one or one that holds no run.
        on_progress: called after each turn.

    Raises:
        ValueError: a name in the configuration is unknown, or a value is out of its range. Nothing is written.
        FileExistsError: the folder holds a run already, or something else where this one would keep its own.
        FileNotFoundError: there is no folder to make it in.
        OSError: another process trains in it.
        ImportError: torch or safetensors is not installed.
        MemoryError: the run does not fit into memory. Of one that does not from the start, no folder is left behind.
    """
    config = config.anywhere()
    config.check_names()
    size = config.size(make_game(config.game).spec)
    config = replace(config, **size._asdict())  # written in full: the run keeps it, whatever is the default later
    run = run_folder(folder)
    run.check_new("replay", "actors", KEPT)
    is_new = not run.path.exists()
    with alone_in(run.path):
        shutil.rmtree(run.path / "replay", ignore_errors=True)  # of a run that did not come to its first state
        (run.path / KEPT).unlink(missing_ok=True)
        try:
            run.create(config)
            with _memory_told(config):
                session = AlphaZeroSession(config, run, on_progress)
                return _finish(session)
        except BaseException:
            if not run.states():  # there is nothing to resume: a new run may begin here
                for name in ("replay", "state"):  # and what was written of the first state
                    shutil.rmtree(run.path / name, ignore_errors=True)
                for file in (run.config, run.path / KEPT):
                    file.unlink(missing_ok=True)
                for made in (run.checkpoints, *([run.path] if is_new else [])):
                    with suppress(OSError):  # one that holds something, such as a log, stays
                        made.rmdir()
            raise


def resume(
    folder: str | Path,
    on_progress: OnProgress | None = None,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    **machine: Any,
) -> AlphaZeroProgress:
    """Go on with a run from its newest state, exactly as it was, and return how far it has come.

    Args:
        folder: the run's folder.
        on_progress: called after each turn.
        steps: the new limit on the moves of self-play, over all sessions. Default for each: the configuration's.
        minutes: the new limit on the time of training, over all sessions.
        machine: new values of the fields ``threads``, ``device`` and ``backend``. With others than before the run
            goes on, but no longer bit for bit.

    Raises:
        FileNotFoundError: the folder holds no run.
        ValueError: a file of the run is damaged, a limit is reached already, a value is out of its range, or its device
            is not here.
        ImportError: what computes nets is not installed.
        OSError: another process goes on with it.
        MemoryError: the run does not fit into memory.
    """
    run = run_folder(folder)
    config = _unfinished(run, steps, minutes, machine)
    with alone_in(run.path), _memory_told(config):
        state = run.read()
        try:
            session = AlphaZeroSession(config, run, on_progress)
            session.load_state_dict(state)
            run.check_steps(session.steps)
        except (ImportError, MemoryError):
            raise
        except DamagedSamplesError as error:
            whole = error.whole
            raise run.damaged(error, lambda older: int(older["replay"]["total"]) <= whole) from error
        except Exception as error:  # what does not fit is told by errors of many kinds
            raise run.damaged(error) from error
        if config.ladder_every:
            session.examination.load()  # before anything is written
        config.save(run.config)
        run.forget_after(session.steps)
        return _finish(session)


def check_unfinished(
    folder: str | Path, *, steps: int | None = None, minutes: float | None = None, **machine: Any
) -> None:
    """Check that there is something left to do in a run, with these values, as for `resume`, in place of its own.

    Raises:
        FileNotFoundError: the folder holds no run.
        ValueError: a limit is reached, a value is out of its range, the device is not here, or a file is damaged.
        ImportError: what computes nets, or Ray where actors play on a cluster, is not installed.
    """
    _unfinished(run_folder(folder), steps, minutes, machine)


def _unfinished(
    run: StateFolder, steps: int | None, minutes: float | None, machine: Mapping[str, Any]
) -> AlphaZeroConfig:
    """Return the configuration of a run, with these values in place of its own, if there is something left to do."""
    run.state()
    config = resumed(AlphaZeroConfig.load(run.config), {"steps": steps, "minutes": minutes}, machine)
    run.check_left(config.steps, config.minutes)
    config.check_machine()
    return config


@contextmanager
def _memory_told(config: AlphaZeroConfig) -> Iterator[None]:
    """Say of an error of memory what takes it: the games that are played side by side, their trees, and the cache."""
    try:
        yield
    except MemoryError as error:
        cache = f" and a cache of {config.cache_mb:g} MB" if config.cache_mb else ""
        raise MemoryError(
            f"{config.num_envs} games of {config.game} with {config.simulations} simulations a move{cache} do not fit "
            f"into memory: fewer --num-envs or --simulations{', or less --cache-mb' if cache else ''}"
            f"{f' ({error})' if str(error) else ''}"
        ) from error


def _finish(session: AlphaZeroSession) -> AlphaZeroProgress:
    """Run a session to its end, and return the last progress."""
    with interruptible(session), session.folder.resumable():
        session.run()
    return session.progress
