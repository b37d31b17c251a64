"""Training a policy with stable-baselines3: against itself, its own past, and players of known kinds.

The learner sits in one seat of many games at once (`BoardVecEnv`), so that every reward, observation and value is its
own. It is saved, tested and interrupted between two batches of experience only, and a run that goes on from what was
saved there does what it would have done without the break, number for number (unless an opponent is limited by
``seconds``, or keeps things of its own during a game).
"""

from __future__ import annotations

import inspect
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...agents.models import model_class
from ...envs import make_game
from ...envs.spec import nearest
from ..openings import default_opening_plies
from .config import ALGORITHMS, TrainingConfig
from .folder import RunFolder
from .ladder import ladder_scores
from .league import League

__all__ = ["Progress", "new_model", "resume", "train"]

_STEPS = 10**9  # what the libraries are told, so that no schedule of theirs depends on when a run is to end
_OPENING = 24  # random plies, at most, if nothing is said
_WIDTHS = {"mlp": 256, "resnet": 16}
_CLASSES = {"ppo": "MaskablePPO", "a2c": "A2C", "dqn": "DQN"}


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        steps: moves of the learner so far.
        seconds: of training, over all sittings.
        games: that have ended.
        steps_per_second, games_per_second: in this sitting.
        ladder: the score, from 0 to 1, against each player of the ladder, when it was last tested.
        scores: the learner's mean score in its last games against each opponent it trains with.
    """

    steps: int
    seconds: float
    games: int
    steps_per_second: float
    games_per_second: float
    ladder: dict[str, float] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)


OnProgress = Callable[[Progress], object]


def train(config: TrainingConfig, folder: str | Path, on_progress: OnProgress | None = None) -> Any:
    """Train a policy, keep it in a new folder (see `RunFolder`), and return the model.

    Ctrl-C ends the training after the batch in progress, and saves it: `resume` goes on from there. (A second one ends
    it at once: then `resume` goes on from the last checkpoint.)

    Args:
        config: what to train, and how.
        folder: a new folder, or one without a run.
        on_progress: called after each batch of experience.

    Raises:
        ValueError: a name in the configuration is unknown, or a value is out of its range. Nothing is written.
        FileExistsError: the folder holds a run already.
        ImportError: stable-baselines3 is not installed.
    """
    config.check_names()
    model, venv, league = new_model(config)
    run = RunFolder(folder)
    run.create(config)
    return _run(config, run, model, venv, league, {"seconds": 0.0}, on_progress)


def new_model(config: TrainingConfig) -> tuple[Any, Any, League]:
    """Return an untrained model, the environments that it will learn in, and its opponents.

    For loops of one's own, such as ``model.learn(100_000)``; the opponents then stay as they are drawn first, since it
    is `train` that takes snapshots.

    Args:
        config: of which the limits, and what is kept, play no part.

    Raises:
        ValueError: a name in the configuration, or a setting of the algorithm, is unknown.
        ImportError: stable-baselines3 is not installed.
    """
    cls = model_class(_CLASSES[config.algorithm])
    from .networks import network_settings

    venv, league = _games(config)
    known = inspect.signature(cls).parameters
    for name in config.settings:
        if name not in known:
            raise ValueError(f"unknown setting {name!r} of {cls.__name__}: {nearest(name, known)}")
    settings = {**ALGORITHMS[config.algorithm], **config.settings}
    if config.algorithm == "dqn":
        settings.setdefault("exploration_fraction", config.exploration_steps / _STEPS)
    body = network_settings(league.game, config.network, config.width or _WIDTHS[config.network], config.blocks)
    model = cls("MlpPolicy", venv, policy_kwargs=body, seed=config.seed, device="cpu", **settings)
    league.follow(model.policy)
    return model, venv, league


def resume(
    folder: str | Path,
    on_progress: OnProgress | None = None,
    *,
    steps: int | None = None,
    minutes: float | None = None,
) -> Any:
    """Go on with a run from its newest state, exactly as it was, and return the model.

    Args:
        folder: of the run.
        on_progress: as in `train`.
        steps: the limit over all sittings, from now on. Default for both: those of the configuration.
        minutes: likewise.

    Raises:
        FileNotFoundError: the folder holds no run.
        ValueError: what it holds is damaged, or a limit is out of its range.
    """
    run = RunFolder(folder)
    run.state()
    config = TrainingConfig.load(run.config)
    if steps is not None or minutes is not None:
        config = replace(config, steps=steps, minutes=minutes)
    cls = model_class(_CLASSES[config.algorithm])
    venv, league = _games(config)
    model, counters = run.restore(cls, venv, league)
    config.save(run.config)
    run.forget_after(model.num_timesteps)
    return _run(config, run, model, venv, league, counters, on_progress)


def _games(config: TrainingConfig) -> tuple[Any, League]:
    """Return the environments, and the opponents whom the learner meets in them."""
    import torch

    from ...envs.stable_baselines import BoardVecEnv
    from .symmetries import SymmetricVecEnv

    torch.set_num_threads(1)
    game = make_game(config.game)
    league = League(game, config)
    plies = min(_OPENING, game.max_plies // 2) if config.opening_plies is None else config.opening_plies
    venv = BoardVecEnv(
        game,
        config.environments,
        league,
        opening_plies=plies,
        num_threads=config.threads,
        seed=config.seed,
    )
    return SymmetricVecEnv(venv) if config.symmetry else venv, league


class _Finished(Exception):  # noqa: N818  (not an error)
    """Raised between two batches, when the training is over or was interrupted."""


class _Run:
    """What happens between two batches of experience."""

    def __init__(
        self,
        config: TrainingConfig,
        folder: RunFolder,
        model: Any,
        venv: Any,
        league: League,
        counters: dict[str, Any],
        on_progress: OnProgress | None,
    ) -> None:
        self.config, self.folder, self.model, self.venv, self.league = config, folder, model, venv, league
        self.on_progress = on_progress
        self.before, self.started = counters["seconds"], time.perf_counter()
        self.ladder: dict[str, float] = counters.get("ladder", {})
        self.tested, self.snapshot, self.kept = (counters.get(name, 0) for name in ("tested", "snapshot", "kept"))
        self.first_steps, self.first_games = model.num_timesteps, league.games
        self.interrupted = False

    @property
    def seconds(self) -> float:
        return self.before + time.perf_counter() - self.started

    def between(self) -> None:
        config, steps = self.config, self.model.num_timesteps
        over = self.interrupted or (config.steps is not None and steps >= config.steps)
        over = over or (config.minutes is not None and self.seconds >= 60 * config.minutes)
        fresh = steps > self.first_steps
        if fresh and steps - self.snapshot >= config.snapshot_every:
            self.snapshot = steps
            self.league.add(steps)
        if (
            fresh
            and config.ladder_every
            and (over or steps - self.tested >= config.ladder_every)
            and steps > self.tested
        ):
            self.tested = steps
            self.test()
        keep = fresh and (over or steps - self.kept >= config.checkpoint_every) and steps > self.kept
        if keep:
            self.kept = steps
            self.folder.checkpoint(self.model)
        if keep or over or steps == 0:
            self.save()
        self.report()
        if over:
            raise _Finished
        self.league.draw()

    def test(self) -> None:
        config, game = self.config, self.league.game
        self.ladder = ladder_scores(
            game, self.model, config.ladder, config.ladder_games, default_opening_plies(game), config.seed
        )
        self.folder.note({"steps": self.model.num_timesteps, "seconds": round(self.seconds, 1), "ladder": self.ladder})

    def save(self) -> None:
        counters = {
            "seconds": self.seconds,
            "ladder": self.ladder,
            "tested": self.tested,
            "snapshot": self.snapshot,
            "kept": self.kept,
        }
        self.folder.save(self.model, self.venv, self.league, counters)

    def report(self) -> None:
        sitting = max(self.seconds - self.before, 1e-9)
        league = self.league
        progress = Progress(
            steps=self.model.num_timesteps,
            seconds=self.seconds,
            games=league.games,
            steps_per_second=(self.model.num_timesteps - self.first_steps) / sitting,
            games_per_second=(league.games - self.first_games) / sitting,
            ladder=self.ladder,
            scores={league.name(number): score for number, score in league.scores.items()},
        )
        record = self.model.logger.record
        record("time/games_per_second", progress.games_per_second)
        for kind, scores in (("ladder", progress.ladder), ("opponents", progress.scores)):
            for name, score in scores.items():
                if not name.startswith("snapshot"):
                    record(f"{kind}/{name}", score)
        if self.on_progress is not None:
            self.on_progress(progress)


def _run(
    config: TrainingConfig,
    folder: RunFolder,
    model: Any,
    venv: Any,
    league: League,
    counters: dict[str, Any],
    on_progress: OnProgress | None,
) -> Any:
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure

    run = _Run(config, folder, model, venv, league, counters, on_progress)

    class Between(BaseCallback):
        def _on_rollout_start(self) -> None:
            run.between()

        def _on_step(self) -> bool:
            return True

    model.set_logger(configure(str(folder.tensorboard), ["tensorboard"]))
    left = _STEPS - model.num_timesteps
    interval = 1000 if config.algorithm == "dqn" else 1  # games, or batches of experience
    with _interruptible(run):
        try:
            model.learn(left, callback=Between(), reset_num_timesteps=False, log_interval=interval)
        except _Finished:
            pass
        finally:
            model.logger.close()
    return model


@contextmanager
def _interruptible(run: _Run) -> Iterator[None]:
    """Let the first Ctrl-C end the run after the batch in progress."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        if run.interrupted:
            raise KeyboardInterrupt
        run.interrupted = True

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
