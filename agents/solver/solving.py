"""The kernels of the generic solver: every position that play can reach, depth first, each once.

The table keeps, for each position by its key, the value for player 0 and the distance to the end. The search is a loop
over a line of states, so that its depth is bounded by memory only. A position that is met again while it is still on
the line is a cycle, of which this search can say nothing: it stops, and `retrograde` takes over.

Distances: with a win in hand a player ends the game as soon as possible; otherwise as late as possible, of moves that
are worth the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.jit import helper, kernel

__all__ = [
    "BYTES",
    "CYCLE",
    "DONE",
    "ENDLESS",
    "FEWEST",
    "FREE",
    "FULL",
    "MOST",
    "SOLVED",
    "STOPPED",
    "Line",
    "Table",
    "look_up",
    "move_entries",
    "new_line",
    "new_table",
    "search",
    "slot_of",
]

SOLVED, FULL, STOPPED, CYCLE = range(4)  # how a search ended
BYTES = 20  # bytes that a slot of the table takes
FEWEST = 1 << 12  # slots of a new table that is to grow
MOST = (1 << 32) - 1  # slots of a table
FREE, _OPEN, DONE = 0, 1, 2  # marks; `DONE` plus the distance is that of a solved position
ENDLESS = 1 << 30  # the distance to the end where play goes on for ever

_SCRAMBLE, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_ONE = np.uint64(1)


class Table(NamedTuple):
    """Positions and their values: a hash table with linear probing."""

    keys: NDArray[np.uint64]  # [slots]
    values: NDArray[np.float64]  # [slots] the values for player 0
    marks: NDArray[np.int32]  # [slots] free, open, or `DONE` plus the distance to the end


class Line(NamedTuple):
    """The line of play being searched."""

    states: NDArray[Any]  # [plies] the positions of the line
    moves: NDArray[np.int32]  # [plies, actions] the legal moves of each position
    places: NDArray[np.int64]  # [plies, 3] slot of the position, number of moves, number of moves tried
    best: NDArray[np.float64]  # [plies, 2] value for player 0 and distance of the best move so far
    counts: NDArray[np.int64]  # [4] positions visited, positions to visit at most, positions kept, whether to give up


def new_table(slots: int) -> Table:
    """Return an empty table of ``slots`` slots, `MOST` at most."""
    return Table(np.zeros(slots, np.uint64), np.zeros(slots), np.zeros(slots, np.int32))


def new_line(game: Game, plies: int) -> Line:
    """Allocate a line of ``plies`` plies."""
    return Line(
        np.zeros(plies, game.dtype),
        np.zeros((plies, game.num_actions), np.int32),
        np.zeros((plies, 3), np.int64),
        np.zeros((plies, 2)),
        np.zeros(4, np.int64),
    )


@helper
def slot_of(table: Any, key: Any) -> Any:
    """Return the slot that holds ``key``, or the free slot where it belongs."""
    slots = np.uint64(table.keys.size)
    slot = (((key * _SCRAMBLE) >> _SHIFT) * slots) >> _SHIFT  # from 0 to slots - 1, whatever their number
    while table.marks[slot] != FREE and table.keys[slot] != key:
        slot += _ONE
        if slot == slots:
            slot = np.uint64(0)
    return np.int64(slot)


@kernel
def look_up(game, state, table):
    """Return the value for player 0 and the distance to the end of a solved or finished state.

    The distance is `ENDLESS` for a draw by play without end, and -1 if the state is not solved.
    """
    if game.is_terminal(state):
        return game.utility(state, 0), 0
    slot = slot_of(table, game.canonical_key(state))
    return table.values[slot], table.marks[slot] - DONE if table.marks[slot] >= DONE else -1


@kernel
def move_entries(old, table):
    """Copy the solved positions of ``old`` into ``table``, which has room, and return how many are new there."""
    count = 0
    for i in range(old.keys.size):
        if old.marks[i] >= DONE:
            slot = slot_of(table, old.keys[i])
            count += table.marks[slot] == FREE
            table.keys[slot], table.values[slot], table.marks[slot] = old.keys[i], old.values[i], old.marks[i]
    return count


@helper
def _is_better(sign: Any, value: Any, distance: Any, best: Any, best_distance: Any) -> bool:
    """Return whether a move is worth more, or ends the game at a better time, for the player of this sign."""
    if value != best:
        return sign * (value - best) > 0
    return distance < best_distance if sign * value > 0 else distance > best_distance


@kernel
def search(game, table, line):
    """Solve the unfinished state ``line.states[0]`` and all that can follow, and return how that ended.

    A search that did not end as `SOLVED` can be taken up again, once `move_entries` has left the open positions behind.
    """
    counts = line.counts
    most = table.keys.size // 4 * 3
    ply = 0
    enter = True
    while True:
        if enter:
            # Step 1. Enter a position that is neither finished nor in the table.
            if counts[2] >= most:
                return FULL
            if counts[0] >= counts[1] or counts[3] != 0:
                return STOPPED
            state = line.states[ply]
            key = game.canonical_key(state)
            slot = slot_of(table, key)
            if table.marks[slot] >= DONE:
                return SOLVED  # the first position was known
            table.keys[slot], table.marks[slot] = key, _OPEN
            counts[0] += 1
            counts[2] += 1
            line.places[ply, 0] = slot
            line.places[ply, 1] = game.legal_actions(state, line.moves[ply])
            line.places[ply, 2] = 0
            enter = False

        state = line.states[ply]
        sign = 1.0 - 2.0 * game.player(state)
        tried = line.places[ply, 2]
        if tried < line.places[ply, 1]:
            # Step 2. Look at the next move: it leads to the end, to a known position, or to one to enter.
            line.states[ply + 1] = state
            child = line.states[ply + 1]
            game.play(child, line.moves[ply, tried])
            if game.is_terminal(child):
                value, distance = game.utility(child, 0), 0
            else:
                slot = slot_of(table, game.canonical_key(child))
                if table.marks[slot] == _OPEN:
                    return CYCLE
                if table.marks[slot] == FREE:
                    if ply + 2 >= line.states.size:
                        return CYCLE  # no game is so long
                    ply += 1
                    enter = True
                    continue
                value, distance = table.values[slot], table.marks[slot] - DONE
            distance += 1
            if tried == 0 or _is_better(sign, value, distance, line.best[ply, 0], line.best[ply, 1]):
                line.best[ply, 0], line.best[ply, 1] = value, distance
            line.places[ply, 2] = tried + 1
            continue

        # Step 3. All moves are known, and so is the position. The one before it looks at it again, in the table.
        slot = line.places[ply, 0]
        table.values[slot] = line.best[ply, 0]
        table.marks[slot] = DONE + np.int32(line.best[ply, 1])
        if ply == 0:
            return SOLVED
        ply -= 1
