"""PPO in one file, in the manner of CleanRL, on the vector environment: nothing but torch, and every step is seen.

The mask of the legal actions comes with ``infos["action_mask"]``. It goes into the distribution both when acting and
when learning: the ratio of probabilities is wrong if only one of them has it. Games begin anew in the step that ends
them (``SameStep``), so every row of every step is a move of the learner's, and a finished game has no next value.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms", 2017; S. Huang and S. Ontañón, "A Closer Look at
Invalid Action Masking in Policy Gradient Algorithms", 2022.
"""

import time
from typing import Any

import gymnasium
import torch
import typer
from torch import Tensor, nn
from torch.distributions import Categorical

import plyground.envs  # noqa: F401  (registers the environments)
from plyground.arena import elo_difference, match, pair_scores
from plyground.arena.matches import checked_games

OPPONENTS = ("random", "alphabeta(depth=1)")
GAMMA, LAMBDA = 1.0, 0.9  # a win is worth the same whenever it comes
EPOCHS, MINIBATCHES, CLIP, ENTROPY, VALUE = 4, 16, 0.2, 0.01, 0.5


class ActorCritic(nn.Module):
    """Two networks side by side, for flat planes [batch, inputs]."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.head = nn.Linear(128, actions)
        self.critic = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 1))

    def distribution(self, planes: Tensor, masks: Tensor) -> Categorical:
        """Return the policy, in which illegal actions have no chance."""
        return Categorical(logits=self.head(self.actor(planes)).masked_fill(~masks, -torch.inf), validate_args=False)

    def value(self, planes: Tensor) -> Tensor:
        """Return the values [batch]."""
        return self.critic(planes).squeeze(-1)


class Greedy:
    """Plays the action of the highest probability."""

    def __init__(self, network: ActorCritic) -> None:
        self.network = network

    def reset(self, seed: int | None = None) -> None:
        """Nothing is kept between games."""

    def act(self, observation: Any, info: Any = None) -> int:
        """Return the action."""
        planes, mask = (torch.as_tensor(observation[name]) for name in ("observation", "action_mask"))
        with torch.no_grad():
            return int(self.network.distribution(planes.flatten()[None].float(), mask[None].bool()).probs.argmax())


def advantages_of(rewards: Tensor, ends: Tensor, values: Tensor, last: Tensor) -> Tensor:
    """Return the generalised advantage estimates [steps, games]; ``last`` are the values [games] after the last step.

    Source: J. Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation", 2016.
    """
    advantages, following, next_value = torch.zeros_like(rewards), torch.zeros_like(last), last
    for step in reversed(range(len(rewards))):
        goes_on = 1 - ends[step]
        error = rewards[step] + GAMMA * next_value * goes_on - values[step]
        following = error + GAMMA * LAMBDA * goes_on * following
        advantages[step], next_value = following, values[step]
    return advantages


def main(updates: int = 30, num_envs: int = 256, steps: int = 32, games: int = 100, seed: int = 0) -> float:
    """Train for so many updates of ``steps`` moves in each game; return the score against random."""
    checked_games(games)  # now, and not after the training
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other
    torch.manual_seed(seed)
    envs = gymnasium.make_vec(
        "plyground/ConnectFour-v0",
        num_envs=num_envs,
        opponent=f"mixture({', '.join(OPPONENTS)})",
        opening_plies=4,
        autoreset_mode="SameStep",
    )
    inputs, actions = envs.single_observation_space.shape[0], envs.single_action_space.n  # type: ignore[index, attr-defined]
    network = ActorCritic(inputs, actions)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-5)

    planes = torch.zeros(steps, num_envs, inputs)
    masks = torch.zeros(steps, num_envs, actions, dtype=torch.bool)
    chosen = torch.zeros(steps, num_envs, dtype=torch.int64)
    log_probs, rewards, ends, values = (torch.zeros(steps, num_envs) for _ in range(4))

    started = time.perf_counter()
    observations, infos = envs.reset(seed=seed)
    for update in range(1, updates + 1):
        with torch.no_grad():
            for step in range(steps):
                planes[step] = torch.as_tensor(observations)
                masks[step] = torch.as_tensor(infos["action_mask"])
                policy = network.distribution(planes[step], masks[step])
                chosen[step] = policy.sample()
                log_probs[step] = policy.log_prob(chosen[step])
                values[step] = network.value(planes[step])
                observations, reward, terminated, _, infos = envs.step(chosen[step].numpy())
                rewards[step], ends[step] = torch.as_tensor(reward), torch.as_tensor(terminated)
            last = network.value(torch.as_tensor(observations).float())
            advantages = advantages_of(rewards, ends, values, last)
        rows = [part.flatten(0, 1) for part in (planes, masks, chosen, log_probs, advantages, advantages + values)]
        for _ in range(EPOCHS):
            for picked in torch.randperm(steps * num_envs).chunk(MINIBATCHES):
                x, mask, action, old, advantage, target = (part[picked] for part in rows)
                policy = network.distribution(x, mask)
                ratio = (policy.log_prob(action) - old).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                surrogate = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
                error = (network.value(x) - target).square().mean()
                loss = VALUE * error - surrogate - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        if update % 10 == 0 or update == updates:
            done, seconds = update * steps * num_envs, time.perf_counter() - started
            mean = rewards.sum().item() / max(ends.sum().item(), 1)
            print(f"{done:9,} moves, {done / seconds:8,.0f} a second, mean reward {mean:+.2f}")
    envs.close()

    scores = []
    for opponent in OPPONENTS:
        result = elo_difference(pair_scores(match("connect_four", [Greedy(network), opponent], games, seed)))
        scores.append(result.score)
        print(f"against {opponent}: {result.score:.0%}, {result} Elo")
    return scores[0]


if __name__ == "__main__":
    typer.run(main)
