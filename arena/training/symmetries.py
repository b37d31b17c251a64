"""Augmentation by symmetry: in each game the learner sees the board through one of its symmetries.

All symmetries are equally likely, so the learner meets a position and its images equally often, and what it is told
stays true to what it did: nothing is off-policy, unlike images that are added to a batch afterwards.

This module can be imported without stable-baselines3; the wrapper cannot be made without.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.definition.terms import Images, images_of
from ...envs.vector.row_random import draw_numbers
from ...envs.vector.state_dicts import restore

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import VecEnvWrapper
else:
    try:
        from stable_baselines3.common.vec_env import VecEnvWrapper
    except ImportError:  # said when an environment is made
        VecEnvWrapper = object

__all__ = ["SymmetricVecEnv", "checked_images"]


def checked_images(game: Game) -> Images:
    """Return the images of a board's cells and actions.

    Raises:
        ValueError: the game has no symmetries.
    """
    images = images_of(game)
    if images is None:
        raise ValueError(f"{game.spec} has no symmetries: train without symmetry")
    return images


class SymmetricVecEnv(VecEnvWrapper):
    """A `BoardVecEnv` that shows each game through a symmetry of its board, drawn when the game begins.

    Args:
        venv: the `BoardVecEnv`.

    Attributes:
        images: int64 [games] the number of each game's symmetry; 0 is the board as it is.

    Raises:
        ValueError: the game has no symmetries.
    """

    def __init__(self, venv: Any) -> None:
        super().__init__(venv)
        self._board_env: Any = venv
        self.seats = venv.seats
        self._cells, self._actions = checked_images(venv.game)
        self._all = np.arange(self.num_envs)
        self.images = np.zeros(self.num_envs, np.int64)

    def reset(self) -> NDArray[Any]:
        """Begin all games."""
        observations: Any = self.venv.reset()
        self._draw(self._all)
        return self._seen(observations, self._all)

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """Take the actions [games] on the boards as the learner sees them."""
        self.venv.step_async(self._actions[self.images, actions])

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play these actions and the replies, as `BoardVecEnv.step_wait` does."""
        observations: Any
        observations, rewards, dones, infos = self.venv.step_wait()
        ended = np.flatnonzero(dones)
        for row in ended:
            last = infos[row]["terminal_observation"]
            infos[row]["terminal_observation"] = self._seen(last[None], np.array([row]))[0]
        self._draw(ended)
        return self._seen(observations, self._all), rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions [games, num_actions] as the learner sees them."""
        return np.take_along_axis(self.seats.masks.view(np.bool_), self._actions[self.images], axis=1)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Return the answer of a method of the environment, for each game."""
        if method_name != "action_masks":
            return self.venv.env_method(method_name, *method_args, indices=indices, **method_kwargs)
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[row] for row in self._get_indices(indices)]

    def state_dict(self) -> dict[str, Any]:
        """Return all that the games go on from: the environment's, and the images through which they are seen."""
        return {"images": self.images.copy(), "venv": self._board_env.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the games go on from where they were: see `SeatBatch.load_state_dict`."""
        restore({"images": self.images}, state)
        self._board_env.load_state_dict(state["venv"])

    def _draw(self, rows: NDArray[np.intp]) -> None:
        self.images[rows] = draw_numbers(self.seats.batch.rngs, rows, len(self._cells))

    def _seen(self, observations: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
        cells = self._cells[self.images[rows]]
        planes = observations.reshape(len(rows), cells.shape[1], -1)
        return np.take_along_axis(planes, cells[:, :, None], axis=1).reshape(observations.shape)
