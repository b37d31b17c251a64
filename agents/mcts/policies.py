"""Rollout policies: what draws the moves of a rollout, in any game.

==============  =======================================================================
`Policy.heavy`  the moves that the game itself draws, ``game.knowledge.action``
`Policy.linear` a linear softmax over the game's local features: `Linear`
neither         the game's ``random_action``
==============  =======================================================================

A kernel takes a `Policy`, or None for random moves. What is None in it is not compiled. The weights of a linear policy
are an array, so that one compiled kernel serves all policies of a game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.jit import helper
from ...envs.jit.prng import uniform

__all__ = ["Linear", "Policy", "linear_odds", "new_linear", "policy_action", "policy_rollout"]


class Linear(NamedTuple):
    """A linear softmax policy, and room for it to work in: for one thread."""

    odds: NDArray[np.float64]  # [num_weights] exp of the weights: an action's odds are the product of its features'
    features: NDArray[np.int32]  # [num_actions, slots] scratch: of the candidates
    sums: NDArray[np.float64]  # [num_actions] scratch: of the candidates' odds, up to each of them


class Policy(NamedTuple):
    """What draws the moves of a rollout; one of the two is not None."""

    heavy: bool | None = None
    linear: Linear | None = None


def new_linear(game: Game, weights: NDArray[Any]) -> Linear:
    """Return the policy with these ``weights`` [game.knowledge.num_weights], and room of its own."""
    shape = game.num_actions, game.knowledge.slots
    return Linear(np.exp(np.asarray(weights, np.float64)), np.zeros(shape, np.int32), np.zeros(game.num_actions))


@helper
def linear_odds(game: Any, state: Any, last: int, before: int, linear: Linear, actions: Any) -> int:
    """Write the candidates, and into ``linear.sums`` the sums of their odds; return how many there are."""
    odds, features, sums = linear
    count = game.local_features(state, last, before, actions, features)
    total = 0.0
    for i in range(count):
        product = 1.0
        for slot in range(features.shape[1]):
            product *= odds[features[i, slot]]
        total += product
        sums[i] = total
    return count


@helper
def linear_action(game: Any, state: Any, last: int, before: int, linear: Linear, actions: Any, rng: Any) -> Any:
    """Draw a candidate with a probability proportional to its odds."""
    count = linear_odds(game, state, last, before, linear, actions)
    drawn = uniform(rng) * linear.sums[count - 1]
    for i in range(count - 1):
        if drawn < linear.sums[i]:
            return actions[i]
    return actions[count - 1]


@helper
def _drawn(game: Any, state: Any, last: int, before: int, heavy: Any, linear: Any, actions: Any, rng: Any) -> Any:
    if linear is not None:
        return np.int64(linear_action(game, state, last, before, linear, actions, rng))
    if heavy is not None:
        return np.int64(game.rollout_action(state, last, before, actions, rng))
    return np.int64(game.random_action(state, actions, rng))


@helper
def policy_action(game: Any, state: Any, last: int, before: int, policy: Any, actions: Any, rng: Any) -> Any:
    """Draw a move of an unfinished game.

    Args:
        game: the game.
        state: not changed.
        last: the latest action, or -1.
        before: the action before that, or -1.
        policy: a `Policy`, or None for random moves.
        actions: [num_actions] scratch.
        rng: a generator of `plyground.envs.jit.prng`.
    """
    if policy is None:
        return np.int64(game.random_action(state, actions, rng))
    return _drawn(game, state, last, before, policy.heavy, policy.linear, actions, rng)


@helper
def policy_rollout(game: Any, state: Any, last: int, before: int, policy: Any, actions: Any, rng: Any) -> int:
    """Step 3, simulation: play to the end of the game, in place, and return how many plies that took.

    The arguments are those of `policy_action`.
    """
    plies = 0
    while not game.is_terminal(state):
        action = policy_action(game, state, last, before, policy, actions, rng)
        game.play(state, action)
        last, before = action, last
        plies += 1
    return plies
