"""A session of a training run: what is done between two batches of experience."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...agents import Policy
from ..openings import default_opening_plies
from .config import TrainingConfig
from .folder import RunFolder
from .ladder import ladder_scores
from .league import League
from .random_state import load_random_state, random_state
from .settings import have_passed

__all__ = ["Finished", "OnProgress", "Progress", "TrainingSession", "numbers_of"]


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        steps: moves of the learner so far.
        seconds: time of training, over all sessions.
        games: games that have ended.
        steps_per_second: moves of the learner per second of this session.
        games_per_second: games that ended per second of this session.
        ladder: the score, from 0 to 1, against each player of the ladder in the last test.
        scores: the learner's mean score in its last games against each opponent it trains with.
    """

    steps: int
    seconds: float
    games: int
    steps_per_second: float
    games_per_second: float
    ladder: dict[str, float] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)

    @property
    def stage(self) -> str:
        """What is in progress, in a run of several parts with limits each; empty where there are none."""
        return ""

    def share(self, steps: int | None, minutes: float | None) -> float:
        """Return how much is done, from 0 to 1, by the nearer of these limits; 0 if there is none."""
        shares = [self.steps / steps] if steps else []
        shares += [self.seconds / (60 * minutes)] if minutes else []
        return min(1.0, max(shares, default=0.0))

    def line(self) -> str:
        """Return how far the run is in one line, as in ``"120,832 steps, 900 games/s | random 97 %, …"``."""
        ladder = ", ".join(f"{name} {100 * score:.0f} %" for name, score in self.ladder.items())
        line = f"{self.steps:,} steps, {self.games_per_second:.0f} games/s"
        return f"{line} | {ladder}" if ladder else line


_DRAWN = 32  # steps of each game with the same snapshots in play, at least: a game keeps its opponent to its end

OnProgress = Callable[[Progress], object]


class Finished(Exception):  # noqa: N818  (not an error)
    """Raised between two batches, when the training is over or was interrupted."""


