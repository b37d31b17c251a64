"""A trained network inside a search: MaskablePPO learns Connect Four for a minute, and then PUCT looks ahead with it.

The policy gives the search its priors, the critic the values of its leaves, 64 positions at a time. The search is shown
what the environment showed in training. Alone, the network plays at once; inside the search it looks ahead, and wins.

Source: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play", Science 362, 2018.
"""

import time
from typing import Annotated

import torch
import typer
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from plyground.agents import PUCT, Policy, policy_evaluator
from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games
from plyground.envs.vector.stable_baselines import BoardVecEnv

GAME = "connect_four"
OPPONENTS = "mixture(random, alphabeta(depth=1), alphabeta(depth=2), mcts(simulations=30))"


class Clock(BaseCallback):
    """Ends the training when its time is up."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.deadline = time.perf_counter() + seconds

    def _on_step(self) -> bool:
        return time.perf_counter() < self.deadline


def main(
    seconds: Annotated[float, typer.Option(help="Time of the training.")] = 60,
    num_envs: Annotated[int, typer.Option(help="Games side by side in the training.")] = 64,
    simulations: Annotated[int, typer.Option(help="Of the search, for each move.")] = 400,
    games: Annotated[int, typer.Option(help="Games of the match.")] = 40,
    seed: int = 0,
) -> float:
    """Train, play the search against the network alone, and return the search's score, from 0 to 1."""
    checked_games(games)  # now, and not after the training
    torch.set_num_threads(1)  # the network is small: threads would only wait for each other
    envs = BoardVecEnv(GAME, num_envs, OPPONENTS, opening_plies=4, seed=seed)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=32,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        seed=seed,
        device="cpu",
    )
    model.learn(10**9, callback=Clock(seconds))
    print(f"{model.num_timesteps:,} moves learned from")
    search = PUCT(GAME, simulations, evaluator=policy_evaluator(model), batch=64)
    result = elo_difference(pair_scores(match(GAME, [search, Policy(GAME, model)], games, seed)))
    print(f"the search against its network alone: {result.score:.0%}, {result} Elo")
    return result.score


if __name__ == "__main__":
    typer.run(main)
