"""The script that puts networks into the package: the command that it notes is one that makes the run again."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

pytest.importorskip("torch")

from benchmarks.learning.ship import command_of
from plyground.arena.training.alphazero import AlphaZeroConfig
from tests.helpers.command_line import Run


@pytest.mark.slow
def test_the_command_of_a_run_makes_it_again(run: Run, tmp_path: Path) -> None:
    config = AlphaZeroConfig(
        "mnk(m=3, n=3, k=3)",
        steps=64,
        num_envs=16,
        simulations=2,
        symmetry=False,
        network="tiny",
        batch_size=512,
        ladder_every=0,
    )
    command = command_of(config)
    assert command.startswith(
        "plyground train alphazero 'mnk(m=3, n=3, k=3)' --steps 64 --minutes 60.0 --seed 0 --threads 1"
    )
    assert "--no-symmetry" in command
    run(*shlex.split(command)[1:], "--out", str(tmp_path / "run"))
    assert AlphaZeroConfig.load(tmp_path / "run" / "config.json") == config
