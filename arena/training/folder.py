"""The folder of a training run: what is kept, and how a run goes on from it exactly where it was.

::

    config.json      the `TrainingConfig`
    model.zip        the newest model
    checkpoints/     step_000250000.zip …, models
    progress.jsonl   a line for each test against the ladder
    tensorboard/     scalars
    state/           all that the run needs to go on: games, random numbers, optimizer, pool

A state is written beside the last, which is removed when the new one is whole: a crash at any moment leaves one.
Models and replay buffers are pickles, as stable-baselines3 writes them; all else is JSON, arrays and weights, and is
loaded without running code.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .config import TrainingConfig
from .league import League

__all__ = ["RunFolder"]


class RunFolder:
    """Where a run keeps what it has.

    Args:
        path: of the folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.config, self.model, self.progress = (
            self.path / name for name in ("config.json", "model.zip", "progress.jsonl")
        )
        self.checkpoints, self.tensorboard = self.path / "checkpoints", self.path / "tensorboard"
        self._states = self.path / "state"

    def check_new(self) -> None:
        """Check that no run is here.

        Raises:
            FileExistsError: there is one, or this is a file.
            FileNotFoundError: there is no folder to make this one in.
        """
        if self.path.is_file():
            raise FileExistsError(f"{str(self.path)!r} is a file: choose a folder for the run")
        if self.config.exists():
            raise FileExistsError(
                f"{str(self.path)!r} holds a training run already: resume it, or choose another folder"
            )
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"cannot make {str(self.path)!r}: there is no folder {self.path.parent!s}")

    def create(self, config: TrainingConfig) -> None:
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
        whole = sorted(path for path in self._states.glob("step_*") if path.is_dir() and not path.suffix)
        if not self.config.is_file() or not whole:
            raise FileNotFoundError(
                f"{str(self.path)!r} holds no training run that could go on: expected config.json and state/, as "
                "`plyground train` writes them"
            )
        return whole[-1]

    def save(self, model: Any, venv: Any, league: League, counters: dict[str, Any]) -> None:
        """Write the model, and a new state in place of the last."""
        name = f"step_{model.num_timesteps:09d}"
        partial, last = self._states / f"{name}.partial", list(self._states.glob("step_*"))
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        model.save(partial / "model.zip")
        if getattr(model, "replay_buffer", None) is not None:
            model.save_replay_buffer(partial / "replay.pkl")
        _save_pool(partial, league)
        arrays: dict[str, Any] = {**dict(_arrays(venv, league)), **_random_arrays()}
        np.savez(partial / "arrays.npz", **arrays)
        about = {
            "counters": counters,
            "league": {
                "pool": league.pool,
                "steps": {number: member.steps for number, member in league.snapshots.items()},
                "scores": list(league.scores.items()),
                "games": league.games,
                "active_opponents": league.active_opponents,
                "next": league._next,
                "stride": league.stride,
                "rng": league.rng.bit_generator.state,
            },
            "actions": model.action_space.np_random.bit_generator.state,
            "random": random.getstate(),
        }
        (partial / "state.json").write_text(json.dumps(about))
        copy = self.path / "model.zip.partial"
        shutil.copyfile(partial / "model.zip", copy)
        whole = self._states / name
        if whole.exists():  # the same moment once more
            shutil.rmtree(partial)
        else:
            partial.rename(whole)
            for path in last:
                shutil.rmtree(path, ignore_errors=True)
        os.replace(copy, self.model)

    def checkpoint(self, model: Any) -> None:
        """Keep the model as it is now among the checkpoints."""
        path = self.checkpoints / f"step_{model.num_timesteps:09d}.zip"
        partial = path.with_suffix(".partial")
        model.save(partial.with_suffix(".partial.zip"))
        os.replace(partial.with_suffix(".partial.zip"), path)

    def restore(self, model_class: Any, venv: Any, league: League) -> tuple[Any, dict[str, Any]]:
        """Return the model and the counters of the newest state, and put games, pool and random numbers back.

        Raises:
            FileNotFoundError: there is no state.
            ValueError: it does not fit the configuration, or a file is damaged.
        """
        path = self.state()
        try:
            about = json.loads((path / "state.json").read_text())
            model = model_class.load(path / "model.zip", env=venv, device="cpu", force_reset=False)
            if (path / "replay.pkl").exists():
                model.load_replay_buffer(path / "replay.pkl")
            league.follow(model.policy)
            venv.reset()
            for other in league.others:  # now whatever they keep for a game is there, if new
                other.begin(venv.seats.batch, np.arange(venv.num_envs))
            _load_pool(path, league, about["league"])
            with (path / "arrays.npz").open("rb") as file, np.load(file, allow_pickle=False) as saved:
                for name, array in _arrays(venv, league):
                    if saved[name].shape != array.shape or saved[name].dtype != array.dtype:
                        raise ValueError(f"{name} is {saved[name].shape}, expected {array.shape}")
                    array[...] = saved[name]
                _restore_random(saved, about)
            model.action_space.np_random.bit_generator.state = about["actions"]
        except Exception as error:  # what zip, torch and pickle raise for a damaged file is not one family
            raise ValueError(f"cannot go on from {str(path)!r}: {type(error).__name__}: {error}") from error
        return model, about["counters"]

    def note(self, line: dict[str, Any]) -> None:
        """Add a line to the progress."""
        with self.progress.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def forget_after(self, steps: int) -> None:
        """Remove the progress, and the checkpoints, that a run noted after the state it goes on from."""
        if self.progress.exists():
            lines = [line for line in self.progress.read_text().splitlines() if json.loads(line)["steps"] <= steps]
            self.progress.write_text("".join(f"{line}\n" for line in lines))
        for path in self.checkpoints.glob("step_*.zip"):
            if int(path.stem.removeprefix("step_")) > steps:
                path.unlink()


