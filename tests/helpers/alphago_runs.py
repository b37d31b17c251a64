"""Small runs of AlphaGo's pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plyground.arena.training.alphago import AlphaGoConfig, train

__all__ = ["finished", "results", "small_run"]


def finished(config: AlphaGoConfig, folders: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that is over."""
    path = folders.mktemp("runs") / "whole"
    train(config, path)
    return path


def results(run: Path) -> dict[str, Any]:
    """Return what the tests of a run said, part by part."""
    return json.loads((run / "results.json").read_text())


def small_run(game: str, records: Path, **settings: Any) -> AlphaGoConfig:
    """Return the configuration of a run that takes seconds, and that is the same on each machine."""
    return AlphaGoConfig(
        game,
        records=(str(records),),
        test_share=0.3,
        rl_steps=4,
        backend="torch",
        precision="f32",
        checkpoint_minutes=None,
        **settings,
    )
