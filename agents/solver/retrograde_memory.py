"""Retrograde analysis within a limit of memory: the arrays, which grow as far as that allows, and the steps.

The kernels, and what they find, are in `plyground.agents.solver.retrograde`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.jit import bind
from ..clock import run_with_stop
from .retrograde import (
    ENDS,
    LISTED,
    MOVES,
    STATES,
    TABLE,
    Backwards,
    Graph,
    list_moves,
    settle,
    turn_round,
    write_values,
)
from .solving import BYTES, FEWEST, Table, move_entries, new_table

__all__ = ["TooLargeError", "compile_backwards", "solve_backwards"]

Tell = Callable[[int, float], object]

_MOST = 1 << 31  # slots: positions are numbered by 32 bits
_GROWTH = (2.0, 1.25)  # factors by which an array grows; the second where the first does not fit
_LISTING, _SETTLING = 5, 24  # bytes that a position takes once it is listed, and while its value is found


def _tell_nobody(positions: int, megabytes: float) -> None: ...


class TooLargeError(MemoryError):
    """The memory that an analysis may take is not enough.

    Args:
        positions: the number of positions found so far.
    """

    def __init__(self, positions: int) -> None:
        super().__init__(positions)  # by which it is made again in another process
        self.positions = positions

    def __str__(self) -> str:
        return f"there is not enough memory to go on after {self.positions:,} positions"


def compile_backwards(game: Game) -> None:
    """Compile what an analysis of this game calls."""
    work = _Work(game, game.new_state(), np.inf)
    graph, places, values = work.graph, np.zeros(1, np.int64), np.zeros(1)
    numbers: NDArray[np.int32] = np.zeros(1, np.int32)
    back = Backwards(places, numbers, values, numbers, numbers)
    bind(list_moves, game, work.table, graph, np.zeros(game.num_actions, np.int32))
    bind(turn_round, graph, places, numbers)
    bind(settle, graph, back, places)
    bind(write_values, work.table, back)


def solve_backwards(game: Game, state: State, most_bytes: float, tell: Tell = _tell_nobody) -> tuple[Table, int]:
    """Solve an unfinished state and all positions that play can reach from it.

    Args:
        game: the game; play without end is worth 0 in it.
        state: the unfinished state.
        most_bytes: bytes that all arrays together may take.
        tell: called ten times a second with the positions found, and the megabytes in use.

    Returns:
        A table of all these positions, as `plyground.agents.solver.solving.look_up` reads it, and their number.

    Raises:
        TooLargeError: more memory would be needed. It is not taken first.
        KeyboardInterrupt: after Ctrl-C.
    """
    work = _Work(game, state, most_bytes, tell)
    work.list_all()
    work.settle()
    return work.table, int(work.graph.counts[0])


class _Work:
    """The arrays of one analysis, which grow as far as memory allows."""

    def __init__(self, game: Game, state: State, most_bytes: float, tell: Tell = _tell_nobody) -> None:
        self.game, self.most_bytes, self._told = game, most_bytes, tell
        room = 2 * game.num_actions + 2
        slots = FEWEST
        while slots // 4 * 3 < room:
            slots *= 2
        positions = slots // 4 * 3
        if slots * BYTES + positions * _LISTING + room * (2 * game.dtype.itemsize + 4 + 8) > most_bytes:
            raise TooLargeError(0)
        self.table = new_table(slots)
        self.graph = Graph(
            players=np.zeros(positions, np.int8),
            open=np.zeros(positions, np.int32),
            targets=np.zeros(room, np.int32),
            ends=np.zeros(room),
            states=np.zeros(2 * room, game.dtype),
            counts=np.zeros(6, np.int64),
        )
        self.graph.states[0] = state

    def list_all(self) -> None:
        """List the positions and their moves."""
        actions = np.zeros(self.game.num_actions, np.int32)
        grow = {
            TABLE: self._grow_table,
            STATES: self._grow_states,
            MOVES: self._grow_targets,
            ENDS: self._grow_ends,
        }
        while (end := self._run(lambda: list_moves(self.game, self.table, self.graph, actions))) != LISTED:
            grow[end]()
        self.graph = self.graph._replace(states=np.zeros(0, self.game.dtype))

    def settle(self) -> None:
        """Find the values of all positions, and write them into the table."""
        graph = self.graph
        positions, _, moves, ends = graph.counts[:4].tolist()
        nodes = positions + ends
        self._check(nodes * _SETTLING + 4 * moves)
        starts, parents = np.zeros(nodes + 2, np.int64), np.zeros(moves, np.int32)
        self._run(lambda: turn_round(graph, starts, parents))
        self.graph = graph = graph._replace(targets=np.zeros(0, np.int32))
        back = Backwards(starts, parents, np.zeros(nodes), np.zeros(nodes, np.int32), np.zeros(nodes, np.int32))
        order = np.argsort(-np.abs(graph.ends[:ends]), kind="stable")
        self._run(lambda: settle(graph, back, order))
        self._run(lambda: write_values(self.table, back))

    def _run(self, function: Callable[[], Any]) -> Any:
        return run_with_stop(function, self.graph.counts[5:], tell=self._tell)

    def _tell(self) -> None:
        self._told(int(self.graph.counts[0]), self._bytes() / 2**20)

    def _bytes(self) -> int:
        return sum(array.nbytes for array in (*self.table, *self.graph))

    def _check(self, more: float) -> None:
        """Raise `TooLargeError` if ``more`` bytes do not fit."""
        if self._bytes() + more > self.most_bytes:
            raise TooLargeError(int(self.graph.counts[0]))

    def _larger(self, array: NDArray[Any], begin: int = 0, end: int | None = None) -> NDArray[Any]:
        """Return a larger array with ``array[begin:end]`` at its head."""
        kept = array[begin:end]
        sizes = [int(factor * kept.size) + 2 * self.game.num_actions + 2 for factor in _GROWTH]
        size = sizes[0] if self._bytes() + sizes[0] * array.itemsize <= self.most_bytes else sizes[1]
        self._check(size * array.itemsize)
        new = np.zeros(size, array.dtype)
        new[: kept.size] = kept
        return new

    def _grow_table(self) -> None:
        slots = 2 * self.table.keys.size
        positions = slots // 4 * 3
        self._check(np.inf if slots > _MOST else slots * BYTES + positions * _LISTING)
        table = new_table(slots)
        self._run(lambda: move_entries(self.table, table))
        players, count = np.zeros(positions, np.int8), np.zeros(positions, np.int32)
        players[: self.graph.players.size] = self.graph.players
        count[: self.graph.open.size] = self.graph.open
        self.table, self.graph = table, self.graph._replace(players=players, open=count)

    def _grow_states(self) -> None:
        # States whose moves are listed are no longer needed.
        counts, graph = self.graph.counts, self.graph
        begin, end = int(counts[1] - counts[4]), int(counts[0] - counts[4])
        self.graph = graph._replace(states=self._larger(graph.states, begin, end))
        counts[4] = counts[1]

    def _grow_targets(self) -> None:
        self.graph = self.graph._replace(targets=self._larger(self.graph.targets))

    def _grow_ends(self) -> None:
        self.graph = self.graph._replace(ends=self._larger(self.graph.ends))
