"""The two sides of a measurement: MaskablePPO as this package trains it, and as PettingZoo's tutorial does.

The tutorial (https://pettingzoo.farama.org/tutorials/sb3/connect_four/) wraps one AEC environment as a Gymnasium one in
which the learner plays both sides, and trains with the library's own settings. Here both have one thread of torch.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

from benchmarks.speed.harness import Work
from plyground.arena.training import TrainingConfig, new_model

__all__ = ["ours", "tutorial"]


def ours() -> Work:
    """Return training with the defaults of `plyground train`, without checkpoints and tests: a batch of experience."""
    model, _, league = new_model(TrainingConfig("connect_four"))
    batch = model.n_steps * model.n_envs

    def work() -> int:
        league.draw()
        model.learn(batch, reset_num_timesteps=False)
        return batch

    return work


def tutorial() -> Work:
    """Return training of MaskablePPO on ``pettingzoo.classic.connect_four_v3``: a batch of experience."""
    import torch

    torch.set_num_threads(1)
    gymnasium, utils = import_module("gymnasium"), import_module("pettingzoo.utils")
    contrib, wrappers = import_module("sb3_contrib"), import_module("sb3_contrib.common.wrappers")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The old environment creation API has been deprecated", DeprecationWarning)
        classic = import_module("pettingzoo.classic.connect_four_v3")

    class Whoever(utils.BaseWrapper, gymnasium.Env):
        """Whoever is to move is the agent."""

        def __init__(self, env: Any) -> None:
            super().__init__(env)
            self.env = env
            self.observation_space = env.observation_space("player_0")["observation"]
            self.action_space = env.action_space("player_0")

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
            self.env.reset(seed=seed, options=options)
            return self.env.observe(self.env.agent_selection)["observation"], {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            mover = self.env.agent_selection
            self.env.step(int(action))
            seen = self.env.observe(self.env.agent_selection)["observation"]
            return seen, self.env.rewards[mover], self.env.terminations[mover], self.env.truncations[mover], {}

    def mask(env: Any) -> Any:
        return env.env.observe(env.env.agent_selection)["action_mask"]

    env = wrappers.ActionMasker(Whoever(classic.env()), mask)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*image.*", category=UserWarning)
        model = contrib.MaskablePPO("MlpPolicy", env, device="cpu")

    def work() -> int:
        model.learn(model.n_steps, reset_num_timesteps=False)
        return model.n_steps

    return work
