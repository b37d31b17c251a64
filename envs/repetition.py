"""The positions a game has had: what superko and draws by repetition ask, for every environment.

A state does not know its past, so that copies in a search stay small; environments keep a `Past` beside their states,
of one game or of many. `enter`, `is_drawn`, `mark`, `mark_newest` and `write_mask` decide in kernels what a repetition
does.

Most questions are about positions that were never there. A filter with a few bits for each position (B. H. Bloom, 1970,
with one hash function) answers nearly all of them. The rest, which are few, compare with all positions one by one, in
the order of entry: a hash table would cost another line of the processor's cache for each entry.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .game import Game
from .jit import helper, kernel

__all__ = [
    "Past",
    "Scratch",
    "copy_past",
    "enter",
    "exempt_of",
    "filters_of",
    "is_drawn",
    "keys_of",
    "mark",
    "mark_newest",
    "new_past",
    "new_scratch",
    "times_among",
    "write_mask",
]

_PLIES_A_WORD = 8  # positions for each 64 bits of a filter


class Past(NamedTuple):
    """The positions that each of some games has had, for superko and draws by repetition."""

    keys: NDArray[np.uint64]  # [games, plies] a ring of each game's latest positions
    # [games, filters, words] the bit of a position is set if it is in the filter. There is one filter, or, where older
    # positions are forgotten, two: each is filled for as many plies as the ring has, and emptied when its turn comes.
    seen: NDArray[np.uint64]
    exempt: NDArray[np.bool_]  # [num_actions] actions that may lead to any position
    limit: int  # times that a position must stand on the board for the effect
    forbids: bool  # whether the effect is that the move is forbidden; else the game is drawn
    announced: bool | None  # True: the game is drawn as soon as a legal action leads there; else None
    channel: int | None  # of the planes, for positions that have been on the board before


class Scratch(NamedTuple):
    """Arrays that `write_mask` writes into, for one thread; as `Game` says of ``keys_after``."""

    actions: NDArray[np.int32]  # [num_actions]
    keys: NDArray[np.uint64]  # [num_actions]
    states: NDArray[Any]  # [1]


def new_past(game: Game, games: int) -> Past | None:
    """Return an empty memory, or None for a game in which it does not matter that a position comes again."""
    repetition = game.repetition
    if repetition is None:
        return None
    plies = min(game.max_plies, game.max_plies if repetition.memory is None else repetition.memory) + 1
    filters = 1 if plies > game.max_plies else 2
    return Past(
        np.zeros((games, plies), np.uint64),
        np.zeros((games, filters, _words(plies)), np.uint64),
        exempt_of(game),
        repetition.times,
        repetition.effect == "forbidden",
        repetition.announced or None,
        repetition.channel,
    )


def exempt_of(game: Game) -> NDArray[np.bool_]:
    """Return which actions [num_actions] may lead to any position."""
    exempt = np.zeros(game.num_actions, np.bool_)
    if game.repetition is not None:
        exempt[list(game.repetition.exempt)] = True
    return exempt


def _words(plies: int) -> int:
    """Return the words of a filter for so many positions, a power of two."""
    return max(1, (1 << plies.bit_length()) // _PLIES_A_WORD)


def new_scratch(game: Game) -> Scratch:
    """Return new arrays for `write_mask`."""
    return Scratch(np.zeros(game.num_actions, np.int32), np.zeros(game.num_actions, np.uint64), np.zeros(1, game.dtype))


def copy_past(source: Past, target: Past, rows: NDArray[np.intp], plies: int) -> None:
    """Give ``rows`` [some] of ``target`` the past of the one game in ``source``, which has had ``plies`` plies."""
    known = min(plies + 1, source.keys.shape[1])
    target.keys[rows, :known] = source.keys[0, :known]
    target.seen[rows] = source.seen[0]


def keys_of(past: Past, row: int, ply: int) -> NDArray[np.uint64]:
    """Return the keys of the positions that a game has had, as many as are remembered, the oldest first.

    Args:
        past: the past of some games.
        row: the game.
        ply: plies since its start.
    """
    keys = past.keys[row]
    if ply < keys.size:
        return keys[: ply + 1].copy()
    return np.roll(keys, -1 - ply % keys.size)


@helper(forceinline=True)
def _place(seen: Any, key: Any) -> Any:
    """Return the word of a filter that ``key`` is in, and its bit in that word."""
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
    """Return how often ``key`` is in a ring of ``keys`` into which ``entered`` keys have been put."""
    count = 0
    for i in range(min(entered, keys.size)):
        count += np.int64(keys[i] == key)
    return count


def filters_of(keys: NDArray[np.uint64], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return filters [games, 1, words] of the positions that some games have had, for `times_among`.

    Args:
        keys: the keys of all games, one game after the other.
        ends: [games] where the keys of each game end.
    """
    plies = np.diff(ends, prepend=0).max(initial=0)
    seen = np.zeros((ends.size, 1, _words(int(plies))), np.uint64)
    if keys.size:
        _fill(keys, ends, seen)
    return seen


