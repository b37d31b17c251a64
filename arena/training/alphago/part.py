"""A part of the pipeline as a run of its own: turns, tests, saving, and going on bit for bit.

Each part has a folder in that of the run, a `StateFolder`, and beside it ``results.json`` when it is finished.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

from ....agents.networks import read_network
from ....envs import Game
from ....envs.outside.whole_files import write_whole
from ..alphazero.board import ScalarLog
from ..alphazero.shards import DamagedSamplesError
from ..folder import StateFolder
from ..session import Progress, numbers_of
from ..settings import have_passed
from .config import AlphaGoConfig

__all__ = ["AlphaGoProgress", "OnProgress", "Part", "PartSession", "Run", "part_folder", "results_of", "summary_of"]


@dataclass(frozen=True)
class AlphaGoProgress(Progress):
    """How far a run is. Its steps are those of all parts together.

    Attributes:
        part: the part in progress; empty before the first.
        part_steps: its steps so far.
        part_total: its steps in all.
        losses: the last losses of the part, by name, and counts, which are whole numbers.
        marks: what its last test said.
    """

    part: str = ""
    part_steps: int = 0
    part_total: int = 0
    losses: dict[str, float] = field(default_factory=dict)
    marks: dict[str, float] = field(default_factory=dict)

    @property
    def stage(self) -> str:
        """The part in progress."""
        return self.part

    def share(self, steps: int | None, minutes: float | None) -> float:
        """Return how much of the part is done, from 0 to 1, by the nearer of its own steps and these minutes."""
        done = self.part_steps / self.part_total if self.part_total else float(bool(self.part))
        return max(done, super().share(None, minutes))

    def line(self) -> str:
        """Return how far the part is in a line or two."""
        if not self.part:
            return "reading records and compiling …"
        losses = ", ".join(
            f"{name} {loss:,}" if isinstance(loss, int) else f"{name} {loss:.3f}" for name, loss in self.losses.items()
        )
        marks = ", ".join(f"{name} {mark:.3f}" for name, mark in self.marks.items())
        lines = [f"{self.part}: {self.part_steps:,} of {self.part_total:,} steps" + (f" | {losses}" if losses else "")]
        return "\n".join([*lines, marks] if marks else lines)


OnProgress = Callable[[AlphaGoProgress], object]


class Run(NamedTuple):
    """What all parts know of the run.

    Attributes:
        config: its configuration.
        game: its game.
        path: its folder.
    """

    config: AlphaGoConfig
    game: Game
    path: Path

    def samples(self, name: str) -> Path:
        """Return the folder of the samples that were read: ``train`` or ``test``."""
        return self.path / "records" / name

    def model(self, part: str) -> Path:
        """Return the net of a part."""
        return self.path / part / "model.safetensors"


def part_folder(path: Path, part: str) -> StateFolder:
    """Return the folder of a part of the run in ``path``."""
    return StateFolder(path / part, "model.npz" if part == "rollout" else "model.safetensors")


def summary_of(path: Path) -> dict[str, Any]:
    """Return what is told of the records of the run in ``path``.

    Raises:
        ValueError: the file is damaged.
    """
    return _read(path / "records" / "summary.json", ("plies",), "the records must be read again, by a new run")


def results_of(path: Path, part: str) -> dict[str, Any] | None:
    """Return the results of a part of the run in ``path``; None where it is not finished.

    Raises:
        ValueError: the file is damaged.
    """
    file = path / part / "results.json"
    if not file.is_file():
        return None
    return _read(file, ("complete", "seconds", "steps"), "without this file the part is tested, and ends, once more")


def _read(path: Path, names: tuple[str, ...], remedy: str) -> dict[str, Any]:
    """Return what a file tells, which has numbers of these names at least.

    Raises:
        ValueError: it is damaged; the message has the remedy.
    """
    try:
        found = json.loads(path.read_text())
        if not isinstance(found, dict) or not all(isinstance(found.get(name), Real) for name in names):
            raise ValueError(f"expected a dict with {', '.join(names)}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}; {remedy}") from None
    return found


class Part(ABC):
    """A part of the pipeline: some steps, a model, and what tests say of it.

    Attributes:
        name: what it is called.
        needs: the parts that it begins from.
        total: its steps in all.
        steps: its steps so far.
        losses: the last losses, by name, and counts, which are whole numbers.
    """

    name: str
    needs: tuple[str, ...] = ()
    total: int

    def __init__(self, run: Run) -> None:
        self.run = run
        self.steps = 0
        self.losses: dict[str, float] = {}

    @abstractmethod
    def turn(self) -> None:
        """Take a step, and count it."""

    @abstractmethod
    def test(self) -> dict[str, float]:
        """Return how good the model is, as a few numbers."""

    @abstractmethod
    def finish(self) -> dict[str, Any]:
        """Return the results of the whole part, as JSON has them; files beside the model may be written."""

    @abstractmethod
    def write(self, path: Path, notes: dict[str, Any]) -> None:
        """Write the model."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return all that the part goes on from, but for its steps."""

    @abstractmethod
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""

    def prepare(self) -> None:  # noqa: B027  (not all have something to do)
        """Compile what a step needs, before the clock runs; nothing that the part goes on from changes."""


