"""The folder of a training run: what is kept, and how a run goes on from it exactly where it was.

::

    config.json      the configuration
    model.zip        the newest model, of stable-baselines3; or model.safetensors, the newest net of AlphaZero
    checkpoints/     step_000250000.zip …, models
    progress.jsonl   a line for each test against the ladder, and, of AlphaZero, for each match of two nets (gating)
    tensorboard/     scalars
    state/           all that the run needs to go on: games, random numbers, optimizer, snapshots; the last three

A new state is written beside the last ones, the oldest of which is removed when the new one is whole: a crash at any
moment leaves whole ones. Models and replay buffers of stable-baselines3 are pickles; everything else is JSON, arrays
and tensors, and is loaded without running code. A pickle has no checksum, so a buffer's stands in a file beside it,
``replay.pkl.sha256``; states of older versions have none.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...envs.outside.files import check_access, naming
from ...envs.outside.messages import cut
from ...envs.outside.whole_files import sync, write_whole
from .settings import Settings, have_passed
from .states import UNREADABLE, Write, by_memory, plain_of, read_state, write_state
from .whole_files import check_free, is_whole_zip, write_file

__all__ = ["RunFolder", "StateFolder", "algorithm_of"]

_STATES = 3  # that are kept

Tells = Callable[[dict[str, Any]], bool]  # whether a run goes on from the state of a ``state.json``


def algorithm_of(path: str | Path) -> str | None:
    """Return the algorithm of the run in a folder, by its ``config.json``; None where there is no run."""
    try:
        return json.loads((Path(path) / "config.json").read_text())["algorithm"]
    except UNREADABLE:
        return None


class StateFolder:
    """The files of a run. It stores states and gives them back, and knows nothing about their contents.

    Args:
        path: the folder.
        model: the name of the file of the newest model.
    """

    def __init__(self, path: str | Path, model: str) -> None:
        self.path = Path(path)
        self.config, self.model, self.progress = (self.path / name for name in ("config.json", model, "progress.jsonl"))
        self.checkpoints, self.tensorboard = self.path / "checkpoints", self.path / "tensorboard"
        self._states = self.path / "state"

    def check_new(self, *own: str) -> None:
        """Check that no run is here, but for one that was killed before its first state.

        Raises:
            FileExistsError: there is one, or the path is a file; or something else is where a run would keep models,
                states and progress, or what has one of the names ``own``.
            FileNotFoundError: there is no folder to make this one in.
            PermissionError: nothing can be written there.
        """
        if self.path.is_file():
            raise FileExistsError(f"{str(self.path)!r} is a file: choose a folder for the run")
        if self.config.exists() and not self._has_only_begun():
            raise FileExistsError(
                f"{str(self.path)!r} holds a run already: resume it (--resume {self.path}), or choose another folder"
            )
        if not self.config.exists():
            check_free(self.path, (self.model.name, "state", "checkpoints", self.progress.name, *own))
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"cannot make {str(self.path)!r}: there is no folder {self.path.parent!s}")
        check_access(self.path, f"cannot make {str(self.path)!r}")

    def _has_only_begun(self) -> bool:
        """Return whether what is here is as `create` left it: nothing was learned, and nothing can go on."""
        return self._states.is_dir() and not self.states() and not self.model.exists()

    def create(self, config: Settings) -> None:
        """Begin a run here."""
        self.path.mkdir(exist_ok=True)
        self.checkpoints.mkdir(exist_ok=True)
        self._states.mkdir(exist_ok=True)
        config.save(self.config)

    def state(self) -> Path:
        """Return the folder of the newest whole state.

        Raises:
            FileNotFoundError: there is none.
        """
        whole = self.states()
        if self.config.is_file() and self._has_only_begun():
            raise FileNotFoundError(
                f"the run in {str(self.path)!r} was ended before its first state was saved: begin it anew, in the same "
                "folder, with the options that it had"
            )
        if not self.config.is_file() or not whole:
            raise FileNotFoundError(
                f"{str(self.path)!r} holds no training run that could go on: expected config.json and state/, as "
                "`plyground train` writes them"
            )
        return whole[-1]

    def states(self) -> list[Path]:
        """Return the folders of the whole states that are kept, the newest last."""
        found = (path for path in self._states.glob("step_*") if path.is_dir() and not path.suffix)
        return sorted((path for path in found if _steps_in(path) >= 0), key=_steps_in)

    def done(self) -> tuple[int, float]:
        """Return how many steps and how many seconds of training the newest state has.

        Raises:
            FileNotFoundError: there is no state.
            ValueError: the state is damaged.
        """
        path = self.state()
        try:
            seconds = float(plain_of(path)["seconds"])
        except UNREADABLE as error:
            raise self.damaged(error, _any_state) from None
        return _steps_in(path), seconds

    def check_steps(self, steps: int) -> None:
        """Check that the newest state, by its name, is that of these steps, after which all will be removed.

        Raises:
            ValueError: it is not.
        """
        if steps != _steps_in(self.state()):
            raise ValueError(f"it counts {steps:,} steps, and its name others")

    def check_left(self, steps: int | None, minutes: float | None) -> None:
        """Check that the newest state has reached none of these limits.

        Raises:
            FileNotFoundError: there is no state.
            ValueError: a limit is reached, or the state is damaged.
        """
        played, seconds = self.done()
        done = []
        if steps is not None and played >= steps:
            done.append(f"{played:,} of {steps:,} steps are done")
        if minutes is not None and have_passed(minutes, seconds):
            done.append(f"{seconds / 60:.1f} of {minutes:g} minutes are done")
        if done:
            raise ValueError(
                f"nothing left to do: {', '.join(done)} (a limit is that of the whole run: give a higher one)"
            )

    def write(self, steps: int, state: Mapping[str, Any], files: Mapping[str, Write]) -> None:
        """Write the model, and a new state beside the last ones, of which a few are kept.

        Args:
            steps: the steps of the run so far.
            state: nested dicts of arrays, tensors and what JSON knows. Names are texts without ``/``.
            files: what writes each file that is no part of ``state``, by its name; that of the model is among them.

        Raises:
            OSError: a file cannot be written; the states before are as they were.
        """
        name = f"step_{steps:09d}"
        partial = self._states / f"{name}.partial"
        for path in self._states.glob("step_*.partial"):
            shutil.rmtree(path, ignore_errors=True)
        partial.mkdir()
        for file, write in files.items():
            with naming(partial / file):
                write(partial / file)
        write_state(partial, state)
        copy = self.path / f"{self.model.name}.partial"
        shutil.copyfile(partial / self.model.name, copy)
        for path in (*partial.iterdir(), partial, copy):  # before they have names that say that they are whole
            sync(path)
        whole = self._states / name
        if whole.exists():  # the same moment once more: its arrays are the same, but it may have been tested since
            os.replace(partial / "state.json", whole / "state.json")
            shutil.rmtree(partial)
        else:
            partial.rename(whole)
            for path in self.states()[:-_STATES]:
                shutil.rmtree(path, ignore_errors=True)
        os.replace(copy, self.model)
        for path in (self._states, self.path):
            sync(path)

    def read(self) -> dict[str, Any]:
        """Return the newest state.

        Raises:
            FileNotFoundError: there is no state.
            ValueError: a file of it is damaged.
        """
        path = self.state()
        try:
            return read_state(path)
        except (ImportError, MemoryError):  # torch is not there, or no room: nothing is damaged
            raise
        except Exception as error:  # what zip, torch and pickle raise for a damaged file is not one family
            raise self.damaged(error, _any_state) from error

    def damaged(self, error: Exception, goes_on: Tells | None = None) -> ValueError:
        """Return what to say of a newest state from which a run cannot go on, and from which older one it can.

        Args:
            error: why.
            goes_on: tells, by its ``state.json``, whether an older state is without this fault. Default: none is, as
                where the configuration does not fit the run.
        """
        newest = self.state()
        words = f"cannot go on from {str(newest)!r}: {type(error).__name__}: {cut(str(error))}"
        without = ["this folder"]
        for older in reversed(self.states()[:-1]):
            if goes_on is not None and _tells(older, goes_on):
                return ValueError(f"{words}; without {' and '.join(without)} the run goes on from {older.name}")
            without.append(older.name)
        return ValueError(words)

    @contextmanager
    def resumable(self, run: Path | None = None) -> Iterator[None]:
        """Let an error of the system, such as a full disk, say that the run can go on, if it has a state.

        Args:
            run: the folder that can be resumed. Default: this one.
        """
        try:
            yield
        except OSError as error:
            states, run = self.states(), run or self.path
            if not states:
                raise
            words = str(error)
            if error.strerror:
                words = f"cannot read or write {error.filename or run}: {error.strerror.lower()}"
            last = states[-1].relative_to(run)
            told = OSError(f"{words}; the run in {str(run)!r} can go on from its last state, {last}")
            told.errno = error.errno
            raise told from error

    def add_checkpoint(self, steps: int, write: Write) -> None:
        """Add a model to the checkpoints."""
        path = self.checkpoints / f"step_{steps:09d}{self.model.suffix}"
        partial = path.with_suffix(f".partial{self.model.suffix}")
        with naming(partial):
            write(partial)
        sync(partial)
        os.replace(partial, path)

    def note(self, line: dict[str, Any]) -> None:
        """Add a line to the file of progress."""
        with naming(self.progress), self.progress.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def forget_after(self, steps: int) -> None:
        """Remove what was written after these steps, from which the run goes on: progress and checkpoints.

        What was cut off while it was written goes too: a checkpoint, or a line of progress. All other lines stay.
        """
        if self.progress.exists():
            lines = [line for line in self.progress.read_bytes().splitlines() if _steps_of(line) <= steps]
            write_whole(self.progress, b"".join(line + b"\n" for line in lines))
        for path in self.checkpoints.glob("step_*.partial*"):
            path.unlink()
        for path in self.checkpoints.glob(f"step_*{self.model.suffix}"):
            if _steps_in(path) > steps:
                path.unlink()


class RunFolder(StateFolder):
    """The files of a run of stable-baselines3.

    Args:
        path: the folder.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path, "model.zip")

    def save(self, model: Any, state: Mapping[str, Any]) -> None:
        """Write the model, and a new state beside the last ones, of which a few are kept.

        Args:
            model: a model of stable-baselines3 or sb3-contrib.
            state: see `StateFolder.write`.
        """
        files = {"model.zip": by_memory(model.save)}
        if getattr(model, "replay_buffer", None) is not None:
            files["replay.pkl"] = _with_digest(model.save_replay_buffer)
        self.write(model.num_timesteps, state, files)

    def load(self, model_class: Any, venv: Any) -> tuple[Any, dict[str, Any]]:
        """Return the model of the newest state, and the state.

        Args:
            model_class: the class of the algorithm.
            venv: the environment that the model is to learn in.

        Raises:
            FileNotFoundError: there is no state.
            ValueError: a file is damaged, or of a model that does not fit these games.
        """
        path = self.state()
        try:
            model = model_class.load(path / "model.zip", env=venv, device="cpu", force_reset=False)
        except Exception as error:  # what zip, torch and pickle raise for a damaged file is not one family
            raise self.damaged(error, None if is_whole_zip(path / "model.zip", "data") else _any_state) from error
        try:
            if getattr(model, "replay_buffer", None) is not None:  # empty: what it had is in this file, or lost
                _check_digest(path / "replay.pkl")
                model.load_replay_buffer(path / "replay.pkl")
        except Exception as error:
            raise self.damaged(error, _any_state) from error
        return model, self.read()

    def checkpoint(self, model: Any) -> None:
        """Add the model, as it is now, to the checkpoints."""
        self.add_checkpoint(model.num_timesteps, by_memory(model.save))


