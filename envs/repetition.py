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

__all__ = ["PositionCounts"]


@register_jitable
def _slot(keys: Any, times: Any, key: Any) -> Any:
    """Return where ``key`` stands in an open hash table [slots, a power of two], or the free slot where it would."""
    last = np.uint64(keys.size - 1)
    slot = key & last
    while times[slot] != 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@kernel
def _count(game, state, keys, times):
    """Count the position of ``state``, and return how often it has been there."""
    key = game.position(state)
    slot = _slot(keys, times, key)
    keys[slot] = key
    times[slot] += 1
    return times[slot]


@kernel
def _forbid(game, state, scratch, keys, times, most, exempt, mask):
    """Take the actions out of ``mask`` after which a position would have been there more than ``most`` times."""
    for action in range(mask.size):
        if mask[action] == 0 or exempt[action]:
            continue
        scratch[0] = state
        child = scratch[0]
        game.play(child, action)
        if times[_slot(keys, times, game.position(child))] >= most:
            mask[action] = 0


class PositionCounts:
    """How often each position of one game has been on the board, by ``game.position``.

    Args:
        game: the game; one without a ``repetition`` is taken to forbid the second time.
    """

    def __init__(self, game: Game) -> None:
        repetition = game.repetition or Repetition("forbidden")
        self._game = game
        self._most = repetition.times - 1
        slots = 2 << (game.max_plies + 1).bit_length()  # at most half of them are ever in use
        self._keys = np.zeros(slots, np.uint64)  # [slots]
        self._times = np.zeros(slots, np.int32)  # [slots] 0: free
        self._scratch = np.zeros(1, game.dtype)
        self._exempt = np.zeros(game.num_actions, np.bool_)
        self._exempt[list(repetition.exempt)] = True

    def clear(self) -> None:
        """Forget all positions."""
        self._times[:] = 0

    def add(self, state: State) -> bool:
        """Count a position, and return whether it has now been there as often as `Repetition.times` says."""
        return bool(_count(self._game, state, self._keys, self._times) > self._most)

    def forbid(self, state: State, mask: NDArray[np.int8]) -> None:
        """Set to 0, in a mask [num_actions] of legal actions, those that would bring a position back too often."""
        _forbid(self._game, state, self._scratch, self._keys, self._times, self._most, self._exempt, mask)
