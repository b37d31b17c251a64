"""The player that every other must beat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, Opponents, RandomOpponents, as_game
from ..envs.jit.prng import new_rng
from ..envs.vector.row_random import draw_numbers
from .agent import Info, Observation, legal_mask
from .described import Described

__all__ = ["Random"]

_ROW = np.zeros(1, np.intp)


class Random(Described):
    """Plays each legal action with the same probability. It reads only the action mask.

    Args:
        game: the game or its name, as for all agents; `Random` needs none, since it reads the mask.
        seed: the seed of the draws, which are those of compiled code (`plyground.envs.jit.prng`), alone and in batches;
            None takes one from the system's entropy.
    """

    def __init__(self, game: Game | str | None = None, seed: int | None = None) -> None:
        self.game = None if game is None else as_game(game)
        self._rngs = new_rng(seed)[np.newaxis]  # [1, 1]

    def prepare(self) -> None:
        """Compile the drawing of numbers, or load it from the cache on disk."""
        draw_numbers(self._rngs.copy(), _ROW, 1)

    def reset(self, seed: int | None = None) -> None:
        """Start the random numbers anew, if a seed is given."""
        if seed is not None:
            self._rngs = new_rng(seed)[np.newaxis]

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return a random legal action."""
        legal = np.flatnonzero(legal_mask(observation, info))
        return int(legal[draw_numbers(self._rngs, _ROW, legal.size)[0]])

    def batched(self) -> Opponents:
        """Return players of many games at once: see `plyground.envs.as_opponents`."""
        return RandomOpponents()

    copies = batched  # each row is played as by an agent that has the row's generator

    def predict(
        self,
        observation: Observation,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: Any = None,
    ) -> tuple[NDArray[np.int64], Any]:
        """Answer as a stable-baselines3 model does, from ``action_masks`` [(batch,) actions] alone.

        Raises:
            ValueError: there are no masks, neither as an argument nor in the observation.
        """
        if action_masks is None:
            action_masks = legal_mask(observation)
        masks = np.asarray(action_masks)
        actions = [self.act({"action_mask": mask}) for mask in masks.reshape(-1, masks.shape[-1])]
        return np.array(actions, np.int64).reshape(masks.shape[:-1]), state
