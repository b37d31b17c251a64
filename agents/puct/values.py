"""What `PUCT` is told of its leaves: priors and values of an evaluator, mixed with the results of rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.jit import bind, kernel
from ...envs.jit.prng import new_rng
from ...envs.outside.messages import shown
from ..mcts.linear import LinearPolicy, policy_of
from ..mcts.policies import policy_rollout
from .evaluators import Evaluator, ObservationEvaluator
from .forest.checks import two_arrays

__all__ = ["LeafValues", "Seen", "latest_actions"]

_TIE = 2.0**-14  # between priors of actions that are alike: a forest keeps them in single precision

Seen = tuple[NDArray[Any], NDArray[np.bool_]]  # observations [batch, *observation_shape], masks [batch, num_actions]


class LeafValues:
    """Priors, and values ``(1 - λ) · value + λ · rollout``, of unfinished positions (Silver et al. 2016, methods).

    Args:
        game: the game.
        evaluator: gives priors and values; None: no priors, and the game's ``evaluate``, if λ is below 1.
        lambda_: λ, the share of the rollout.
        rollout: what draws the moves of rollouts: ``"random"``, ``"heavy"``, or a linear policy or its file.

    Raises:
        ValueError: there is no such rollout policy, or it is one of another game.
        FileNotFoundError: its file is missing.
    """

    def __init__(
        self, game: Game, evaluator: Evaluator | None, lambda_: float, rollout: str | LinearPolicy = "random"
    ) -> None:
        self.game, self.evaluator, self.lambda_ = game, evaluator, lambda_
        new_policy = policy_of(rollout, game)
        self._policy = None if new_policy is None else new_policy()
        self._scratch = np.zeros(1, game.dtype)
        self._buffer = np.empty(game.num_actions, np.int32)

    def compile(self) -> None:
        """Compile what `both` calls."""
        values = np.zeros(1)
        if self.evaluator is None and self.lambda_ < 1:
            bind(_evaluate, self.game, self._scratch, values)
        if self.lambda_ > 0:
            latest = np.zeros((1, 2), np.int64)
            bind(
                _roll_out,
                self.game,
                self._scratch,
                self._scratch,
                latest,
                self._policy,
                self._buffer,
                new_rng(0),
                values,
            )

    def both(
        self,
        states: NDArray[Any],
        seen: Seen | None,
        rng: NDArray[np.uint64],
        generator: np.random.Generator,
        latest: NDArray[np.int64] | None = None,
        masks: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return priors [batch, num_actions] and mixed values [batch] for the player to move.

        Args:
            states: the states, [batch].
            seen: what an `ObservationEvaluator` is shown of them; None for any other evaluator.
            rng: the random numbers of the rollouts.
            generator: as in `evaluated`.
            latest: [batch, 2] the latest action before each state, and the one before that; -1, or None for all, where
                they are not known.
            masks: as in `evaluated`.

        Raises:
            ValueError: as `evaluated`.
        """
        priors, values = self.evaluated(states, seen, generator, masks)
        if self.lambda_ > 0:
            results = np.empty(states.size)
            if latest is None:
                latest = np.full((states.size, 2), -1, np.int64)
            _roll_out(self.game, states, self._scratch, latest, self._policy, self._buffer, rng, results)
            values = (1 - self.lambda_) * values + self.lambda_ * results
        return priors, values

    def evaluated(
        self,
        states: NDArray[Any],
        seen: Seen | None = None,
        generator: np.random.Generator | None = None,
        masks: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the evaluator's priors [batch, num_actions] and values [batch], without rollouts.

        Where it prefers no action, or none of the ``masks`` [(batch,) num_actions], by default those of ``seen``, all
        are alike, but for the last bits that a ``generator`` gives them: then a search breaks ties at random. The
        lowest number would be a plan, such as a row of stones along the edge of the board.

        Raises:
            ValueError: the evaluator's answer has another shape, or is not finite, or a prior is negative.
        """
        shape = (states.size, self.game.num_actions)
        if self.evaluator is None:
            values = np.zeros(states.size)
            if self.lambda_ < 1:
                _evaluate(self.game, states, values)
            return _alike(shape, generator), values
        if isinstance(self.evaluator, ObservationEvaluator):
            assert seen is not None
            if seen[1].shape != shape:
                raise ValueError(f"masks must have shape {shape}, a row for each state, got {seen[1].shape}")
            answer = self.evaluator(*seen)
        else:
            answer = self.evaluator(states.copy())
        priors, values = two_arrays(answer, "priors", shape, np.float64)
        if not (np.isfinite(priors).all() and np.isfinite(values).all() and (priors >= 0).all()):
            raise ValueError(
                f"priors must be finite and not negative, values finite: got {shown(priors)} and {shown(values)}"
            )
        masks = seen[1] if masks is None and seen is not None else masks
        undecided = ~priors.any(1) if masks is None else ~(priors * masks).any(1)
        if undecided.any():
            priors = priors.copy()
            priors[undecided] = _alike((int(undecided.sum()), shape[1]), generator)
        return priors, values


def latest_actions(
    ways: NDArray[np.int32], lengths: NDArray[np.integer[Any]], actions: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the latest action before each leaf, and the one before it, [batch, 2]; -1 where that was before the root.

    Args:
        ways: [batch, most steps] the numbers of the steps from the root to each leaf.
        lengths: [batch] how many steps these are.
        actions: the action of each step, by its number.
    """
    places = lengths[:, np.newaxis] - np.array([1, 2])
    steps = np.take_along_axis(ways, np.maximum(places, 0), axis=1)
    return np.where(places >= 0, actions[steps], -1).astype(np.int64)


def _alike(shape: tuple[int, int], generator: np.random.Generator | None) -> NDArray[np.float64]:
    return np.ones(shape) if generator is None else 1 + _TIE * generator.random(shape)


@kernel
def _evaluate(game, states, values):
    """Write for each state, into ``values``, the game's own evaluation for its player to move."""
    for i in range(states.size):
        values[i] = game.evaluate(states[i], game.player(states[i]))


@kernel
def _roll_out(game, states, scratch, latest, policy, actions, rng, values):
    """Write for each state, into ``values``, the result of a game of rollouts from there, for its player to move."""
    for i in range(states.size):
        scratch[0] = states[i]
        state = scratch[0]
        player = game.player(state)
        policy_rollout(game, state, latest[i, 0], latest[i, 1], policy, actions, rng)
        values[i] = game.utility(state, player)
