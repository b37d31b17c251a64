"""Checks of what batches are given, made once a call and before anything changes: compiled code checks no bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..game import Game
from ..history import Frames
from ..jit import kernel
from ..outside.arguments import checked_whole, is_truth
from .kernels import first_illegal, first_inconsistent

__all__ = [
    "check_render_mode",
    "check_saved",
    "checked_actions",
    "checked_integers",
    "checked_legal",
    "checked_rows",
    "checked_seats",
    "checked_seeds",
]

_OUTSIDE, _MIXED, _ASCENDING = -1, 0, 1
_LARGEST = np.iinfo(np.int64).max


@kernel
def _order(rows, games):
    """Return whether row numbers are outside of ``games`` games, in any order, or ascending and hence all different."""
    before, order = -1, _ASCENDING
    for place in range(rows.size):
        row = rows[place]
        if row < 0 or row >= games:
            return _OUTSIDE
        if row <= before:
            order = _MIXED
        before = row
    return order


@kernel
def _are_seats(seats):
    wrong = 0
    for place in range(seats.size):
        wrong += seats[place] != 0 and seats[place] != 1
    return wrong == 0


def check_render_mode(render_mode: Any) -> None:
    """Raise `ValueError` if many games are asked to be shown."""
    if render_mode is not None:
        raise ValueError(
            f"render_mode must be None, got {render_mode!r}: many games at once are not shown; those of SoloEnv are, "
            "in gymnasium.make(…), in make_vec(…, vectorization_mode='sync'), or in a DummyVecEnv"
        )


def checked_rows(given: Any, games: int) -> NDArray[np.intp]:
    """Return row numbers [some], side by side in memory.

    Raises:
        ValueError: a number is not a row of so many ``games``, or is given twice.
    """
    rows = np.asarray(given)
    if rows.ndim == 1 and rows.size == 0:
        return np.zeros(0, np.intp)
    if rows.ndim == 1 and rows.dtype.kind in "iu":
        rows = np.ascontiguousarray(rows, np.intp)
        order = _order(rows, games)
        if order == _ASCENDING or (order == _MIXED and np.unique(rows).size == rows.size):
            return rows
    raise ValueError(f"rows must be different rows from 0 to {games - 1}, got {given!r}")


def checked_integers(rows: NDArray[np.intp], actions: ArrayLike) -> NDArray[np.int64]:
    """Return actions [some] as integers, side by side in memory, of any value.

    Raises:
        ValueError: there is not one integer for each row.
    """
    given = np.asarray(actions)
    if given.shape == rows.shape == (0,):
        return np.zeros(0, np.int64)  # NumPy takes an empty list for floats
    mixed = isinstance(actions, (list, tuple)) and any(map(is_truth, actions))  # of which NumPy makes 0 and 1
    if given.shape != rows.shape or given.dtype.kind not in "iu" or mixed:
        raise ValueError(f"actions must be {rows.size} integers, one for each game, got {actions!r}")
    if given.dtype == np.uint64 and given.size and given.max() > _LARGEST:
        raise ValueError(f"action {given.max()} is no action of any game: expected integers up to {_LARGEST}")
    return np.ascontiguousarray(given, np.int64)


def checked_actions(game: Game, rows: NDArray[np.intp], actions: ArrayLike) -> NDArray[np.int64]:
    """Return the actions [some] as integers, which may be illegal.

    Raises:
        ValueError: there is not one action for each row, or one is not an action of the game.
    """
    chosen = checked_integers(rows, actions)
    if rows.size and (chosen.min() < 0 or chosen.max() >= game.num_actions):
        place = int(((chosen < 0) | (chosen >= game.num_actions)).argmax())
        raise ValueError(
            f"action {chosen[place]} in game {rows[place]} is no action of {game.spec}: expected an integer from 0 to "
            f"{game.num_actions - 1}"
        )
    return chosen


def checked_legal(
    masks: NDArray[np.int8], over: NDArray[np.bool_], rows: NDArray[np.intp], actions: ArrayLike
) -> NDArray[np.int64]:
    """Return the actions [some] as integers.

    Args:
        masks: [games, num_actions] of the legal actions.
        over: [games] whether a game is over.
        rows: [some] rows of games, known to be such.
        actions: one for each of these rows.

    Raises:
        ValueError: there is not one action for each row, one is illegal in its row, or a game is over.
    """
    chosen = checked_integers(rows, actions)
    place = first_illegal(masks, over, rows, chosen)
    if place >= 0:
        row, action = int(rows[place]), int(chosen[place])
        if over[row]:
            raise ValueError(f"game {row} is over: no action can be played there before it begins anew")
        legal = np.flatnonzero(masks[row]).tolist()
        raise ValueError(f"action {action} is illegal in game {row}: expected one of {legal}")
    return chosen


def checked_seats(rows: NDArray[np.intp], seats: ArrayLike) -> NDArray[np.int8]:
    """Return the numbers of players [some], side by side in memory.

    Raises:
        ValueError: there is not one player, 0 or 1, for each row.
    """
    given = np.asarray(seats)
    if given.shape != rows.shape or given.dtype.kind not in "iu" or not _are_seats(given):
        raise ValueError(f"seats must be {rows.size} numbers of players, 0 or 1, one for each row, got {seats!r}")
    return np.ascontiguousarray(given, np.int8)


def checked_seeds(seed: Any, rows: int) -> int | list[int | None] | None:
    """Return one seed for all rows, or a list with one for each, as Python numbers.

    Raises:
        ValueError: a seed is negative or not a whole number, or a list does not have one for each of ``rows`` rows.
    """
    if seed is None:
        return None
    single = np.ndim(seed) == 0
    seeds: list[int | None] = []
    for value in [seed] if single else seed:
        try:
            seeds.append(None if value is None else checked_whole("seed", value, 0))
        except ValueError:
            raise ValueError(f"seed must be a whole number, at least 0, or one for each game, got {value!r}") from None
    if single:
        return seeds[0]
    if len(seeds) != rows:
        raise ValueError(f"expected one seed, or one for each of {rows} games, got {len(seeds)}")
    return seeds


def check_saved(game: Game, saved: Mapping[str, NDArray[Any]], frames: Frames | None) -> None:
    """Check that the arrays of a batch's ``state_dict`` hold games that may be played on.

    Raises:
        ValueError: a row is not valid, or its arrays do not fit together.
    """
    states = saved["states"]
    row = game.state_check.first_invalid(states)
    if row < 0:
        columns = (saved[name] for name in ("players", "plies", "over", "masks"))
        row = first_inconsistent(game, game.max_plies, states, *columns, np.zeros(game.num_actions, np.int32))
    if row < 0 and frames is not None:
        first, last = saved["frames.first"], frames.windows.shape[2] - math.prod(frames.shape)
        row = int(((first < 0) | (first > last)).argmax()) if first.min() < 0 or first.max() > last else -1
    if row >= 0:
        raise ValueError(f"the state has no game of {game.spec} in row {row}: was it changed?")
