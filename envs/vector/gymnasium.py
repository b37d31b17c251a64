"""The batch for Gymnasium: a `VectorEnv` over `SeatBatch`, which ``gymnasium.make_vec`` returns.

``gymnasium.make_vec("plyground/ConnectFour-v0", num_envs=1024, opponent="mcts(simulations=30)")`` plays all games in
compiled code; with ``vectorization_mode="sync"`` it would run 1024 copies of `SoloEnv`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal

import gymnasium.vector
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.spaces.utils import flatten_space
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ..game import Game
from ..outside.arguments import checked_flag, checked_options, checked_whole
from ..registry import game_with
from .checks import check_render_mode, checked_seeds
from .opponents import OpponentLike
from .seats import SeatBatch, as_shown

__all__ = ["AutoresetMode", "BoardVectorEnv"]

AutoresetMode: Any = getattr(gymnasium.vector, "AutoresetMode", None) or Enum(  # since Gymnasium 1.1
    "AutoresetMode", {"NEXT_STEP": "NextStep", "SAME_STEP": "SameStep", "DISABLED": "Disabled"}
)

_STARTS = ("fen", "moves", "state")  # the options of a reset that say where games begin


class BoardVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games with one learner, who has one seat in each; opponents play the other.

    Rewards are +1 for a win, 0, and -1 for a loss, or as the game's utilities are. An illegal move loses the game at
    once, with the worst reward: -1, or minus the game's ``max_utility``. ``infos`` hold ``"action_mask"``, int8 [games,
    num_actions], all ones where a game is over; ``"state"``, records [games]; and ``"illegal_action"`` [games] after an
    illegal move, in ``SAME_STEP`` in ``infos["final_info"]``. As everywhere in Gymnasium, ``infos["_name"]`` says for
    which games ``infos["name"]`` counts.

    The autoreset mode says when the next game begins after one has ended: ``NEXT_STEP``, in place of the next step,
    whose action is not used; ``SAME_STEP``, at once, with the end of the last game in ``infos["final_obs"]`` and
    ``infos["final_info"]``; ``DISABLED``, only by ``reset(options={"reset_mask": …})``.

    Args:
        game: a game, or its name as `plyground.envs.make_game` takes it.
        num_envs, opponent, seat, opening_plies, threads: see `SeatBatch`.
        max_episode_steps: truncate a game after so many moves of the learner, as `gymnasium.make` does by `TimeLimit`;
            None or -1: never.
        flatten: False keeps the planes in the game's ``observation_shape``, H×W×C, for networks that convolve.
        autoreset_mode: one of the modes above, or its name, ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``.
        copy: False returns views of arrays that the next step writes over, instead of copies.
        info_state: False leaves ``"state"`` out of the infos, for wrappers that make tensors of them.
        render_mode: always None; `SoloEnv` shows a game.
        **parameters: parameters of a game that is given by name.

    Raises:
        ValueError: an argument is not one of the values above.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        opponent: OpponentLike = "random",
        seat: Literal["first", "second", "random"] = "random",
        *,
        opening_plies: int | tuple[int, int] = 0,
        flatten: bool = True,
        threads: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: Any = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        info_state: bool = True,
        render_mode: None = None,
        **parameters: Any,
    ) -> None:
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = modes.get(getattr(autoreset_mode, "value", autoreset_mode))
        if mode is None:
            raise ValueError(f"autoreset_mode must be one of {', '.join(map(repr, modes))}, got {autoreset_mode!r}")
        check_render_mode(render_mode)
        most = None if max_episode_steps in (None, -1) else checked_whole("max_episode_steps", max_episode_steps, 1)
        game = game_with(BoardVectorEnv, game, parameters)
        self.seats = SeatBatch(game, num_envs, opponent, seat, opening_plies=opening_plies, threads=threads)
        self.game, self.num_envs = self.seats.game, self.seats.num_envs
        self.flatten, self.copy = checked_flag("flatten", flatten), checked_flag("copy", copy)
        self.info_state = checked_flag("info_state", info_state)
        self.autoreset_mode, self.max_episode_steps = mode, most
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        planes = self.game.observation_space()
        self.single_observation_space = flatten_space(planes) if self.flatten else planes
        self.single_action_space = Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._never = np.zeros(self.num_envs, np.bool_)
        self._all = np.ones(self.num_envs, np.bool_)

    def __repr__(self) -> str:
        return self.seats.described(type(self).__name__)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin new games.

        Args:
            seed: seeds for the games' random numbers from here on: one for each game, or a number s for s, s + 1,
                s + 2, …; a None, there or alone, lets the random numbers go on.
            options: ``"reset_mask"``, bool [games], says which games begin anew (default: all). ``"state"``,
                ``"fen"`` and ``"moves"`` say where these and all later games begin, as in `BoardGameEnv.reset`; without
                them and without a mask, games begin at the initial state.

        Raises:
            ValueError: an argument does not fit, and nothing is changed; or games end before the learner can move.
        """
        options = checked_options(options, (*_STARTS, "reset_mask"))
        chosen = self._checked_mask(options["reset_mask"]) if "reset_mask" in options else self._all
        start = {name: options[name] for name in _STARTS if name in options}
        seed = checked_seeds(seed, self.num_envs)
        if start or chosen is self._all:
            self.seats.batch.start_from(start)  # an error leaves all else alone
        if isinstance(seed, int):
            super().reset(seed=seed)
            seed = [seed + row for row in range(self.num_envs)]
        self.closed = False  # what the opponents start anew is to be ended, too
        rows = np.flatnonzero(chosen)
        self.seats.reset(seed=None if seed is None else [seed[row] for row in rows.tolist()], rows=rows)
        return as_shown(self.seats.observations, self.flatten, self.copy), self._infos(chosen)

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play the learner's action and the replies in each game.

        Returns:
            The observations, rewards float32 [games], terminations [games], truncations [games], which are all False
            without ``max_episode_steps``, and infos.

        Raises:
            ValueError: there is not one action of the game for each row, or a game is over and has not been reset;
                nothing is changed.
        """
        seats, restarts = self.seats, self.autoreset_mode is AutoresetMode.SAME_STEP
        over = seats.terminations | (seats.over & self._late())  # since the last step
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and over.any():
            given = np.asarray(actions)
            if given.shape != (self.num_envs,):
                raise ValueError(f"actions must be {self.num_envs} integers, one for each game, got {actions!r}")
            seats.step(given[~over], restart=False, rows=np.flatnonzero(~over))
            seats.reset(rows=np.flatnonzero(over))
        else:
            seats.step(actions, restart=restarts)
        truncations = self._late().copy()
        ended = seats.terminations | truncations
        final: dict[str, Any] = {}
        if ended.any():
            seats.cut(np.flatnonzero(truncations & ~seats.terminations), restarts)
            final = self._final(ended) if restarts else {}
        infos = self._infos(self._all) | final
        if not final and seats.illegal.max() >= 0:
            infos |= self._illegal()
        rewards, terminations = seats.rewards, seats.terminations
        if self.copy:
            rewards, terminations = rewards.copy(), terminations.copy()
        return as_shown(seats.observations, self.flatten, self.copy), rewards, terminations, truncations, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions [games, num_actions]; all actions where a game is over."""
        return self.seats.masks.astype(np.bool_)

    def state_dict(self) -> dict[str, Any]:
        """Return all that the games go on from: see `SeatBatch.state_dict`."""
        return self.seats.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the games go on from where they were, in an environment of the same mode: see `SeatBatch`."""
        try:
            self.seats.load_state_dict(state)
        except BaseException:
            if self.closed:
                self.seats.close()  # what the opponents have started anew
            raise
        self.closed = False

    def close_extras(self, **kwargs: Any) -> None:
        """End what the opponents have started, such as programs, and the threads."""
        if "seats" in vars(self):  # until 1.2, Gymnasium closes what could not be made, too
            self.seats.close()

    def _late(self) -> NDArray[np.bool_]:
        """Return in which games the learner has made all the moves that it has, the one that ended a game included."""
        most = self.max_episode_steps
        return self._never if most is None else self.seats.lengths >= most

    def _infos(self, chosen: NDArray[np.bool_]) -> dict[str, Any]:
        masks, states = self.seats.masks, self.seats.batch.states
        if self.copy:
            masks, states = masks.copy(), states.copy()
        return self._told(masks, states, chosen)

    def _told(self, masks: NDArray[np.int8], states: NDArray[Any], chosen: NDArray[np.bool_]) -> dict[str, Any]:
        infos = {"action_mask": masks, "_action_mask": chosen.copy()}
        return infos | ({"state": states, "_state": chosen.copy()} if self.info_state else {})

    def _illegal(self) -> dict[str, Any]:
        illegal = self.seats.illegal
        return {"illegal_action": np.maximum(illegal, 0), "_illegal_action": illegal >= 0}

    def _final(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos about games that ended and were followed by the next game in the same step."""
        seats = self.seats
        rows = np.flatnonzero(ended)
        final = as_shown(seats.final_observations[rows], self.flatten, copy=False)  # in new memory
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(rows.tolist(), final, strict=True):
            observations[row] = observation
        masks = np.zeros_like(seats.masks)
        masks[rows] = 1
        info = self._told(masks, seats.final_states.copy(), ended)
        info |= self._illegal() if seats.illegal.max() >= 0 else {}
        return {"final_obs": observations, "_final_obs": ended.copy(), "final_info": info, "_final_info": ended.copy()}

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_]:
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
            raise ValueError(f"options['reset_mask'] must be {self.num_envs} booleans, one of them True, got {mask!r}")
        return chosen