class PartSession:
    """Takes the turns of a part, tests, saves, reports, and says when it is over.

    Args:
        part: the part.
        run: what it is a part of.
        before: the steps of the parts before it.
        on_progress: called with the progress after each turn.

    Attributes:
        interrupted: if set to True, the session ends after the turn in progress.
        finished: whether the part has come to its end.
    """

    def __init__(self, part: Part, run: Run, before: int, on_progress: OnProgress | None) -> None:
        self.part, self.run_, self.before_steps, self.on_progress = part, run, before, on_progress
        self.folder = part_folder(run.path, part.name)
        self.log = ScalarLog(self.folder.tensorboard)
        self.earlier, self.started = 0.0, time.perf_counter()
        self.marks: dict[str, float] = {}
        self.tested = self.first_steps = 0
        self.began_from: dict[str, int] = {}  # the steps of the parts that it needs; older versions did not keep them
        self._saved = self.started
        self.interrupted = self.finished = False

    @property
    def seconds(self) -> float:
        """The time of training of this part, over all sessions."""
        return self.earlier + time.perf_counter() - self.started

    def begin(self) -> None:
        """Begin the part, or go on with it where it was saved.

        Raises:
            ValueError: what was saved is damaged.
        """
        folder, run = self.folder, self.run_
        if not folder.states():
            self.began_from = {name: int(read_network(run.model(name)).notes["steps"]) for name in self.part.needs}
            folder.create(run.config)
            self.part.prepare()
            self.started = self._saved = time.perf_counter()  # compiling took no time from the training
            self.save()
            return
        state = folder.read()
        try:
            self.part.steps = self.first_steps = int(state["steps"])
            self.part.losses, self.marks = dict(state["losses"]), numbers_of(state["marks"])
            self.tested, self.earlier = int(state["tested"]), float(state["seconds"])
            self.began_from = {name: int(steps) for name, steps in state.get("began from", {}).items()}
            self.part.load_state_dict(state["part"])
            folder.check_steps(self.part.steps)
        except DamagedSamplesError as error:
            buffer, whole = error.folder.name, error.whole

            def goes_on(older: dict[str, Any]) -> bool:
                kept = older["part"]["buffers"].get(buffer)  # None: an older version's, without these samples
                return kept is None or int(kept["total"]) <= whole

            raise folder.damaged(error, goes_on) from error
        except Exception as error:  # what does not fit is told by errors of many kinds
            raise folder.damaged(error) from error
        folder.forget_after(self.part.steps)
        # Of a part that time had ended: they are not those of the model from here on.
        (folder.path / "results.json").unlink(missing_ok=True)
        run.config.save(folder.config)
        self.part.prepare()
        self.started = self._saved = time.perf_counter()

    def run(self) -> None:
        """Take turns until the part is over, or interrupted."""
        part, config = self.part, self.run_.config
        try:
            while not self._is_over():
                part.turn()
                if part.steps - self.tested >= config.test_every:
                    self._test()
                if have_passed(config.checkpoint_minutes, time.perf_counter() - self._saved):
                    self.save()
                self.report()
            is_over = not self.interrupted
            if is_over and part.steps != self.tested:
                self._test()
            self.save()
            if is_over:
                self._finish()
        finally:
            self.log.close()

    def _is_over(self) -> bool:
        is_late = have_passed(self.run_.config.minutes, self.seconds)
        return self.interrupted or self.part.steps >= self.part.total or is_late

    def _test(self) -> None:
        self.tested = self.part.steps
        self.marks = self.part.test()
        self.folder.note({"steps": self.part.steps, "seconds": round(self.seconds, 1), **self.marks})
        if self.marks:  # else there is nothing yet that has learned
            self.folder.add_checkpoint(self.part.steps, self._write)

    def _finish(self) -> None:
        """Write the results, by which the part counts as finished: at last, when model and state are written."""
        self.report(last=True)
        is_complete = self.part.steps >= self.part.total
        results = {"steps": self.part.steps, "seconds": round(self.seconds, 1), "complete": is_complete}
        results |= {"began from": self.began_from} if self.began_from else {}
        results |= self.part.finish()
        write_whole(self.folder.path / "results.json", (json.dumps(results, indent=2) + "\n").encode())
        self.finished = True

    def save(self) -> None:
        """Write the model and the state of the part."""
        state = {
            "steps": self.part.steps,
            "seconds": self.seconds,
            "losses": dict(self.part.losses),
            "marks": dict(self.marks),
            "tested": self.tested,
            "began from": self.began_from,
            "part": self.part.state_dict(),
        }
        self.folder.write(self.part.steps, state, {self.folder.model.name: self._write})
        self._saved = time.perf_counter()

    def _write(self, path: Path) -> None:
        notes = {"part": self.part.name, "steps": self.part.steps, "config": asdict(self.run_.config)}
        self.part.write(path, notes)

    def report(self, *, last: bool = False) -> None:
        """Tell TensorBoard and ``on_progress`` how far the part is."""
        seconds = max(self.seconds - self.earlier, 1e-9)
        progress = AlphaGoProgress(
            steps=self.before_steps + self.part.steps,
            seconds=self.seconds,
            games=0,
            steps_per_second=(self.part.steps - self.first_steps) / seconds,
            games_per_second=0.0,
            part=self.part.name,
            part_steps=self.part.steps,
            part_total=self.part.total,
            losses=dict(self.part.losses),
            marks=dict(self.marks),
        )
        self.log.add(progress, last=last)
        if self.on_progress is not None:
            self.on_progress(progress)
