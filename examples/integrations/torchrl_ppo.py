"""TorchRL: self-play PPO on its `PettingZooWrapper`, one network for both seats.

What TorchRL needs is in two arguments: ``info_state=False``, since it makes tensors of all that is in ``infos``, and
``use_mask=True``, as for every AEC environment. Each player is a group of its own, with an entry for *every* ply:
``(player, "mask")`` tells where it moved, and ``(player, "action_mask")`` is the mask of its legal actions there.
"""

# The library need not be installed where types are checked; its annotations are narrower than what it takes.
# pyright: reportMissingImports=false, reportArgumentType=false, reportCallIssue=false

from typing import Any

import torch
import typer
from tensordict import TensorDict, cat
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import Tensor, nn
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games
from plyground.envs import connect_four_v0

PLANES = ("observation", "observation")  # within a player's group


class Network(nn.Module):
    """Planes [..., height, width, channels] to numbers [..., outputs]."""

    def __init__(self, shape: tuple[int, ...], outputs: int) -> None:
        super().__init__()
        inputs = shape[0] * shape[1] * shape[2]
        self.layers = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, outputs))

    def forward(self, planes: Tensor) -> Tensor:
        """Return the numbers."""
        return self.layers(planes.flatten(-3).float())


def actor(network: Network, *group: str) -> ProbabilisticActor:
    """Make the part of the policy that draws a legal action for a group, or, with none, for rows taken out of one."""
    return ProbabilisticActor(
        TensorDictModule(network, in_keys=[(*group, *PLANES)], out_keys=[(*group, "logits")]),
        in_keys={"logits": (*group, "logits"), "mask": (*group, "action_mask")},
        out_keys=[(*group, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(*group, "action_log_prob"),
    )


def moves_of(game: Any, player: str) -> Any:
    """Return the plies of a finished game that were a player's, with what they came to: its reward at the end."""
    moves = game[player][game[player, "mask"]].exclude("logits")
    result = game["next", player, "reward"].sum()
    return moves.set("value_target", torch.full((len(moves), 1), float(result)))


class Greedy:
    """Plays the legal action that the network prefers."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def reset(self, seed: int | None = None) -> None:
        """Nothing is kept between games."""

    def act(self, observation: Any, info: Any = None) -> int:
        """Return the action."""
        with torch.no_grad():
            logits = self.network(torch.as_tensor(observation["observation"]))
        return int(logits.masked_fill(torch.as_tensor(observation["action_mask"]) == 0, -torch.inf).argmax())


def main(updates: int = 40, games_per_update: int = 12, epochs: int = 4, games: int = 100, seed: int = 0) -> float:
    """Train by self-play, play so many games against a random player, and return the score."""
    checked_games(games)  # now, and not after the training
    torch.set_num_threads(1)  # the network is small: threads would only wait for each other
    torch.manual_seed(seed)
    env = PettingZooWrapper(connect_four_v0.env(info_state=False), use_mask=True)
    shape, actions = connect_four_v0.env().game.observation_shape, connect_four_v0.env().game.num_actions
    policy, values = Network(shape, actions), Network(shape, 1)
    both = TensorDictSequential(*(actor(policy, player) for player in env.possible_agents))
    critic = ValueOperator(values, in_keys=[PLANES])
    loss = ClipPPOLoss(actor(policy), critic, normalize_advantage=True, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)

    for _ in range(updates):
        with torch.no_grad():
            played = [env.rollout(max_steps=42, policy=both) for _ in range(games_per_update)]
        batch: TensorDict = cat([moves_of(game, player) for game in played for player in env.possible_agents])
        with torch.no_grad():
            batch["advantage"] = batch["value_target"] - values(batch[PLANES])
        for _ in range(epochs):
            losses = loss(batch)
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            optimizer.step()

    result = elo_difference(pair_scores(match("connect_four", [Greedy(policy), "random"], games, seed)))
    print(f"TorchRL's PPO after {updates * games_per_update} games against random: {result.score:.0%}, {result} Elo")
    return result.score


if __name__ == "__main__":
    typer.run(main)
