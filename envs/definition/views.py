"""What the players of a game see of a state, as planes, and the way back."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import ArrayLike, NDArray

from ..outside.arguments import check_player
from .terms import Repetition, Rule, State

__all__ = ["GameViews"]


class GameViews:
    """The part of a `Game` that deals in observations."""

    observe: Rule
    observation_shape: tuple[int, ...]
    observation_high: int
    observation_dtype: np.dtype[Any]
    history: tuple[int, int] | None
    history_first: int
    repetition: Repetition | None
    state_check: Any  # a `StateCheck`

    def observation(self, state: State, player: int) -> NDArray[Any]:
        """Return new planes with what ``player`` (0 or 1) sees in ``state``.

        A state knows no earlier positions: where an environment's observations show those (``history``), as in Go,
        these planes do not, and a network that learned from the environment is shown something else than it knows.
        """
        check_player(player)
        planes = np.zeros(self.observation_shape, self.observation_dtype)
        self.observe(state, player, planes)
        return planes

    def state_from_observation(self, planes: ArrayLike) -> State:
        """Return the state in which the player to move observes ``planes``, of any shape with the right size.

        Raises:
            ValueError: the game has no ``decode``, the planes have another size, or the player to move sees them in no
                state of the game.
        """
        return self.state_check.rebuilt(np.asarray(planes))

    @cached_property
    def newest_channels(self) -> NDArray[np.intp]:
        """The channels of an observation that `observe` knows: they show neither earlier positions nor repetitions."""
        frames, frame = self.history or (0, 0)
        first = self.history_first
        channels = np.r_[: first + frame, first + frames * frame : self.observation_shape[-1]]
        return channels if self.repetition is None else channels[channels != self.repetition.channel]

    def observation_space(self) -> Box:
        """Return a new space that holds the planes."""
        return Box(0, self.observation_high, self.observation_shape, self.observation_dtype.type)
