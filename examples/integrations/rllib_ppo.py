"""RLlib: self-play PPO on its `PettingZooEnv`, one module for both seats.

The wrapper shows the dict with the planes and the mask as it is; RLlib's default module would take the mask for
something to learn from, so the module here adds it to the logits. Only the player to move is in each step's dicts, and
the wrapper hands the last rewards to both players, so that the loser's defeat is told.
"""

# The library need not be installed where types are checked.
# pyright: reportMissingImports=false

from typing import Any

import ray
import torch
import typer
from gymnasium.spaces import Dict
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env
from torch import nn

from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games
from plyground.envs import connect_four_v0


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """An actor and a critic that never give an illegal action a chance."""

    def setup(self) -> None:
        """Make the networks."""
        assert isinstance(self.observation_space, Dict)
        shape: Any = self.observation_space["observation"].shape
        inputs, actions = int(torch.Size(shape).numel()), int(self.action_space.n)
        self.actor = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, actions))
        self.critic = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 1))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.actor(seen["observation"].flatten(1).float())
        # A finite number, since RLlib computes entropies as the sum of p log p.
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, -1e9)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the values [batch]."""
        return self.critic(batch[Columns.OBS]["observation"].flatten(1).float()).squeeze(-1)


class Greedy:
    """Plays the action that the module prefers."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def reset(self, seed: int | None = None) -> None:
        """Nothing is kept between games."""

    def act(self, observation: Any, info: Any = None) -> int:
        """Return the action."""
        batch = {Columns.OBS: {name: torch.as_tensor(part)[None] for name, part in observation.items()}}
        with torch.no_grad():
            return int(self.module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS].argmax())


def main(iterations: int = 5, steps: int = 2000, games: int = 100, seed: int = 0) -> float:
    """Train for so many iterations of so many plies, play games against a random player, and return the score."""
    checked_games(games)  # now, and not after the training
    register_env("connect_four", lambda config: PettingZooEnv(connect_four_v0.env(info_state=False)))
    config = (
        PPOConfig()
        .environment("connect_four")
        .env_runners(num_env_runners=0)  # all in this process: the example is small
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **kwargs: "both")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": RLModuleSpec(module_class=MaskedModule)}))
        .training(train_batch_size_per_learner=steps, minibatch_size=min(256, steps), num_epochs=6, lr=1e-3, gamma=1.0)
        .debugging(seed=seed)
    )
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    try:
        algorithm = config.build_algo()
        for _ in range(iterations):
            algorithm.train()
        player = Greedy(algorithm.get_module("both"))
        result = elo_difference(pair_scores(match("connect_four", [player, "random"], games, seed)))
        algorithm.stop()
    finally:
        ray.shutdown()
    print(f"RLlib's PPO after {iterations * steps:,} plies against random: {result.score:.0%}, {result} Elo")
    return result.score


if __name__ == "__main__":
    typer.run(main)