def _with_digest(write: Write) -> Write:
    """Return what writes a file, and its digest beside it, as ``sha256sum --check`` reads it."""

    def write_both(path: Path) -> None:
        write(path)
        write_file(_digest_of(path), f"{_sha256(path)}  {path.name}\n".encode())

    return write_both


def _check_digest(path: Path) -> None:
    """Check that a file is what was written; of an older version's it cannot be told.

    Raises:
        ValueError: it is not.
    """
    digest = _digest_of(path)
    if digest.is_file() and digest.read_bytes().split(maxsplit=1)[:1] != [_sha256(path).encode()]:
        raise ValueError(f"{str(path)!r} is damaged")


def _digest_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _sha256(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while some := file.read(2**20):  # a buffer may have gigabytes
            found.update(some)
    return found.hexdigest()


def _steps_in(path: Path) -> int:
    """Return the steps in a name such as ``step_000250000.zip``; -1 for one that somebody else gave, as to a copy."""
    digits = path.stem.removeprefix("step_")
    return int(digits) if digits.isdecimal() else -1


def _steps_of(line: bytes) -> float:
    """Return the steps at which a line of progress was noted; infinitely many for one that was cut off."""
    try:
        return int(json.loads(line)["steps"])
    except UNREADABLE:
        return math.inf


def _any_state(plain: dict[str, Any]) -> bool:
    """Return True: what is damaged is a file of the newest state, which no other has."""
    return True


def _tells(folder: Path, goes_on: Tells) -> bool:
    """Return whether a run goes on from a state; not from one whose numbers cannot be read."""
    try:
        return goes_on(plain_of(folder))
    except UNREADABLE:
        return False
