"""The batch for stable-baselines3 and sb3-contrib: a `VecEnv` over `SeatBatch`.

This module can be imported without stable-baselines3, but `BoardVecEnv` cannot be made without. `plyground.envs` does
not import it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.spaces.utils import flatten_space
from numpy.typing import NDArray

from ..game import Game
from ..outside.arguments import checked_flag
from ..outside.extras import how_to_install
from ..registry import game_with
from .checks import check_render_mode
from .opponents import OpponentLike
from .seats import SeatBatch, as_shown

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import VecEnv
else:
    try:
        from stable_baselines3.common.vec_env import VecEnv
    except ImportError:  # `BoardVecEnv` raises when one is made
        VecEnv = object

__all__ = ["BoardVecEnv"]

_MADE_WITH = ("game", "num_envs", "opponent", "seat", "opening_plies", "threads")


class BoardVecEnv(VecEnv):
    """Many games with one learner, for stable-baselines3: PPO, A2C, DQN, and MaskablePPO, which sees the masks.

    A game that ends begins anew in the same step, and the masks are the new game's: there is always a legal action.
    The info of a game that has ended holds ``"terminal_observation"``, and after an illegal move ``"illegal_action"``.
    Its ``"episode"`` is what `Monitor` writes: ``"r"`` the reward, ``"l"`` the learner's moves, ``"t"`` seconds since
    this environment was made. All games belong to one object and share its attributes.

    Args:
        game: a game, or its name as `plyground.envs.make_game` takes it.
        num_envs, opponent, seat, opening_plies, threads, seed: see `SeatBatch`.
        flatten: False keeps the planes in the game's ``observation_shape``, H×W×C, for networks that convolve.
        copy: False returns views of arrays that the next step writes over. The algorithms of stable-baselines3 keep
            the last observations until the next step is done, and need copies.
        render_mode: always None; `SoloEnv` shows a game.
        **parameters: parameters of a game that is given by name.

    Raises:
        ImportError: stable-baselines3 is not installed.
        ValueError: an argument is not one of the values above.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        opponent: OpponentLike = "random",
        seat: Literal["first", "second", "random"] = "random",
        *,
        opening_plies: int | tuple[int, int] = 0,
        flatten: bool = True,
        copy: bool = True,
        threads: int = 1,
        seed: int | None = None,
        render_mode: None = None,
        **parameters: Any,
    ) -> None:
        check_render_mode(render_mode)
        if VecEnv is object:
            raise ImportError(f"BoardVecEnv needs stable-baselines3: {how_to_install('rl')}")
        game = game_with(BoardVecEnv, game, parameters)
        self.seats = SeatBatch(
            game,
            num_envs,
            opponent,
            seat,
            opening_plies=opening_plies,
            threads=threads,
            seed=seed,
        )
        self.game = self.seats.game
        self.flatten, self.copy = checked_flag("flatten", flatten), checked_flag("copy", copy)
        self.render_mode = render_mode
        self._actions = np.zeros(0, np.int64)
        self._made = time.time()
        planes = self.game.observation_space()
        super().__init__(
            self.seats.num_envs, flatten_space(planes) if self.flatten else planes, Discrete(self.game.num_actions)
        )

    def __repr__(self) -> str:
        return self.seats.described(type(self).__name__)

    def reset(self) -> NDArray[Any]:
        """Begin all games, with the seeds and options that `seed` and `set_options` have left for this reset.

        The options also say where later games begin.

        Raises:
            ValueError: the options are not the same for all games, or a game cannot start there.
        """
        seeds, given = self._seeds, self._options
        self._reset_seeds()  # before an error: the next reset is to go on without what this one could not use
        self._reset_options()
        if not all(_are_same(given[0], other) for other in given[1:]):
            raise ValueError(f"the games of {self!r} share their options, got different ones: {given!r}")
        self.seats.reset(seed=seeds, options=given[0] or None)
        return as_shown(self.seats.observations, self.flatten, self.copy)

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """Take the actions [games] for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the learner's moves and the replies.

        Returns:
            The observations, the rewards [games], whether games have ended [games], and an info for each game.

        Raises:
            ValueError: there is not one action of the game for each row.
        """
        seats = self.seats
        observations, rewards, dones = seats.step(self._actions)
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if ended.size:
            final = as_shown(seats.final_observations[ended], self.flatten, copy=False)  # in new memory
            seconds = round(time.time() - self._made, 6)
            columns = ended.tolist(), rewards[ended].tolist(), seats.lengths[ended].tolist(), seats.illegal[ended]
            for place, (row, reward, length, illegal) in enumerate(zip(*columns, strict=True)):
                info = infos[row]
                info["terminal_observation"] = final[place]
                info["episode"] = {"r": reward, "l": length, "t": seconds}
                if illegal >= 0:
                    info["illegal_action"] = int(illegal)
        if self.copy:
            rewards, dones = rewards.copy(), dones.copy()
        return as_shown(observations, self.flatten, self.copy), rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions [games, num_actions]; at least one in each game."""
        return self.seats.masks.view(np.bool_).copy() if self.copy else self.seats.masks.view(np.bool_)

    def state_dict(self) -> dict[str, Any]:
        """Return all that the games go on from: see `SeatBatch.state_dict`."""
        return self.seats.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the games go on from where they were: see `SeatBatch.load_state_dict`."""
        self.seats.load_state_dict(state)

    def close(self) -> None:
        """End what the opponents have started, such as programs, and the threads."""
        self.seats.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the environment, once for each game in ``indices``.

        Raises:
            AttributeError: there is no attribute of that name.
        """
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environment.

        Raises:
            ValueError: ``indices`` are not all games.
            AttributeError: it says what the games were made with.
        """
        if attr_name in _MADE_WITH:
            raise AttributeError(
                f"the games of {self!r} were made with their {attr_name!r}: make another BoardVecEnv. (An opponent "
                "that is to change can be a function, which asks whom it likes.)"
            )
        if sorted(self._get_indices(indices)) != list(range(self.num_envs)):
            raise ValueError(f"the games of {self!r} share their attributes: {attr_name!r} can be set for all only")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call ``action_masks``, the only method that can be called for each game.

        Raises:
            AttributeError: ``method_name`` is another.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the games of {self!r} have the method 'action_masks' only, got {method_name!r}")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return True for `Monitor`, whose statistics are in the infos, and False for all other wrappers."""
        from stable_baselines3.common.monitor import Monitor

        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _get_indices(self, indices: Any) -> Iterable[int]:
        return super()._get_indices(indices)


def _are_same(options: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Return whether two games are told the same; arrays count by what they hold."""
    return options.keys() == others.keys() and all(np.array_equal(options[name], others[name]) for name in options)
