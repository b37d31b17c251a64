"""Runs of AlphaZero with their own self-play: in two parts they are what they are in one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.agents.networks import read_network  # noqa: E402
from plyground.arena.training.alphazero import AlphaZeroConfig, resume, train  # noqa: E402

CONFIG = AlphaZeroConfig(
    "tictactoe",
    steps=320,
    minutes=None,
    num_envs=16,
    simulations=4,
    full_share=0.5,
    cheap_simulations=2,
    surprise_share=0.5,
    network="tiny",
    batch_size=32,
    learn_after=32,
    ladder_every=0,
)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="by turns"),
        pytest.param({"threads": 2, "root": "puct"}, id="side by side", marks=pytest.mark.slow),
    ],
)
def test_two_parts_are_one_run_bit_by_bit(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = replace(CONFIG, **changes)
    whole = train(config, tmp_path / "whole")
    train(replace(config, steps=150), tmp_path / "parts")
    parts = resume(tmp_path / "parts", steps=320)
    assert (parts.steps, parts.games, parts.samples, parts.learned) == (
        whole.steps,
        whole.games,
        whole.samples,
        whole.learned,
    )
    assert whole.learned > 0
    left, right = (read_network(tmp_path / name).weights for name in ("whole", "parts"))
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])