@kernel
def _fill(keys, ends, seen):
    """Put keys into the filters of their games."""
    first = 0
    for row in range(ends.size):
        for i in range(first, ends[row]):
            word, bit = _place(seen[row], keys[i])
            seen[row, 0, word] |= bit
        first = ends[row]


@helper
def times_among(keys: Any, seen: Any, key: Any) -> int:
    """Return how often ``key`` is among the ``keys`` of a game, of which ``seen`` [1, words] is a filter."""
    return _times(keys, keys.size, key) if _may_be_there(seen, key) else 0


@helper(forceinline=True)
def enter(game, state, past, row, ply):
    """Enter the position of ``state`` into the past of a game, and return how often it has stood on the board.

    Args:
        game: the game.
        state: the position; a forgetful past must have had it less than ``past.keys.shape[1]`` plies ago, or never.
        past: a `Past`, or None for a game without repetitions, where the number is 0.
        row: the row of the game in ``past``.
        ply: plies since the start of the game; at 0 its past begins anew.
    """
    if past is None:
        return 0
    keys, seen = past.keys[row], past.seen[row]
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
def is_drawn(game, state, past, row, ply, scratch, times):
    """Return whether a game is drawn by repetition.

    Args:
        game: the game.
        state: the position, which is in ``past``.
        past: a `Past`, or None for a game without repetitions, which is never drawn by one.
        row: the row of the game in ``past``.
        ply: plies since the start of the game.
        scratch: a `Scratch`.
        times: how often the position has stood on the board.
    """
    if past is None:
        return False
    return not past.forbids and (
        times >= past.limit or _can_be_announced(game, state, past, past.announced, row, ply, scratch)
    )


@helper
def _can_be_announced(game, state, past, announced, row, ply, scratch):
    """Return whether a legal action draws the game, in a game in which it is enough to announce that."""
    if announced is None:
        return False
    keys, seen = past.keys[row], past.seen[row]
    for i in range(game.keys_after(state, scratch.actions, scratch.keys, scratch.states)):
        key = scratch.keys[i]
        if _may_be_there(seen, key) and _times(keys, ply + 1, key) >= past.limit - 1:
            return True
    return False


@helper(forceinline=True)
def mark(past, planes, times):
    """Show in ``planes`` [cells, channels] whether the position has been on the board before."""
    if past is not None:
        _mark(past.channel, planes, times)


@helper
def _mark(channel, planes, times):
    if channel is not None:
        for cell in range(planes.shape[0]):
            planes[cell, channel] = times > 1


@helper(forceinline=True)
def mark_newest(past, observations, row, ply):
    """Show in ``observations[row]`` what `mark` shows, of the latest position that was entered into a past."""
    if past is not None:
        _mark_newest(past, past.channel, observations, row, ply)


@helper
def _mark_newest(past, channel, observations, row, ply):
    if channel is not None:
        keys, planes = past.keys[row], observations[row].reshape(-1, observations.shape[-1])
        _mark(channel, planes, _times(keys, ply + 1, keys[ply % keys.size]))


@helper(forceinline=True)
def write_mask(game, state, over, past, row, ply, scratch, mask):
    """Write what the player to move may play: the legal actions, but for those that superko forbids.

    Args:
        game: the game.
        state: the position, which is in ``past``.
        over: whether the game has ended; the mask is then what ``legal_actions`` says.
        past: a `Past`, or None for a game without repetitions.
        row: the row of the game in ``past``.
        ply: plies since the start of the game.
        scratch: a `Scratch`.
        mask: [num_actions] is set to 0 or 1.
    """
    actions = scratch.actions
    for action in range(mask.size):
        mask[action] = 0
    if past is not None and past.forbids and not over:
        keys, seen, after = past.keys[row], past.seen[row], scratch.keys
        for i in range(game.keys_after(state, actions, after, scratch.states)):
            action, key = actions[i], after[i]
            if past.exempt[action] or not _may_be_there(seen, key) or _times(keys, ply + 1, key) < past.limit - 1:
                mask[action] = 1
    else:
        for i in range(game.legal_actions(state, actions)):
            mask[actions[i]] = 1
