"""Rollouts of Monte Carlo tree search: by a policy or greedy, to the end of the game or cut and evaluated.

`policies` says what draws their moves; the rule ``evaluate`` guides the greedy
ones and values the positions at a cut.

Sources: C. Browne et al., "A survey of Monte Carlo tree search methods", IEEE TCIAIG 4 (2012), section 6.1 (ε-greedy
and rule-based rollouts); R. Lorentz, "Early guided_rollout termination in MCTS", ACG 2015 (the cut).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.jit import helper
from ...envs.jit.prng import below, uniform
from .policies import policy_action

__all__ = ["greedy_action", "guided_rollout", "value_after"]


@helper
def value_after(game: Any, state: Any, action: int, player: int, look: Any) -> float:
    """Return the utility or evaluation, for ``player``, of the position after ``action``, made in ``look[0]``."""
    look[0] = state
    after = look[0]
    game.play(after, action)
    if game.is_terminal(after):
        return float(game.utility(after, player))
    return float(game.evaluate(after, player))


@helper
def greedy_action(game: Any, state: Any, look: Any, actions: Any, rng: Any) -> Any:
    """Return the action after which the game is won or evaluated best for its player; of equals a random one.

    Args:
        game: the game.
        state: not changed.
        look: [1] room for the states looked at.
        actions: [num_actions] scratch.
        rng: of `plyground.envs.jit.prng`.
    """
    player = game.player(state)
    count = game.legal_actions(state, actions)
    best, equals, chosen = -np.inf, 0, actions[0]
    for i in range(count):
        value = value_after(game, state, actions[i], player, look)
        if value > best:
            best, equals, chosen = value, 1, actions[i]
        elif value == best:
            equals += 1
            if below(rng, equals) == 0:
                chosen = actions[i]
    return chosen


@helper
def guided_rollout(
    game: Any,
    state: Any,
    look: Any,
    last: Any,
    before: Any,
    policy: Any,
    depth: int,
    epsilon: float,
    actions: Any,
    rng: Any,
    played: Any,
) -> float:
    """Play ``state`` on, in place, and return player 0's utility, or the evaluation after ``depth`` plies.

    Args:
        game: the game.
        state: an unfinished state.
        look: [1] room for the greedy policy.
        last: the latest action, or -1.
        before: the action before that, or -1.
        policy: what draws the moves, see `policies`.
        depth: in plies; negative for no limit.
        epsilon: the share of the policy's moves among greedy ones; 1 for the policy's moves only.
        actions: [num_actions] scratch.
        rng: of `plyground.envs.jit.prng`.
        played: [2, num_actions], in which a move is marked with ``played[player, action] = played[0, -1]``; the last
            column is the mark. Of one column only, nothing is marked.
    """
    plies = 0
    while not game.is_terminal(state):
        if plies == depth:
            return float(game.evaluate(state, 0))
        if epsilon >= 1 or uniform(rng) < epsilon:
            action = policy_action(game, state, last, before, policy, actions, rng)
        else:
            action = np.int64(greedy_action(game, state, look, actions, rng))
        if played.shape[1] > 1:
            played[game.player(state), action] = played[0, -1]
        game.play(state, action)
        last, before = action, last
        plies += 1
    return float(game.utility(state, 0))
