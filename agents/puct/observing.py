"""What the players to move see at the leaves of a search, written into one array for a network.

In most games that is a view of the state. Where observations show earlier positions too (``history`` of a `Game`),
those below the root are found by playing the way to the leaf again, and those above it in the observation that the
environment gave at the root. That observation also tells whether the root has been on the board before, where
observations show that (``channel`` of a `Repetition`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.history import show_way
from ...envs.jit import bind, helper, kernel
from ..agent import Observation, planes_of

__all__ = ["Observer"]


@kernel
def _observe_states(game, states, planes):
    """Write what the player to move in each state sees into zeroed planes."""
    for i in range(states.size):
        game.observe(states[i], game.player(states[i]), planes[i])


@kernel
def _list_legal(game, states, masks, actions):
    """Write what is legal in each state, by the rules of a state alone, into zeroed masks."""
    for i in range(states.size):
        for j in range(game.legal_actions(states[i], actions)):
            masks[i, actions[j]] = True


@kernel
def _observe_both(game, states, planes):
    """Write what each player sees in the first state into zeroed planes."""
    for player in range(2):
        game.observe(states[0], player, planes[player])


@helper(forceinline=True)
def _observe_next(game, way, ply, player, planes):
    """Play the next move on the way to a leaf, and write what the player sees then: for `show_way`."""
    tree, leaf, scratch = way
    game.play(scratch[0], tree.action[tree.paths[leaf, ply]])
    game.observe(scratch[0], player, planes)


@kernel
def _observe_paths(game, root, shown, tree, leaves, frames, frame, shape, scratch, window, planes):
    """Write what the player to move at each leaf sees, earlier positions included.

    Args:
        game: the game.
        root: the state at the root, [1].
        shown: what each player sees there, [players, values].
        tree: the tree, with the way to each leaf.
        leaves: the states at the leaves, [at least as many as there are planes].
        frames: positions in an observation.
        frame: channels of each.
        shape: the shape of an observation.
        scratch: room for a state, [1].
        window: [values + (frames - 1) · frame].
        planes: [leaves, values], which are overwritten.
    """
    for leaf in range(planes.shape[0]):
        player, plies = game.player(leaves[leaf]), tree.lengths[leaf] - 1
        scratch[0] = root[0]
        for ply in range(1, plies - frames + 1):  # those that are not seen any more
            game.play(scratch[0], tree.action[tree.paths[leaf, ply]])
        way, before = (tree, leaf, scratch), shown[player]
        show_way(game, _observe_next, way, plies, player, before, frames, frame, shape, window, planes[leaf])


class Observer:
    """Shows an evaluator the positions of a search as an environment would.

    Args:
        game: the game.

    Raises:
        ValueError: observations of the game show earlier positions, and it does not say how the opponent sees these.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._frames, self._frame = game.history or (1, 0)
        if self._frames > 1 and game.history_swap is None:
            raise ValueError(
                f"an observation of {game.spec} shows earlier positions, which a search must know as both players see "
                "them: give the game a history_swap, or an evaluator of states"
            )
        self._channel = None if game.repetition is None else game.repetition.channel
        values = math.prod(game.observation_shape)
        self._shown = np.zeros((2, *game.observation_shape), game.observation_dtype)  # at the root, to each player
        self._window = np.zeros(values + (self._frames - 1) * self._frame, game.observation_dtype)
        self._scratch = np.zeros(1, game.dtype)

    def compile(self, tree: Any) -> None:
        """Compile what a search with a ``tree`` of this kind calls."""
        game, states, planes = self.game, np.zeros(1, self.game.dtype), self._shown[:1]
        if self.game.shows_past:
            bind(_observe_both, game, states, self._shown)
        if self._frames == 1:
            bind(_observe_states, game, states, planes)
            return
        shown, history, shape = self._shown.reshape(2, -1), (self._frames, self._frame), game.observation_shape
        bind(_observe_paths, game, states, shown, tree, states, *history, shape, self._scratch, self._window, shown[:1])

    def begin(self, root: NDArray[Any], observation: Observation | None) -> None:
        """Take in what is known of the positions before the root; without an observation there were none.

        Args:
            root: the state at the root, [1].
            observation: what the player to move sees there.

        Raises:
            ValueError: it is needed, and there is none; or it does not show the state at the root.
        """
        if not self.game.shows_past:
            return
        self._shown[:] = 0
        _observe_both(self.game, root, self._shown)
        if observation is None:
            if self._frames > 1 and root[0] != self.game.initial[0]:
                raise self._unknown("analyse(state, observation=observation), or act(observation, info)")
            return
        player, planes = int(self.game.player(root[0])), planes_of(observation)
        if planes.size != self._shown[0].size:
            raise ValueError(
                f"an observation of {self.game.spec} has shape {self.game.observation_shape}, got {planes.shape}"
            )
        planes = planes.reshape(self.game.observation_shape).astype(self.game.observation_dtype)
        newest = self.game.newest_channels
        if (planes[..., newest] != self._shown[player][..., newest]).any():
            raise ValueError(
                f"the observation does not show the position that is searched:\n{self.game.text(root[0])}\n"
                "pass both of them from the same step, those of the player to move"
            )
        self._shown[player] = planes
        if self._channel is not None:
            self._shown[1 - player][..., self._channel] = planes[..., self._channel]
        if self._frames > 1:
            self._shown_before(player, planes)

    def _shown_before(self, player: int, planes: NDArray[Any]) -> None:
        """Show the opponent the earlier positions that the player to move sees in these planes."""
        first = self.game.history_first
        present, past = first + self._frame, first + self._frames * self._frame
        before = planes[..., present:past]
        by_frame = before.reshape(*self.game.observation_shape[:-1], self._frames - 1, self._frame)
        swapped = by_frame[..., list(self.game.history_swap or ())].reshape(before.shape)
        self._shown[1 - player][..., present:past] = swapped[::-1] if self.game.history_turned else swapped

    @property
    def shown(self) -> NDArray[Any]:
        """What both players see at the root, [2, *observation_shape], where that tells of the past."""
        return self._shown

    def at_root(self, state: State, allowed: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return what the player to move at the root sees, [1, *observation_shape], and a mask of what is allowed."""
        masks = np.zeros((1, self.game.num_actions), np.bool_)
        masks[0, allowed] = True
        if not self.game.shows_past:
            return self._planes_of(np.array([state], self.game.dtype)), masks
        return self._shown[[int(self.game.player(state))]], masks

    def at_leaves(
        self, root: NDArray[Any], tree: Any, leaves: NDArray[Any], count: int
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return what the players to move at the first ``count`` leaves see, and masks of what may be played there."""
        masks = np.zeros((count, self.game.num_actions), np.bool_)
        for leaf in range(count):
            masks[leaf, tree.legal[leaf, : tree.counts[leaf]]] = True
        if self._frames == 1:
            return self._planes_of(leaves[:count]), masks
        game, values = self.game, self._shown[0].size
        planes = np.empty((count, values), game.observation_dtype)
        history, shape = (self._frames, self._frame), game.observation_shape
        shown, arrays = self._shown.reshape(2, -1), (self._scratch, self._window, planes)
        _observe_paths(game, root, shown, tree, leaves, *history, shape, *arrays)
        return planes.reshape(count, *shape), masks

    def of_states(self, states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return what the players to move in these states see, and what is legal by the rules of a state alone.

        Raises:
            ValueError: observations of the game show earlier positions too, which states do not know.
        """
        if self._frames > 1:
            raise self._unknown("evaluate(states, observations, masks)")
        masks = np.zeros((states.size, self.game.num_actions), np.bool_)
        _list_legal(self.game, states, masks, np.empty(self.game.num_actions, np.int32))
        return self._planes_of(states), masks

    def _planes_of(self, states: NDArray[Any]) -> NDArray[Any]:
        """Return what the players to move in these states see, without earlier positions."""
        planes = np.zeros((states.size, *self.game.observation_shape), self.game.observation_dtype)
        _observe_states(self.game, states, planes)
        return planes

    def _unknown(self, instead: str) -> ValueError:
        return ValueError(
            f"the evaluator is shown the last {self._frames} positions of {self.game.spec}, and a state knows only "
            f"one: pass the environment's observation, as in {instead}"
        )
