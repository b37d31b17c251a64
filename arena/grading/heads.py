"""A network's values of positions: from the value head of a policy, or from the evaluator of a PUCT search."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...agents import PUCT, Policy
from ...envs import Game

__all__ = ["batch_of", "has_head", "head_values"]

Seen = tuple[Mapping[str, NDArray[Any]], Mapping[str, Any]]  # an observation and an info


def has_head(agent: Any, game: Game) -> bool:
    """Return whether `head_values` has values for this agent in this game: such that were learned."""
    if not math.isfinite(game.max_utility):
        return False
    return (isinstance(agent, Policy) and agent.has_values) or (isinstance(agent, PUCT) and agent.evaluator is not None)


def head_values(agent: Any, game: Game, seen: Sequence[Seen]) -> NDArray[np.float64] | None:
    """Return the values [positions] for the player to move, as shares of the largest utility.

    None without a network, or where there is no largest utility.

    A policy's values are `Policy.values_of`, expected returns that are discounted as in training.
    """
    if not has_head(agent, game):
        return None
    if isinstance(agent, Policy):
        return agent.values_of(*batch_of(seen)) / game.max_utility
    states = np.zeros(len(seen), game.dtype)
    for i, (_, info) in enumerate(seen):
        states[i] = info["state"]
    return agent.evaluate(states, *batch_of(seen))[1] / game.max_utility


def batch_of(seen: Sequence[Seen]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the planes [positions, *observation_shape] and the masks [positions, num_actions]."""
    planes = np.stack([observation["observation"] for observation, _ in seen])
    return planes, np.stack([observation["action_mask"] for observation, _ in seen]).astype(bool)
