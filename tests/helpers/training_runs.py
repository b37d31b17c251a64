"""What the tests of training share: small runs, whether two models are the same, and Ctrl-C."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import Any

import torch

from plyground.arena import Progress, TrainingConfig

__all__ = ["ALL", "SMALL", "Stop", "assert_same"]

SMALL = TrainingConfig(
    "tictactoe",
    steps=512,
    num_envs=16,
    opening_plies=2,
    opponents={"random": 1.0},
    width=16,
    snapshot_every=128,
    checkpoint_every=256,
    ladder=("random",),
    ladder_every=0,
    ladder_games=10,
    settings={"n_steps": 8, "batch_size": 64},
)
A2C = replace(SMALL, algorithm="a2c", settings={"n_steps": 8})
DQN = replace(
    SMALL,
    algorithm="dqn",
    settings={"learning_starts": 64, "train_freq": 4, "gradient_steps": 1, "batch_size": 32, "buffer_size": 1000},
)
ALL = {"ppo": SMALL, "a2c": A2C, "dqn": DQN}


def weights(model: Any) -> dict[str, Any]:
    return model.policy.state_dict()


def assert_same(one: Any, other: Any) -> None:
    assert one.num_timesteps == other.num_timesteps
    for name, tensor in weights(one).items():
        assert torch.equal(tensor, weights(other)[name]), name


class Stop:
    """Interrupts a run, as Ctrl-C does, as soon as it has made so many steps."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __call__(self, progress: Progress) -> None:
        if progress.steps >= self.steps:
            self.steps = 10**9
            os.kill(os.getpid(), signal.SIGINT)
