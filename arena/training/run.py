"""Training a policy with stable-baselines3: against itself, its own past, and players of known kinds.

The learner sits in one seat of many games at once (`BoardVecEnv`), so every reward, observation and value is its own. A
run is saved, tested and interrupted only between two batches of experience. When it goes on from what was saved there,
it does what it would have done without the break, number for number (unless an opponent has a budget of ``seconds``, or
keeps things of its own during a game).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from ...envs.outside.messages import shown
from ..interruption import interruptible
from .config import TrainingConfig
from .folder import RunFolder
from .model import SCHEDULED_STEPS, compile_players, new_games, new_model, training_class
from .session import Finished, OnProgress, TrainingSession
from .settings import resumed
from .whole_files import alone_in

__all__ = ["check_unfinished", "resume", "train"]


def train(config: TrainingConfig, folder: str | Path, on_progress: OnProgress | None = None) -> Any:
    """Train a policy, keep it in a new folder (see `RunFolder`), and return the model.

    Ctrl-C ends the training after the batch in progress, and saves it: `resume` goes on from there. A second Ctrl-C
    ends it at once: then `resume` goes on from what was saved last, two minutes ago at most (``checkpoint_minutes``).

    Args:
        config: what to train, and how.
        folder: the run's folder, a new one or one that holds no run.
        on_progress: called after each batch of experience.

    Raises:
        ValueError: a name in the configuration is unknown, a value is out of its range, or a setting is nothing that
            JSON has, or is ``exploration_fraction``. Nothing is written.
        FileExistsError: the folder holds a run already, or something else where this one would keep its own.
        FileNotFoundError: there is no folder to make it in.
        OSError: another process trains in it.
        ImportError: stable-baselines3 is not installed.
    """
    config = config.anywhere()
    config.check_names()
    _check_kept(config)
    run = RunFolder(folder)
    run.check_new()
    model, venv, league = new_model(config, SCHEDULED_STEPS)
    compile_players(config.game, _met(config))
    with alone_in(run.path):
        run.create(config)
        return _learn(TrainingSession(config, run, model, venv, league, on_progress))


def _check_kept(config: TrainingConfig) -> None:
    """Check that the settings of the algorithm can be kept as JSON, and mean something where the end is not known.

    Raises:
        ValueError: one cannot, or does not.
    """
    if "exploration_fraction" in config.settings:
        raise ValueError(
            "exploration_fraction is a share of a length that is not known when a run begins: give exploration_steps"
        )
    for name, value in config.settings.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"settings of a run are kept as JSON, and {name} is {shown(value)}: give Python's numbers, texts, "
                "true or false, or lists of them (functions are for loops of your own, with the model of new_model)"
            ) from None


def resume(
    folder: str | Path,
    on_progress: OnProgress | None = None,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    **machine: Any,
) -> Any:
    """Go on with a run from its newest state, exactly as it was, and return the model.

    Where its own limits are reached already, and no new one is given, it only makes the last test, and saves.

    Args:
        folder: the run's folder.
        on_progress: called after each batch of experience.
        steps: the new limit on the moves of the learner, over all sessions. Default for each: the configuration's.
        minutes: the new limit on the time of training, over all sessions.
        machine: new values of the fields ``threads`` and ``network_threads``. With another number of the latter the run
            goes on, but no longer bit for bit.

    Raises:
        FileNotFoundError: the folder holds no run.
        ValueError: a file of the run is damaged, a limit that is given or the other one is reached already, or a value
            is out of its range.
        OSError: another process goes on with it.
    """
    run = RunFolder(folder)
    config = _config_of(run, steps, minutes, machine)
    if steps is not None or minutes is not None:
        run.check_left(config.steps, config.minutes)
    with alone_in(run.path):
        venv, league = new_games(config)
        model, state = run.load(training_class(config), venv)
        compile_players(config.game, _met(config))  # before the clock of the session runs
        try:
            league.follow(model.policy)
            session = TrainingSession(config, run, model, venv, league, on_progress)
            session.load_state_dict(state)
            run.check_steps(model.num_timesteps)
        except Exception as error:  # what does not fit is told by errors of many kinds
            raise run.damaged(error) from error
        config.save(run.config)
        run.forget_after(model.num_timesteps)
        return _learn(session)


def check_unfinished(
    folder: str | Path, *, steps: int | None = None, minutes: float | None = None, **machine: Any
) -> None:
    """Check that there is something left to do in a run, with these values, as for `resume`, in place of its own.

    Raises:
        FileNotFoundError: the folder holds no run.
        ValueError: a limit is reached, a value is out of its range, or a file is damaged.
    """
    run = RunFolder(folder)
    config = _config_of(run, steps, minutes, machine)
    run.check_left(config.steps, config.minutes)


def _config_of(run: RunFolder, steps: int | None, minutes: float | None, machine: Mapping[str, Any]) -> TrainingConfig:
    """Return the configuration of a run that has a state, with these values in place of its own."""
    run.state()
    return resumed(TrainingConfig.load(run.config), {"steps": steps, "minutes": minutes}, machine)


def _met(config: TrainingConfig) -> list[str]:
    """Return the players whom the learner meets, in its games or in tests."""
    return [*(config.opponents if config.self_play < 1 else ()), *(config.ladder if config.ladder_every else ())]


def _learn(session: TrainingSession) -> Any:
    """Train until the session is over, and return the model."""
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger

    class Between(BaseCallback):
        def _on_rollout_start(self) -> None:
            session.between()

        def _on_step(self) -> bool:
            return True

    model = session.model
    model.set_logger(_logger(session.folder.tensorboard, model.num_timesteps))
    left = SCHEDULED_STEPS - model.num_timesteps
    interval = 1000 if session.config.algorithm == "dqn" else 1  # games, or batches of experience
    with interruptible(session), session.folder.resumable():
        try:
            model.learn(left, callback=Between(), reset_num_timesteps=False, log_interval=interval)
        except Finished:
            model.logger.dump(model.num_timesteps)  # the last report
        except ValueError as error:
            if "invalid values" in str(error):  # torch's words, of many lines, for logits that are no numbers
                raise session.diverged("the policy's logits") from error
            raise
        finally:
            model.logger.close()
            model.set_logger(Logger(None, []))  # whoever learns on with the model writes nothing into a closed file
            session.venv.close()  # programs that play against the learner, which later games start anew, and threads
    return model


def _logger(folder: Path, steps: int) -> Any:
    """Return a logger for TensorBoard, in place of what was written there after these steps.

    Where TensorBoard is not installed, no scalars are kept.
    """
    from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat, configure

    if find_spec("tensorboard") is None:
        return configure(str(folder), [])
    from tensorboard.compat.proto import event_pb2

    class Scalars(TensorBoardOutputFormat):
        """Writes each number once for a step: the last report may come at that of the library's own."""

        def __init__(self) -> None:
            super().__init__(str(folder))
            self.told: dict[str, int] = {}

        def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
            new = {name: value for name, value in key_values.items() if self.told.get(name) != step}
            self.told |= dict.fromkeys(new, step)
            super().write(new, {name: key_excluded[name] for name in new}, step)

    scalars, events = Scalars(), cast("Any", event_pb2)
    session = events.SessionLog(status=events.SessionLog.START)
    first = events.Event(step=steps + 1, session_log=session)  # as torch writes it for a ``purge_step``
    scalars.writer.file_writer.add_event(first)  # pyright: ignore[reportOptionalMemberAccess]
    return Logger(str(folder), [scalars])
