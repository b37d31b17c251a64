"""Policies trained with stable-baselines3 or sb3-contrib, as players that never choose an illegal move.

stable-baselines3 loads models with pickle: a file from a stranger can run code on your machine.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, GameBatch, Opponents, as_game
from ...envs.jit.prng import seed_sequence
from ...envs.vector.opponents import Memoryless
from ...envs.vector.row_random import draw_uniforms
from ..agent import Info, Observation, legal_mask, planes_of
from ..described import Described
from ..settings import check_flags
from .network import ModelNetwork

__all__ = ["Policy"]

_HIGHEST = 1e300  # a score that stands for infinity, with which one can reckon


class Policy(Described):
    """Plays what a model prefers among the legal actions.

    The model's logits (PPO, A2C, MaskablePPO) or Q-values (DQN) of illegal actions are set to minus infinity; for
    MaskablePPO this is what its own masking does.

    Args:
        game: the game, or its name.
        model: a model, or the file it was saved to; or a `ModelNetwork`.
        deterministic: play the preferred action; False: draw from the model's distribution (Q-values have none).
        algorithm: what a file must hold, ``"ppo"`` (MaskablePPO too), ``"a2c"`` or ``"dqn"``. Default: anything.
        normalization: the file that the `VecNormalize` in which the model learned was saved to, for the file of a model
            does not have its statistics; False: it learned without. Default: none, or the one in which it learns.
        seed: the seed of the draws; None takes one from the system's entropy.

    Raises:
        ValueError: the file is none of stable-baselines3's, or stands beside statistics of a `VecNormalize`, and none
            are given or denied; the model's spaces are not the game's; or an argument is out of its range.
        FileNotFoundError: there is no such file.
        ImportError: stable-baselines3 is not installed.
    """

    def __init__(
        self,
        game: Game | str,
        model: Any,
        *,
        deterministic: bool = True,
        algorithm: str | None = None,
        normalization: str | Path | Literal[False] | None = None,
        seed: int | None = None,
    ) -> None:
        self.game = as_game(game)
        self._network = model if isinstance(model, ModelNetwork) else ModelNetwork(model, algorithm, normalization)
        self._network.check(self.game)
        check_flags(deterministic=deterministic)
        self.deterministic = deterministic
        self._rng = np.random.default_rng(seed_sequence(seed))

    def prepare(self) -> None:
        """Ask the network once, since its first pass takes far longer than those after it. Nothing is drawn.

        It is asked about one position, the initial one.
        """
        planes = self.game.observation(self.game.new_state(), 0)
        self.scores(planes, np.ones(self.game.num_actions, bool))

    @property
    def model(self) -> Any:
        """The model."""
        return self._network.model

    def reset(self, seed: int | None = None) -> None:
        """Start the random numbers anew, if a seed is given."""
        if seed is not None:
            self._rng = np.random.default_rng(seed_sequence(seed))

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the model's action for this observation.

        Raises:
            ValueError: there is no mask, or the mask or the planes have not the shape of the game's.
        """
        mask = legal_mask(observation, info).astype(bool)
        planes, game = planes_of(observation), self.game
        if mask.size != game.num_actions:
            raise ValueError(f"a mask of {game.spec} has shape ({game.num_actions},), got {mask.shape}")
        if planes.size != math.prod(game.observation_shape):
            raise ValueError(
                f"an observation of {game.spec} has shape {game.observation_shape}, got {planes.shape}: does it come "
                "from another game?"
            )
        draws = None if self.greedy else self._rng.random(1)
        return int(self.choose(planes[np.newaxis], mask[np.newaxis], draws)[0])

    @property
    def greedy(self) -> bool:
        """Whether the preferred action is played, and none is drawn."""
        return self.deterministic or self._network.has_q_values

    @property
    def has_values(self) -> bool:
        """Whether `values_of` has been learned: of a network of AlphaGo's that is a policy alone it has not."""
        return self._network.has_values

    def choose(
        self, planes: NDArray[Any], masks: NDArray[np.bool_], draws: NDArray[np.float64] | None
    ) -> NDArray[np.int64]:
        """Return the preferred legal actions [positions], or those that ``draws`` [positions] of [0, 1) pick out.

        They are legal whatever the network says: of a score that is no number nothing is expected.
        """
        scores = np.nan_to_num(self.scores_of(planes, masks), nan=-_HIGHEST, posinf=_HIGHEST, neginf=-_HIGHEST)
        scores = np.where(masks, scores, -np.inf)
        if draws is None:
            return scores.argmax(1)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        reached = weights.cumsum(1)
        # The first action at which the sum passes the draw: one of weight 0 never is.
        return (reached > draws[:, np.newaxis] * reached[:, -1:]).argmax(1)

    def scores(self, planes: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the model's logits or Q-values [num_actions] for the planes of the player to move."""
        return self.scores_of(np.asarray(planes)[np.newaxis], np.asarray(mask)[np.newaxis])[0]

    def scores_of(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the model's logits or Q-values [positions, num_actions], by one pass through the network.

        Args:
            planes: [positions, *observation_shape], flat or not, of the players to move.
            masks: [positions, num_actions]; read by models that were trained on an observation with a mask.
        """
        return self._network.scores(planes, masks)

    def values_of(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the returns [positions] that the model expects for the players to move, discounted as in training.

        Those of an actor-critic are ``policy.predict_values``, those of DQN the best Q-value of a legal action.

        Args:
            planes: [positions, *observation_shape], flat or not, of the players to move.
            masks: [positions, num_actions] of the legal actions.
        """
        return self._network.values(planes, masks)

    def batched(self) -> Opponents:
        """Return players of many games at once: see `plyground.envs.as_opponents`."""
        return _BatchedPolicy(self)


class _BatchedPolicy(Memoryless):
    """A policy that is asked for all rows in one pass through its network."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def __repr__(self) -> str:
        return repr(self.policy)

    def prepare(self, batch: GameBatch) -> None:
        """Let the policy prepare, as it does for one game."""
        self.policy.prepare()

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the policy's actions; what is drawn is drawn from the rows' generators."""
        batch.show(rows)
        draws = None if self.policy.greedy else draw_uniforms(batch.rngs, rows)
        return self.policy.choose(batch.observations[rows], batch.masks[rows] != 0, draws)
