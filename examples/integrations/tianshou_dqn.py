"""Tianshou: self-play DQN on its `PettingZooEnv`, one network for both seats.

The wrapper reads the mask from the observation and hands it on as ``obs.mask``, where the policies look for it;
``info_state=False`` keeps the state records out of the replay buffer, which would make arrays of them.

Both players' plies follow each other in the buffer, each with the rewards of both. The n-step return must therefore
have an *even* n: after two plies the same player is to move again, and what the other's reply did is in the rewards.
With n = 1 the value of a position would be bootstrapped from the opponent's, and who is beaten would never be told.
"""

# The library need not be installed where types are checked; its annotations are narrower than what it takes.
# pyright: reportMissingImports=false, reportArgumentType=false, reportCallIssue=false

import logging
from typing import Any

import numpy as np
import torch
import typer
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games
from plyground.envs import connect_four_v0


def make_env() -> PettingZooEnv:
    """Make an environment as Tianshou wants it."""
    return PettingZooEnv(connect_four_v0.env(info_state=False))


class Greedy:
    """Plays the legal action of the highest value."""

    def __init__(self, network: Net) -> None:
        self.network = network

    def reset(self, seed: int | None = None) -> None:
        """Nothing is kept between games."""

    def act(self, observation: Any, info: Any = None) -> int:
        """Return the action."""
        with torch.no_grad():
            values = self.network(observation["observation"][None])[0][0]
        return int(values.masked_fill(torch.as_tensor(observation["action_mask"]) == 0, -torch.inf).argmax())


def main(steps: int = 20_000, num_envs: int = 16, games: int = 100, seed: int = 0) -> float:
    """Train for so many plies, play so many games against a random player, and return the score."""
    checked_games(games)  # now, and not after the training
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns at each step that two players have two returns
    torch.set_num_threads(1)  # the network is small: threads would only wait for each other
    torch.manual_seed(seed)
    np.random.seed(seed)
    env = make_env()
    network = Net(state_shape=connect_four_v0.env().game.observation_shape, action_shape=7, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.2)
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.97,
        n_step_return_horizon=2,
        target_update_freq=200,
    )
    both = MultiAgentOffPolicyAlgorithm(algorithms=[dqn, dqn], env=env)
    buffer = VectorReplayBuffer(steps, num_envs)
    collector = Collector(both, DummyVectorEnv([make_env] * num_envs), buffer, exploration_noise=True)
    both.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=8 * num_envs,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=128,
            multi_agent_return_reduction=lambda rewards: rewards[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    result = elo_difference(pair_scores(match("connect_four", [Greedy(network), "random"], games, seed)))
    print(f"Tianshou's DQN after {steps:,} plies against random: {result.score:.0%}, {result} Elo")
    return result.score


if __name__ == "__main__":
    typer.run(main)
