"""stable-baselines3 in the manner of PettingZoo's own tutorial: MaskablePPO plays both sides of one AEC environment.

The wrapper and the training are what they are for ``pettingzoo.classic``; the import of the game is the only line that
changes. With ``from pettingzoo.classic import connect_four_v3 as connect_four`` the same seed trains the same network.

This way is the slowest (one game at a time, every ply through Python), and the learner gets a reward only for moves
that end the game: who is beaten by the other's move is not told. docs/integrations.md says what to take instead.
"""

from types import ModuleType
from typing import Any

import gymnasium
import torch
import typer
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

from plyground.agents import Policy
from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games
from plyground.envs import connect_four_v0 as connect_four


class WhoeverMoves(BaseWrapper, gymnasium.Env):  # type: ignore[misc]
    """Shows an AEC environment as a Gymnasium one, whose only agent is whoever is to move."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.env: Any = env
        agent = env.possible_agents[0]  # the spaces of both are the same
        self.observation_space: Any = env.observation_space(agent)["observation"]  # without the mask
        self.action_space: Any = env.action_space(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:  # type: ignore[override]
        """Start a game."""
        self.env.reset(seed=seed, options=options)
        return self.planes(), {}

    def step(self, action: Any) -> Any:
        """Play a ply; return the view of whoever is next, and the reward of whoever has played."""
        mover = self.agent_selection
        self.env.step(int(action))
        return self.planes(), self._cumulative_rewards[mover], self.terminations[mover], self.truncations[mover], {}

    def planes(self) -> Any:
        """Return what the player to move sees."""
        return self.env.observe(self.agent_selection)["observation"]

    def mask(self) -> Any:
        """Return the legal actions of the player to move."""
        return self.env.observe(self.agent_selection)["action_mask"]


def legal_actions(env: Any) -> Any:
    """Return the mask in the way that sb3-contrib asks for it."""
    return env.mask()


def train(game: ModuleType, steps: int, seed: int) -> MaskablePPO:
    """Train on a game's PettingZoo module, ours or PettingZoo's own."""
    torch.set_num_threads(1)  # the network is small: threads would only wait for each other
    env = ActionMasker(WhoeverMoves(game.env()), legal_actions)
    model = MaskablePPO("MlpPolicy", env, n_steps=min(2048, steps), seed=seed, device="cpu")
    return model.learn(steps)


def main(steps: int = 20_000, games: int = 100, seed: int = 0) -> float:
    """Train for so many plies, play so many games against a random player, and return the score."""
    checked_games(games)  # now, and not after the training
    model = train(connect_four, steps, seed)
    result = elo_difference(pair_scores(match("connect_four", [Policy("connect_four", model), "random"], games, seed)))
    print(f"MaskablePPO after {steps:,} plies against random: {result.score:.0%}, {result} Elo")
    return result.score


if __name__ == "__main__":
    typer.run(main)
