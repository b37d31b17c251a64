"""Value-based learning: stable-baselines3's DQN on many games of Connect Four at once.

DQN learns Q(s, a), what an action comes to, from steps that it keeps and learns from again, and explores by random
actions. It knows no masks: it meets illegal moves, loses the game by them, and learns to avoid them. When it plays the
ladder, `Policy` chooses the best of the legal ones.

Source: V. Mnih et al., "Human-level control through deep reinforcement learning", Nature 518, 2015.
"""

import time
from typing import Annotated, Any

import torch
import typer
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback

from plyground.agents import Policy
from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games
from plyground.envs.vector.stable_baselines import BoardVecEnv

GAME = "connect_four"
OPPONENTS = "mixture(random, alphabeta(depth=1), alphabeta(depth=2), mcts(simulations=30))"
LADDER = ("random", "alphabeta(depth=1)", "alphabeta(depth=2)", "mcts(simulations=100)")


class Watch(BaseCallback):
    """Prints the mean reward ten times, and ends the training when its time is up."""

    def __init__(self, steps: int, seconds: float) -> None:
        super().__init__()
        self.steps, self.deadline, self.shown = steps, time.perf_counter() + seconds, 0

    def _on_step(self) -> bool:
        if self.num_timesteps * 10 // self.steps > self.shown:
            self.shown = self.num_timesteps * 10 // self.steps
            rewards = [game["r"] for game in self.model.ep_info_buffer or ()]
            mean = sum(rewards) / len(rewards) if rewards else float("nan")
            print(f"{self.num_timesteps:9,} moves, mean reward of the last {len(rewards)} games {mean:+.2f}")
        return time.perf_counter() < self.deadline


def main(
    steps: Annotated[int, typer.Option(help="Moves of the learner.")] = 600_000,
    num_envs: Annotated[int, typer.Option(help="Games side by side.")] = 64,
    seconds: Annotated[float, typer.Option(help="Stop training after this time, if that is earlier.")] = 140,
    games: Annotated[int, typer.Option(help="Games against each player of the ladder.")] = 40,
    seed: int = 0,
) -> dict[str, float]:
    """Train, play against the ladder, and return the scores."""
    checked_games(games)  # now, and not after the training
    torch.set_num_threads(1)  # the network is small: threads would only wait for each other
    model: Any = DQN(
        "MlpPolicy",
        BoardVecEnv(GAME, num_envs, OPPONENTS, opening_plies=4, seed=seed),
        learning_rate=5e-4,
        buffer_size=max(num_envs, min(200_000, steps)),
        learning_starts=min(10_000, steps // 10),
        batch_size=256,
        gamma=0.99,
        train_freq=1,  # after a move in each game:
        gradient_steps=2,
        target_update_interval=2_000,
        exploration_fraction=0.5,
        exploration_final_eps=0.05,
        policy_kwargs={"net_arch": [128, 128]},
        seed=seed,
        device="cpu",
    )
    model.learn(steps, callback=Watch(steps, seconds))

    scores = {}
    for player in LADDER:
        result = elo_difference(pair_scores(match(GAME, [Policy(GAME, model), player], games, seed)))
        scores[player] = result.score
        print(f"against {player}: {result.score:.0%}, {result} Elo")
    return scores


if __name__ == "__main__":
    typer.run(main)