def _arrays(venv: Any, league: League) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays that games in progress consist of, by name."""
    parts = {"league": league, "seats": venv.seats, "batch": venv.seats.batch}
    parts |= {f"opponent {i}": other for i, other in enumerate(league.others)}
    if hasattr(venv, "images"):
        yield "images", venv.images
    for part, whole in parts.items():
        for name, value in sorted(vars(whole).items()):
            if isinstance(value, np.ndarray):
                yield f"{part}.{name}", value
            elif isinstance(value, tuple) and hasattr(value, "_fields"):
                fields = value._asdict().items()  # pyright: ignore[reportAttributeAccessIssue]
                yield from ((f"{part}.{name}.{key}", one) for key, one in fields if isinstance(one, np.ndarray))


def _random_arrays() -> dict[str, NDArray[Any]]:
    import torch

    _, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)
    numbers = np.array([position, has_gauss, gauss])
    return {"random.torch": torch.get_rng_state().numpy(), "random.keys": np.asarray(keys), "random.numbers": numbers}


def _restore_random(saved: Any, about: dict[str, Any]) -> None:
    import torch

    torch.set_rng_state(torch.from_numpy(saved["random.torch"].copy()))
    position, has_gauss, gauss = saved["random.numbers"].tolist()
    np.random.set_state(("MT19937", saved["random.keys"], int(position), int(has_gauss), gauss))
    version, internal, gauss_next = about["random"]
    random.setstate((version, tuple(internal), gauss_next))


def _save_pool(path: Path, league: League) -> None:
    import torch

    torch.save({number: member.policy.state_dict() for number, member in league.snapshots.items()}, path / "pool.pt")


def _load_pool(path: Path, league: League, about: dict[str, Any]) -> None:
    import torch

    for number, weights in torch.load(path / "pool.pt", weights_only=True).items():
        league.restore_snapshot(number, about["steps"][str(number)], weights)
    league.pool, league.active_opponents, league.games = about["pool"], about["active_opponents"], about["games"]
    league.scores = {int(number): score for number, score in about["scores"]}
    league._next, league.stride = about["next"], about["stride"]
    league.rng.bit_generator.state = about["rng"]
