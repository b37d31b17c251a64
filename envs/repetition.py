"""Which positions a game has had, and how often: what superko and draws by repetition ask.

A state does not know its past, so that copies in a search stay small; an environment keeps one of these beside it.

Positions stand in hash tables. Most questions are about positions that were never there, and a few bits for each, in a
filter (B. H. Bloom, 1970, with one hash function), answer nearly all of them without a look into a table: the filters
of many games fit into the processor's cache, the tables do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from .game import Game, Repetition, State
from .jit import kernel

__all__ = ["PositionCounts", "count_position", "exempt_actions", "forbid_repeats", "new_tables", "table_plies"]

_SLOTS_A_WORD = 16  # slots of a table to 64 bits of its filter: 8 bits at least to each position


@register_jitable(forceinline=True)
def _slot(keys: Any, times: Any, table: int, key: Any) -> Any:
    """Return where ``key`` stands in an open hash table [slots, a power of two], or the free slot where it would."""
    last = np.uint64(keys.shape[1] - 1)
    slot = key & last
    while times[table, slot] != 0 and keys[table, slot] != key:
        slot = (slot + np.uint64(1)) & last
    return slot


@register_jitable(forceinline=True)
def _place(seen: Any, key: Any) -> Any:
    """Return the word of a filter, and the bit in it, of ``key``; they depend on other bits than `_slot` does."""
    return (key >> np.uint64(32)) & np.uint64(seen.shape[1] - 1), np.uint64(1) << (key >> np.uint64(58))


@register_jitable(forceinline=True)
def _may_be_there(seen: Any, key: Any) -> Any:
    """Return False only if ``key`` is in none of the tables."""
    word, bit = _place(seen, key)
    found = np.uint64(0)
    for table in range(seen.shape[0]):
        found |= seen[table, word]
    return found & bit != 0


def table_plies(game: Game) -> int:
    """Return how many plies a table is filled for: a position that cannot come again need not be remembered."""
    memory = None if game.repetition is None else game.repetition.memory
    return min(game.max_plies, game.max_plies if memory is None else memory) + 1


def new_tables(game: Game, *games: int) -> tuple[NDArray[np.uint64], NDArray[np.unsignedinteger], NDArray[np.uint64]]:
    """Return the empty ``keys``, ``times`` and ``seen`` of `count_position`, of as many ``games`` (default: of one)."""
    memory = table_plies(game)
    tables = 1 if memory > game.max_plies else 2
    slots = 2 << memory.bit_length()  # at most half of them are ever in use
    words = max(1, slots // _SLOTS_A_WORD)
    keys, seen = np.zeros((*games, tables, slots), np.uint64), np.zeros((*games, tables, words), np.uint64)
    return keys, np.zeros(keys.shape, np.min_scalar_type(memory)), seen


@register_jitable(forceinline=True)
def count_position(game, state, keys, times, seen, ply, memory):
    """Enter the position of ``state``, after ``ply`` plies, and return how often it has been there.

    Args:
        game: the game.
        state: at most ``memory`` plies after the last time that this position was there.
        keys: [tables, slots] of hash tables, one or, where older positions are forgotten, two: a table is filled for
            ``memory`` plies, and emptied when its turn comes again.
        times: [tables, slots] how often each key was there; 0: the slot is free.
        seen: [tables, words] filters of 64 bits a word: the bit of a key is set if it is in the table.
        ply: since the start of the game, with which the tables are emptied.
        memory: in plies, as `table_plies` says.
    """
    key = game.position(state)
    now = 0
    if ply == 0:
        times[:] = 0
        seen[:] = 0
    elif keys.shape[0] > 1:
        now = (ply // memory) % keys.shape[0]
        if ply % memory == 0:
            times[now] = 0
            seen[now] = 0
    slot = _slot(keys, times, now, key)
    keys[now, slot] = key
    times[now, slot] += 1
    word, bit = _place(seen, key)
    seen[now, word] |= bit
    if keys.shape[0] == 1:
        return np.int64(times[now, slot])
    return _times(keys, times, key)


@register_jitable
def _times(keys: Any, times: Any, key: Any) -> Any:
    """Return how often a position has been there."""
    count = np.int64(0)
    for table in range(keys.shape[0]):
        count += np.int64(times[table, _slot(keys, times, table, key)])
    return count


@register_jitable(forceinline=True)
def forbid_repeats(game, state, actions, scratch, keys, times, seen, most, exempt, mask):
    """Take the ``actions`` out of ``mask`` after which a position would have been there more than ``most`` times."""
    for i in range(actions.size):
        action = actions[i]
        if exempt[action]:
            continue
        key = game.position_after(state, action, scratch)
        if _may_be_there(seen, key) and _times(keys, times, key) >= most:
            mask[action] = 0


@kernel
def _count(game, state, keys, times, seen, ply, memory):
    return count_position(game, state, keys, times, seen, ply, memory)


@kernel
def _forbid(game, state, actions, scratch, keys, times, seen, most, exempt, mask):
    legal = actions[: game.legal_actions(state, actions)]
    forbid_repeats(game, state, legal, scratch, keys, times, seen, most, exempt, mask)


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
        self._tables, self._memory = new_tables(game), table_plies(game)
        self._ply = 0
        self._scratch = np.empty(game.num_actions, np.int32), np.zeros(1, game.dtype)
        self._exempt = exempt_actions(game)

    def clear(self) -> None:
        """Forget all positions."""
        self._ply = 0

    def add(self, state: State) -> bool:
        """Count a position, and return whether it has now been there as often as `Repetition.times` says."""
        count = _count(self._game, state, *self._tables, self._ply, self._memory)
        self._ply += 1
        return bool(count > self._most)

    def forbid(self, state: State, mask: NDArray[np.int8]) -> None:
        """Set to 0, in a mask [num_actions] of legal actions, those that would bring a position back too often."""
        _forbid(self._game, state, *self._scratch, *self._tables, self._most, self._exempt, mask)
