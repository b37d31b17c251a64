"""Following a game by its positions, for players that must know the moves: programs with boards of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.jit import kernel

__all__ = ["lead_to", "moves_between"]

_LONGEST = 6  # plies from one position that a player is shown to the next, but for its own move: an opening, or passes
_MOST = 20_000  # positions that are looked at: a second or two


def lead_to(game: Game, state: State, moves: Iterable[int], target: State) -> bool:
    """Return whether these moves are legal from ``state`` on, and lead to ``target``."""
    after = state.copy()
    for action in moves:
        if game.is_terminal(after) or action not in _legal_and_keys(game, after)[0]:
            return False
        game.play(after, action)
    return game.key(after) == game.key(target)


def moves_between(game: Game, state: State, target: State) -> list[int]:
    """Return moves that lead from ``state`` to ``target``, as few as possible.

    Raises:
        ValueError: none are found, up to 6 plies and 20,000 positions.
    """
    key = game.key(target)
    if game.key(state) == key:
        return []
    # The moves of a Go opening are nearly always points with a stone: these are tried first, and then all.
    stones = game.observation(target, 0)[..., :2].any(axis=-1).ravel()
    everything = np.ones(game.num_actions, np.bool_)
    choices = [np.append(stones, True), everything] if game.name == "go" else [everything]
    for tried in choices:
        left = [_MOST // len(choices)]
        for plies in range(1, _LONGEST + 1):
            line = _line(game, state, key, plies, tried, left)
            if line is not None:
                return line
    raise ValueError(
        f"no moves were found that lead from\n{game.text(state)}\nto\n{game.text(target)}\n"
        "(in loops of your own, tell the player of each move: watch(action))"
    )


def _line(
    game: Game, state: State, key: Any, plies: int, tried: NDArray[np.bool_], left: list[int]
) -> list[int] | None:
    """Return ``plies`` moves after which the position has this key, or None; of positions there are some ``left``."""
    left[0] -= 1
    if left[0] < 0 or game.is_terminal(state):
        return None
    actions, keys = _legal_and_keys(game, state)
    if plies == 1:
        hits = np.flatnonzero(keys == key)
        return [int(actions[hits[0]])] if hits.size else None
    for action in actions[tried[actions]].tolist():
        child = state.copy()
        game.play(child, action)
        rest = _line(game, child, key, plies - 1, tried, left)
        if rest is not None:
            return [action, *rest]
    return None


def _legal_and_keys(game: Game, state: State) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return the legal actions and the keys of the positions after them, of which compiled code knows soonest."""
    actions, keys = np.empty(game.num_actions, np.int32), np.empty(game.num_actions, np.uint64)
    count = _followers(game, state, np.zeros(1, game.dtype), actions, keys)
    return actions[:count], keys[:count]


@kernel
def _followers(game, state, scratch, actions, keys):
    """Write the legal actions and the keys of the positions after them, and return how many there are."""
    count = game.legal_actions(state, actions)
    for i in range(count):
        scratch[0] = state
        child = scratch[0]
        game.play(child, actions[i])
        keys[i] = game.key(child)
    return count
