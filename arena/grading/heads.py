"""What a network says a position is worth: the value head of a policy, or the evaluator of a PUCT search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...agents import PUCT, Policy
from ...envs import Game

__all__ = ["batch_of", "has_head", "head_values"]

Seen = tuple[Mapping[str, NDArray[Any]], Mapping[str, Any]]  # an observation and an info


def has_head(agent: Any) -> bool:
    """Return whether `head_values` has values of this agent."""
    return isinstance(agent, Policy) or (isinstance(agent, PUCT) and _evaluator(agent) is not None)


def head_values(agent: Any, game: Game, seen: Sequence[Seen]) -> NDArray[np.float64] | None:
    """Return the values [positions] for the player to move, as shares of the largest utility; None without a network.

    Of an actor-critic they are those of ``policy.predict_values``, of DQN the best of the legal actions' Q-values. Both
    are expected returns, discounted as in training.
    """
    if isinstance(agent, Policy):
        return _policy_values(agent, seen)
    if isinstance(agent, PUCT) and (evaluator := _evaluator(agent)) is not None:
        states = np.zeros(len(seen), game.dtype)
        for i, (_, info) in enumerate(seen):
            states[i] = info["state"]
        return np.asarray(evaluator(states)[1], np.float64) / game.max_utility
    return None


def _evaluator(agent: PUCT) -> Any:
    return agent._values.evaluator


def _policy_values(agent: Policy, seen: Sequence[Seen]) -> NDArray[np.float64]:
    import torch

    policy = agent.model.policy
    policy.set_training_mode(False)
    planes, masks = batch_of(seen)
    with torch.no_grad():
        tensor, _ = policy.obs_to_tensor(agent._model_observation(planes, masks))
        if hasattr(policy, "q_net"):
            return np.where(masks, policy.q_net(tensor).double().cpu().numpy(), -np.inf).max(axis=1)
        return policy.predict_values(tensor)[:, 0].double().cpu().numpy()


def batch_of(seen: Sequence[Seen]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the planes [positions, *observation_shape] and the masks [positions, num_actions]."""
    planes = np.stack([observation["observation"] for observation, _ in seen])
    return planes, np.stack([observation["action_mask"] for observation, _ in seen]).astype(bool)