class TrainingSession:
    """Takes snapshots, tests, saves, reports, and says when the training is over.

    Args:
        config: the run's configuration.
        folder: the folder that keeps the run.
        model: the model that is trained.
        venv: the environment that the model learns in.
        league: the opponents in that environment.
        on_progress: called with the `Progress` after each batch of experience.

    Attributes:
        interrupted: if set to True, the session ends after the batch in progress.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: RunFolder,
        model: Any,
        venv: Any,
        league: League,
        on_progress: OnProgress | None,
    ) -> None:
        self.config, self.folder, self.model, self.venv, self.league = config, folder, model, venv, league
        self.on_progress = on_progress
        self.before, self.started = 0.0, time.perf_counter()
        self.ladder: dict[str, float] = {}
        self.tested = self.snapshot = self.kept = self.drawn = 0  # the steps at which each of these was done last
        self.first_steps, self.first_games = model.num_timesteps, league.games
        self.interrupted = False
        self._saved = self.started  # when the run was saved last

    @property
    def seconds(self) -> float:
        """The time of training, over all sessions."""
        return self.before + time.perf_counter() - self.started

    def between(self) -> None:
        """Do what is due between two batches.

        Raises:
            Finished: there is nothing more to do.
            ValueError: learning has diverged, as for `check_weights`.
        """
        steps, over = self.model.num_timesteps, self._is_over()
        at_the_end = over and not self.interrupted  # whoever presses Ctrl-C does not wait for a test
        if self._is_due(self.snapshot, self.config.snapshot_every):
            self.snapshot = steps
            self.league.add(steps)
        if self.config.ladder_every and self._is_due(self.tested, 1 if at_the_end else self.config.ladder_every):
            self.tested = steps
            self.test()
        is_checkpoint = self._is_due(self.kept, 1 if over else self.config.checkpoint_every)
        is_saved = is_checkpoint or over or steps == 0 or self._is_time_to_save()
        if is_saved:
            self.check_weights()
        if is_checkpoint:
            self.kept = steps
            self.folder.checkpoint(self.model)
        if is_saved:
            self.folder.save(self.model, self.state_dict())
            self._saved = time.perf_counter()
        self.report()
        if over:
            raise Finished
        if steps - self.drawn >= _DRAWN * self.venv.num_envs or not steps:
            self.drawn = steps
            self.league.draw()

    def _is_over(self) -> bool:
        steps = self.config.steps
        is_enough = steps is not None and self.model.num_timesteps >= steps
        return self.interrupted or is_enough or have_passed(self.config.minutes, self.seconds)

    def _is_time_to_save(self) -> bool:
        return have_passed(self.config.checkpoint_minutes, time.perf_counter() - self._saved)

    def _is_due(self, last: int, every: int) -> bool:
        """Return whether ``every`` steps have passed since ``last``; at the start of a session nothing is due."""
        steps = self.model.num_timesteps
        return steps > self.first_steps and steps - last >= every

    def check_weights(self) -> None:
        """Check that the model has learned numbers.

        Raises:
            ValueError: a weight is not finite, nor will it ever be again.
        """
        for name, weights in self.model.policy.state_dict().items():
            if not weights.isfinite().all():
                raise self.diverged(f"weights {name}")

    def diverged(self, what: str) -> ValueError:
        """Return what to say where numbers of the model, such as ``what``, are none any more."""
        return ValueError(
            f"learning has diverged: {what} are not all finite after {self.model.num_timesteps:,} steps; begin anew "
            "with a lower learning_rate (--settings)"
        )

    def test(self) -> None:
        """Play against the ladder, and note the scores in the folder."""
        config, game = self.config, self.league.game
        policy = Policy(game, self.model)
        self.ladder = ladder_scores(
            game,
            lambda planes, masks: policy.choose(planes, masks, None),
            config.ladder,
            config.ladder_games,
            default_opening_plies(game),
            config.seed,
        )
        self.folder.note({"steps": self.model.num_timesteps, "seconds": round(self.seconds, 1), "ladder": self.ladder})
        for name, score in self.ladder.items():
            self.model.logger.record(f"ladder/{name}", score)
        self.model.logger.dump(self.model.num_timesteps)  # the library's next line is a batch later

    def state_dict(self) -> dict[str, Any]:
        """Return all that the run goes on from beside the model: arrays, tensors, numbers and texts in nested dicts."""
        return {
            "seconds": self.seconds,
            "ladder": dict(self.ladder),
            "tested": self.tested,
            "snapshot": self.snapshot,
            "kept": self.kept,
            "drawn": self.drawn,
            "games": self.venv.state_dict(),
            "random": random_state(self.model),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where a session of the same configuration was, whose model this session has.

        Args:
            state: what `state_dict` returned.

        Raises:
            ValueError: it is of another game, another number of games, or other opponents.
        """
        self.before, self.started = float(state["seconds"]), time.perf_counter()
        self._saved = self.started
        self.ladder = numbers_of(state["ladder"])
        self.tested, self.snapshot, self.kept = (int(state[name]) for name in ("tested", "snapshot", "kept"))
        self.drawn = int(state.get("drawn", 0))  # older runs drew for each batch
        self.venv.load_state_dict(state["games"])
        self.first_games = self.league.games
        load_random_state(self.model, state["random"])  # at last: networks of snapshots have drawn their first weights

    def report(self) -> None:
        """Tell the logger and ``on_progress`` how far the run is."""
        seconds = max(self.seconds - self.before, 1e-9)
        league = self.league
        progress = Progress(
            steps=self.model.num_timesteps,
            seconds=self.seconds,
            games=league.games,
            steps_per_second=(self.model.num_timesteps - self.first_steps) / seconds,
            games_per_second=(league.games - self.first_games) / seconds,
            ladder=self.ladder,
            scores={league.name(number): score for number, score in league.scores.items()},
        )
        record = self.model.logger.record
        record("time/games_per_second", progress.games_per_second)
        for name, score in progress.scores.items():
            if not name.startswith("snapshot"):
                record(f"opponents/{name}", score)
        if self.on_progress is not None:
            self.on_progress(progress)


def numbers_of(kept: Mapping[str, Any]) -> dict[str, float]:
    """Return numbers by name, as a state has them.

    Raises:
        AttributeError, TypeError, ValueError: they are none.
    """
    return {name: float(number) for name, number in kept.items()}
