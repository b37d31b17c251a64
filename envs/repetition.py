"""Which positions a game has had, and how often: what superko and draws by repetition ask.

A state does not know its past, so that copies in a search stay small; an environment keeps one of these beside it.

Most questions are about positions that were never there, and a few bits for each, in a filter (B. H. Bloom, 1970, with
one hash function), answer nearly all of them. For the rest the positions are gone through one by one, side by side as
they were entered: that is seldom, and there is no table whose every entry is another line of the processor's cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .game import Game, Repetition, State
from .jit import helper, kernel

__all__ = ["PositionCounts", "allow_new", "count_position", "exempt_actions", "new_ring", "new_scratch"]

_PLIES_A_WORD = 8  # positions to 64 bits of a filter


@helper(forceinline=True)
def _place(seen: Any, key: Any) -> Any:
    """Return the word of a filter, and the bit in it, of ``key``."""
    return (key >> np.uint64(32)) & np.uint64(seen.shape[1] - 1), np.uint64(1) << (key >> np.uint64(58))


@helper(forceinline=True)
def _may_be_there(seen: Any, key: Any) -> Any:
    """Return False only if ``key`` is in none of the filters."""
    word, bit = _place(seen, key)
    found = np.uint64(0)
    for i in range(seen.shape[0]):
        found |= seen[i, word]
    return found & bit != 0


@helper
def _times(keys: Any, entered: int, key: Any) -> int:
    """Return how often ``key`` is in a ring in which so many have been entered."""
    count = 0
    for i in range(min(entered, keys.size)):
        count += np.int64(keys[i] == key)
    return count


def new_ring(game: Game, *games: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the empty ``keys`` and ``seen`` of `count_position`, of as many ``games`` (default: of one)."""
    memory = None if game.repetition is None else game.repetition.memory
    plies = min(game.max_plies, game.max_plies if memory is None else memory) + 1
    filters = 1 if plies > game.max_plies else 2
    words = max(1, (1 << plies.bit_length()) // _PLIES_A_WORD)
    return np.zeros((*games, plies), np.uint64), np.zeros((*games, filters, words), np.uint64)


@helper(forceinline=True)
def count_position(game, state, keys, seen, ply):
    """Enter the position of ``state``, after ``ply`` plies, and return how often it has been there.

    Args:
        game: the game.
        state: less than ``len(keys)`` plies after the last time that this position was there.
        keys: [plies] a ring of the latest positions.
        seen: [filters, words] of 64 bits a word: the bit of a position is set if it is in the filter. There is one, or,
            where older positions are forgotten, two: each is filled for ``len(keys)`` plies, and emptied when its turn
            comes again.
        ply: since the start of the game, with which all begins anew.
    """
    key = game.repetition_key(state)
    now = 0
    if ply == 0:
        seen[:] = 0
    elif seen.shape[0] > 1:
        now = (ply // keys.size) % seen.shape[0]
        if ply % keys.size == 0:
            seen[now] = 0
    before = _times(keys, ply, key) if _may_be_there(seen, key) else 0
    keys[ply if ply < keys.size else ply % keys.size] = key
    word, bit = _place(seen, key)
    seen[now, word] |= bit
    return before + 1


@helper(forceinline=True)
def allow_new(game, state, actions, after, scratch, keys, seen, ply, most, exempt, mask):
    """Set a zeroed ``mask`` to 1 for the legal actions after which no position has been there more than ``most`` times.

    ``ply`` is that of ``state``, which has been counted. ``actions``, ``after`` (of uint64) and ``scratch`` are as
    `Game` says of ``keys_after``.
    """
    for i in range(game.keys_after(state, actions, after, scratch)):
        action, key = actions[i], after[i]
        if exempt[action] or not _may_be_there(seen, key) or _times(keys, ply + 1, key) < most:
            mask[action] = 1


@kernel
def _count(game, state, keys, seen, ply):
    return count_position(game, state, keys, seen, ply)


@kernel
def _forbid(game, state, actions, after, scratch, keys, seen, ply, most, exempt, mask):
    mask[:] = 0
    allow_new(game, state, actions, after, scratch, keys, seen, ply, most, exempt, mask)


def new_scratch(game: Game) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[Any]]:
    """Return the arrays that `allow_new` writes into."""
    return np.zeros(game.num_actions, np.int32), np.zeros(game.num_actions, np.uint64), np.zeros(1, game.dtype)


def exempt_actions(game: Game) -> NDArray[np.bool_]:
    """Return which actions [num_actions] may lead to any position."""
    exempt = np.zeros(game.num_actions, np.bool_)
    if game.repetition is not None:
        exempt[list(game.repetition.exempt)] = True
    return exempt


class PositionCounts:
    """How often each position of one game has been on the board, by ``game.repetition_key``.

    Args:
        game: the game; one without a ``repetition`` is taken to forbid the second time.
    """

    def __init__(self, game: Game) -> None:
        repetition = game.repetition or Repetition("forbidden")
        self._game = game
        self._most = repetition.times - 1
        self._past = new_ring(game)
        self._ply = 0  # of the next position
        self._scratch = new_scratch(game)
        self._exempt = exempt_actions(game)

    def clear(self) -> None:
        """Forget all positions."""
        self._ply = 0

    def add(self, state: State) -> bool:
        """Count a position, and return whether it has now been there as often as `Repetition.times` says."""
        count = _count(self._game, state, *self._past, self._ply)
        self._ply += 1
        return bool(count > self._most)

    def forbid(self, state: State, mask: NDArray[np.int8]) -> None:
        """Set to 0, in a mask [num_actions] of legal actions, those that would bring a position back too often."""
        _forbid(self._game, state, *self._scratch, *self._past, self._ply - 1, self._most, self._exempt, mask)
