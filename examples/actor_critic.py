"""Actor and critic: MaskablePPO of sb3-contrib and A2C of stable-baselines3, on many games of Connect Four at once.

Both learn a policy and a value of positions together, the value telling how much better a move was than expected. A2C
takes one step with each batch; PPO several, and stops where the policy has changed by a given ratio. MaskablePPO sees
the masks; A2C does not, loses games by illegal moves, and learns to avoid them.

Source: V. Mnih et al., "Asynchronous Methods for Deep Reinforcement Learning", 2016; J. Schulman et al., "Proximal
Policy Optimization Algorithms", 2017.
"""

import time
from typing import Annotated, Any

import torch
import typer
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C
from stable_baselines3.common.callbacks import BaseCallback

from plyground.agents import Policy
from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games
from plyground.envs.vector.stable_baselines import BoardVecEnv

GAME = "connect_four"
OPPONENTS = "mixture(random, alphabeta(depth=1), alphabeta(depth=2), mcts(simulations=30))"
LADDER = ("random", "alphabeta(depth=1)", "alphabeta(depth=2)", "mcts(simulations=100)")
NETWORK = {"net_arch": [128, 128], "activation_fn": torch.nn.ReLU}


class Watch(BaseCallback):
    """Prints the mean reward five times, and ends the training when its time is up."""

    def __init__(self, steps: int, seconds: float) -> None:
        super().__init__()
        self.steps, self.deadline, self.shown = steps, time.perf_counter() + seconds, 0

    def _on_step(self) -> bool:
        if self.num_timesteps * 5 // self.steps > self.shown:
            self.shown = self.num_timesteps * 5 // self.steps
            rewards = [game["r"] for game in self.model.ep_info_buffer or ()]
            mean = sum(rewards) / len(rewards) if rewards else float("nan")
            print(f"{self.num_timesteps:9,} moves, mean reward of the last {len(rewards)} games {mean:+.2f}")
        return time.perf_counter() < self.deadline


def main(
    steps: Annotated[int, typer.Option(help="Moves of the learner, for each algorithm.")] = 400_000,
    num_envs: Annotated[int, typer.Option(help="Games side by side.")] = 64,
    seconds: Annotated[float, typer.Option(help="Stop each training after this time, if that is earlier.")] = 70,
    games: Annotated[int, typer.Option(help="Games against each player of the ladder.")] = 40,
    seed: int = 0,
) -> dict[str, dict[str, float]]:
    """Train both, play against the ladder, and return the scores of each."""
    checked_games(games)  # now, and not after the training
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other

    def environment() -> BoardVecEnv:
        return BoardVecEnv(GAME, num_envs, OPPONENTS, opening_plies=4, seed=seed)

    common: dict[str, Any] = {"policy_kwargs": NETWORK, "gamma": 1.0, "ent_coef": 0.01, "seed": seed, "device": "cpu"}
    models: list[Any] = [
        MaskablePPO("MlpPolicy", environment(), n_steps=64, batch_size=512, n_epochs=4, learning_rate=1e-3, **common),
        A2C("MlpPolicy", environment(), n_steps=8, learning_rate=1e-3, **common),
    ]
    scores: dict[str, dict[str, float]] = {}
    for model in models:
        name = type(model).__name__
        print(name)
        model.learn(steps, callback=Watch(steps, seconds))
        scores[name] = {}
        for player in LADDER:
            result = elo_difference(pair_scores(match(GAME, [Policy(GAME, model), player], games, seed)))
            scores[name][player] = result.score
            print(f"against {player}: {result.score:.0%}, {result} Elo")
    return scores


if __name__ == "__main__":
    typer.run(main)
