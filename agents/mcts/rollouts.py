"""Rollouts of Monte Carlo tree search: by a policy or greedy, to the end of the game or cut and evaluated.

`policies` says what draws their moves; the rule ``evaluate`` guides the greedy ones and values the positions at a cut.

Sources: C. Browne et al., "A survey of Monte Carlo tree search methods", IEEE TCIAIG 4 (2012), section 6.1 (ε-greedy
and rule-based rollouts); R. Lorentz, "Early playout termination in MCTS", ACG 2015 (the cut).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.jit import helper
from ...envs.jit.prng import below, uniform
from .policies import policy_action

__all__ = ["Guided", "greedy_action", "guided_rollout", "value_after"]


class Guided(NamedTuple):
    """The options of UCT that ask the game's ``evaluate``; where there are none, it is not compiled."""

    bias: float = 0.0  # w of the progressive bias w · H / (n + 1); 0: none
    widening: float = 0.0  # α: ⌈N^α⌉ children are considered; 0: all
    depth: int = -1  # of rollouts, in plies; negative: to the end
    epsilon: float = 1.0  # the share of the policy's moves in rollouts; the others are greedy


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
        rng: a generator of `plyground.envs.jit.prng`.
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
def _ends(game: Any, state: Any, plies: int, guided: Any) -> bool:
    """Return whether a rollout ends here."""
    if guided is None:
        return game.is_terminal(state)
    return game.is_terminal(state) or plies == guided.depth


@helper
def _result(game: Any, state: Any, guided: Any) -> float:
    """Return player 0's utility of the end of a game, else the evaluation of what was cut."""
    if guided is None or game.is_terminal(state):
        return float(game.utility(state, 0))
    return float(game.evaluate(state, 0))


@helper
def _move(
    game: Any, state: Any, look: Any, last: Any, before: Any, policy: Any, guided: Any, actions: Any, rng: Any
) -> Any:
    """Return the next move of a rollout."""
    if guided is None or guided.epsilon >= 1 or uniform(rng) < guided.epsilon:
        return policy_action(game, state, last, before, policy, actions, rng)
    return np.int64(greedy_action(game, state, look, actions, rng))


@helper
def guided_rollout(
    game: Any,
    state: Any,
    look: Any,
    last: Any,
    before: Any,
    policy: Any,
    guided: Any,
    actions: Any,
    rng: Any,
    played: Any,
) -> float:
    """Play ``state`` on, in place, and return player 0's utility, or the evaluation where the rollout is cut.

    Args:
        game: the game.
        state: an unfinished state.
        look: [1] room for the greedy policy.
        last: the latest action, or -1.
        before: the action before that, or -1.
        policy: what draws the moves, see `policies`.
        guided: a `Guided`, or None: the policy's moves, to the end of the game.
        actions: [num_actions] scratch.
        rng: a generator of `plyground.envs.jit.prng`.
        played: [2, num_actions], in which a move is marked with ``played[player, action] = played[0, -1]``; the last
            column is the mark. Of one column only, nothing is marked.
    """
    plies = 0
    while not _ends(game, state, plies, guided):
        action = _move(game, state, look, last, before, policy, guided, actions, rng)
        if played.shape[1] > 1:
            played[game.player(state), action] = played[0, -1]
        game.play(state, action)
        last, before = action, last
        plies += 1
    return _result(game, state, guided)
