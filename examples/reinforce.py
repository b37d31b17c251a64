"""Policy gradient from scratch: REINFORCE with a baseline, in plain torch, on many games of Connect Four at once.

The update follows the gradient of log pi(a|s) (G - b(s)), summed over the learner's moves: G is the result of the game,
+1, 0 or -1, the same for all of its moves, and b(s) is a second network's guess of it, which takes nothing from the
gradient's mean and most of its noise. An entropy bonus keeps the policy from settling too early. Illegal actions get
the logit minus infinity, so they have neither probability nor gradient.

Source: R. J. Williams, "Simple statistical gradient-following algorithms for connectionist reinforcement learning",
Machine Learning 8, 1992; R. S. Sutton and A. G. Barto, "Reinforcement Learning: An Introduction", 2nd
edition, section 13.4.
"""

import time
from typing import Annotated, Any, NamedTuple

import gymnasium
import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.distributions import Categorical

import plyground.envs  # noqa: F401  (registers the environments)
from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games

GAME = "connect_four"
OPPONENTS = "mixture(random, alphabeta(depth=1), alphabeta(depth=2), mcts(simulations=30))"
LADDER = ("random", "alphabeta(depth=1)", "alphabeta(depth=2)", "mcts(simulations=100)")
ENTROPY = 0.01


class Moves(NamedTuple):
    """The learner's moves in a batch of finished games."""

    planes: Tensor  # float32 [moves, inputs]
    masks: Tensor  # bool [moves, actions]
    actions: Tensor  # int64 [moves]
    returns: Tensor  # float32 [moves]


def network(inputs: int, outputs: int) -> nn.Module:
    """Make a network with two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, outputs))


def distribution(policy: nn.Module, planes: Tensor, masks: Tensor) -> Categorical:
    """Return pi(.|s), without the illegal actions."""
    return Categorical(logits=policy(planes).masked_fill(~masks, -torch.inf), validate_args=False)


def play_games(envs: Any, policy: nn.Module) -> Moves:
    """Play one game in each row, from its start to its end.

    A row whose game is over is given another one by the environment; what is played there does not count. (Were games
    cut off instead, long ones would be learned from less often than short ones.)
    """
    observations, infos = envs.reset()
    results, playing = torch.zeros(envs.num_envs), np.ones(envs.num_envs, np.bool_)
    steps: list[tuple[Tensor, ...]] = []
    while playing.any():
        rows = torch.as_tensor(np.flatnonzero(playing))
        planes, masks = torch.as_tensor(observations)[rows].float(), torch.as_tensor(infos["action_mask"])[rows].bool()
        with torch.no_grad():
            chosen = distribution(policy, planes, masks).sample()
        steps.append((rows, planes, masks, chosen))
        actions = infos["action_mask"].argmax(axis=1)  # some legal action, for the rows that do not count
        actions[playing] = chosen.numpy()
        observations, rewards, ended, _, infos = envs.step(actions)
        results[playing & ended] = torch.as_tensor(rewards[playing & ended])
        playing &= ~ended
    rows, planes, masks, chosen = (torch.cat(parts) for parts in zip(*steps, strict=True))
    return Moves(planes, masks, chosen, results[rows])


class Greedy:
    """Plays the most probable action."""

    def __init__(self, policy: nn.Module) -> None:
        self.policy = policy

    def reset(self, seed: int | None = None) -> None:
        """Nothing is kept between games."""

    def act(self, observation: Any, info: Any = None) -> int:
        """Return the action."""
        planes = torch.as_tensor(observation["observation"]).flatten()[None].float()
        with torch.no_grad():
            return int(
                distribution(self.policy, planes, torch.as_tensor(observation["action_mask"])[None] > 0).probs.argmax()
            )


def main(
    updates: Annotated[int, typer.Option(help="Steps of gradient ascent.")] = 1200,
    num_envs: Annotated[int, typer.Option(help="Games in each.")] = 256,
    seconds: Annotated[float, typer.Option(help="Stop training after this time, if that is earlier.")] = 140,
    games: Annotated[int, typer.Option(help="Games against each player of the ladder.")] = 40,
    seed: int = 0,
) -> dict[str, float]:
    """Train, play against the ladder, and return the scores."""
    checked_games(games)  # now, and not after the training
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other
    torch.manual_seed(seed)
    envs: Any = gymnasium.make_vec(
        "plyground/ConnectFour-v0",
        num_envs=num_envs,
        opponent=OPPONENTS,
        opening_plies=4,
        autoreset_mode="SameStep",
    )
    envs.reset(seed=seed)
    inputs, actions = envs.single_observation_space.shape[0], envs.single_action_space.n
    policy, baseline = network(inputs, actions), network(inputs, 1)
    optimizer = torch.optim.Adam([*policy.parameters(), *baseline.parameters()], lr=2e-3)

    started, total = time.perf_counter(), 0.0
    for update in range(1, updates + 1):
        moves = play_games(envs, policy)
        guesses = baseline(moves.planes).squeeze(-1)
        advantages = moves.returns - guesses.detach()
        pi = distribution(policy, moves.planes, moves.masks)
        gain = (pi.log_prob(moves.actions) * advantages).mean() + ENTROPY * pi.entropy().mean()
        loss = (guesses - moves.returns).square().mean() - gain
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        total += moves.returns.mean().item()
        passed = time.perf_counter() - started
        if update % 50 == 0 or update == updates or passed > seconds:
            done = (update - 1) % 50 + 1
            print(
                f"update {update:5}, {update * num_envs / passed:6,.0f} games a second, "
                f"mean return of a move {total / done:+.2f}"
            )
            total = 0.0
        if passed > seconds:
            break
    envs.close()

    scores = {}
    for player in LADDER:
        result = elo_difference(pair_scores(match(GAME, [Greedy(policy), player], games, seed)))
        scores[player] = result.score
        print(f"against {player}: {result.score:.0%}, {result} Elo")
    return scores


if __name__ == "__main__":
    typer.run(main)
