"""The folder of a run that nobody has trained, for tests of what is asked about runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plyground.envs import SoloEnv

__all__ = ["GAME", "training_run"]

GAME = "mnk(m=4, n=3, k=3)"


@pytest.fixture(scope="module")
def training_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as training leaves it, with two untrained models."""
    contrib = pytest.importorskip("sb3_contrib")
    folder = tmp_path_factory.mktemp("run")
    (folder / "config.json").write_text(json.dumps({"game": GAME, "algorithm": "ppo"}))
    (folder / "checkpoints").mkdir()
    for steps in (20_000, 100_000):
        model = contrib.MaskablePPO("MlpPolicy", SoloEnv(GAME, "random"), device="cpu", seed=steps)
        model.save(folder / "checkpoints" / f"step_{steps:09d}.zip")
    (folder / "checkpoints" / "step_000000007.partial.zip").write_text("not yet a checkpoint")
    return folder
