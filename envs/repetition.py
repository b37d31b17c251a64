"""Which positions a game has had, and how often: what superko and draws by repetition ask.

A state does not know its past, so that copies in a search stay small; an environment keeps one of these beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from .game import Game, Repetition, State
from .jit import kernel

__all__ = ["PositionCounts", "count_position", "exempt_actions", "forbid_repeats", "past_shape"]


@register_jitable
def _slot(keys: Any, times: Any, table: int, key: Any) -> Any:
    """Return where ``key`` stands in an open hash table [slots, a power of two], or the free slot where it would."""
    last = np.uint64(keys.shape[1] - 1)
    slot = key & last
    while times[table, slot] != 0 and keys[table, slot] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


def past_shape(game: Game) -> tuple[int, int, int]:
    """Return how many tables, and slots in each, hold the positions of a game, and how many plies a table is filled.

    A position that cannot come again need not be remembered: see `Repetition.memory`.
    """
    memory = game.max_plies + 1
    tables = 1
    if game.repetition is not None and game.repetition.memory is not None and game.repetition.memory < game.max_plies:
        memory, tables = game.repetition.memory + 1, 2
    return tables, 2 << memory.bit_length(), memory  # at most half of the slots are ever in use


@register_jitable
def count_position(game, state, keys, times, ply, memory):
    """Enter the position of ``state``, after ``ply`` plies, and return how often it has been there.

    Args:
        game: the game.
        state: at most ``memory`` plies after the last time that this position was there.
        keys: [tables, slots] of hash tables, one or, where older positions are forgotten, two: a table is filled for
            ``memory`` plies, and emptied when its turn comes again.
        times: [tables, slots] how often each key was there; 0: the slot is free.
        ply: since the tables were empty.
        memory: in plies.
    """
    key = game.position(state)
    now = (ply // memory) % keys.shape[0]
    if ply > 0 and ply % memory == 0:
        times[now] = 0
    slot = _slot(keys, times, now, key)
    keys[now, slot] = key
    times[now, slot] += 1
    return times_of(keys, times, key)


@register_jitable
def times_of(keys, times, key):
    """Return how often a position has been there."""
    count = np.int64(0)
    for table in range(keys.shape[0]):
        count += times[table, _slot(keys, times, table, key)]
    return count


@register_jitable
def forbid_repeats(game, state, scratch, keys, times, most, exempt, mask):
    """Take the actions out of ``mask`` after which a position would have been there more than ``most`` times."""
    for action in range(mask.size):
        if mask[action] == 0 or exempt[action]:
            continue
        if times_of(keys, times, game.position_after(state, action, scratch)) >= most:
            mask[action] = 0


@kernel
def _count(game, state, keys, times, ply, memory):
    return count_position(game, state, keys, times, ply, memory)


@kernel
def _forbid(game, state, scratch, keys, times, most, exempt, mask):
    forbid_repeats(game, state, scratch, keys, times, most, exempt, mask)


def exempt_actions(game: Game) -> NDArray[np.bool_]:
    """Return which actions [num_actions] may lead to any position."""
    exempt = np.zeros(game.num_actions, np.bool_)
    if game.repetition is not None:
        exempt[list(game.repetition.exempt)] = True
    return exempt


class PositionCounts:
    """How often each position of one game has been on the board, by ``game.position``.

    Args:
        game: the game; one without a ``repetition`` is taken to forbid the second time.
    """

    def __init__(self, game: Game) -> None:
        repetition = game.repetition or Repetition("forbidden")
        self._game = game
        self._most = repetition.times - 1
        tables, slots, self._memory = past_shape(game)
        self._keys = np.zeros((tables, slots), np.uint64)
        self._times = np.zeros((tables, slots), np.int32)  # 0: free
        self._ply = 0
        self._scratch = np.zeros(1, game.dtype)
        self._exempt = exempt_actions(game)

    def clear(self) -> None:
        """Forget all positions."""
        self._times[:] = 0
        self._ply = 0

    def add(self, state: State) -> bool:
        """Count a position, and return whether it has now been there as often as `Repetition.times` says."""
        count = _count(self._game, state, self._keys, self._times, self._ply, self._memory)
        self._ply += 1
        return bool(count > self._most)

    def forbid(self, state: State, mask: NDArray[np.int8]) -> None:
        """Set to 0, in a mask [num_actions] of legal actions, those that would bring a position back too often."""
        _forbid(self._game, state, self._scratch, self._keys, self._times, self._most, self._exempt, mask)
