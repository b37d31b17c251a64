"""Checks of what `SeatBatch` is given, made before anything changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..game import Game

__all__ = ["checked_actions", "checked_rows", "checked_seeds"]


def checked_seeds(seed: Any, rows: int) -> int | list[int | None] | None:
    """Return one seed for all rows, or a list with one for each, as Python numbers.

    Raises:
        ValueError: a seed is negative or not a whole number, or a list does not have one for each of ``rows`` rows.
    """
    if seed is None:
        return None
    single = isinstance(seed, (int, np.integer))
    seeds = [seed] if single else list(seed)
    for value in seeds:
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if value is not None and (not whole or value < 0):
            raise ValueError(f"seed must be a whole number, at least 0, or one for each game, got {value!r}")
    if single:
        return int(seed)
    if len(seeds) != rows:
        raise ValueError(f"expected one seed, or one for each of {rows} games, got {len(seeds)}")
    return [None if value is None else int(value) for value in seeds]


def checked_rows(given: Any, num_envs: int) -> NDArray[np.intp]:
    """Return row numbers [some].

    Raises:
        ValueError: a number is not a row of ``num_envs`` games, or is given twice.
    """
    rows = np.asarray(given)
    if rows.size == 0:
        return np.zeros(0, np.intp)
    fits = rows.ndim == 1 and np.issubdtype(rows.dtype, np.integer)
    if not fits or rows.min() < 0 or rows.max() >= num_envs or np.unique(rows).size < rows.size:
        raise ValueError(f"rows must be different rows from 0 to {num_envs - 1}, got {given!r}")
    return rows.astype(np.intp, copy=False)


def checked_actions(game: Game, rows: NDArray[np.intp], actions: ArrayLike) -> NDArray[np.int64]:
    """Return the actions [some] as integers, which may be illegal.

    Raises:
        ValueError: there is not one action for each row, or one is not an action of the game.
    """
    given = np.asarray(actions)
    if given.shape != rows.shape or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"actions must be {rows.size} integers, one for each game, got {actions!r}")
    chosen = given.astype(np.int64, copy=False)
    if rows.size and (chosen.min() < 0 or chosen.max() >= game.num_actions):
        place = int(((chosen < 0) | (chosen >= game.num_actions)).argmax())
        raise ValueError(
            f"action {chosen[place]} in game {rows[place]} is no action of {game.spec}: expected an integer from 0 to "
            f"{game.num_actions - 1}"
        )
    return chosen
