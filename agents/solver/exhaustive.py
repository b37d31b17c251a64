"""The values of all positions that can follow a state: forwards as long as none comes again, else backwards."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ...envs import Game, State
from ...envs.jit import bind
from ..clock import run_with_stop
from ..compiling import compiling
from .retrograde_memory import TooLargeError, compile_backwards, solve_backwards
from .solving import BYTES, CYCLE, ENDLESS, FULL, SOLVED, Table, look_up, move_entries, new_line, new_table, search

__all__ = ["AllPositions", "Engine"]

_FEWEST = 1 << 12  # slots of a new table
_SHORT = 100_000  # positions to visit in the main thread, where nothing can interrupt the search
_LONGEST = 20_000  # plies of the longest line


class Engine(Protocol):
    """Values of unfinished states."""

    @property
    def nodes(self) -> int:
        """Positions visited until now."""
        ...

    def compile(self) -> None:
        """Compile what the search needs."""
        ...

    def value(self, state: State) -> tuple[float, int | None]:
        """Return the value for the player to move, and the distance to the end, None for a draw without end."""
        ...

    def clear(self) -> None:
        """Forget what was found."""
        ...


class AllPositions:
    """The values of all positions that can follow those that were asked for, by `Game.canonical_key`.

    Args:
        game: the game.
        table_mb: megabytes for the table, and for the work of filling it.
        cyclic: whether to begin with retrograde analysis. If not, it takes over at the first cycle.
    """

    def __init__(self, game: Game, table_mb: float, *, cyclic: bool = False) -> None:
        self.game, self.table_mb = game, table_mb
        self.nodes = 0
        self.taken_mb = 0.0  # megabytes of ``table_mb`` that the caller uses for something else
        self._cyclic = cyclic
        self._line = new_line(game, 1 if cyclic else min(game.max_plies, _LONGEST) + 2)
        self.clear()

    def compile(self) -> None:
        """Compile what the search needs; retrograde analysis only where it comes first."""
        state = self.game.new_state()
        bind(look_up, self.game, state, self.table)
        if self._cyclic:
            compile_backwards(self.game)
        else:
            bind(search, self.game, self.table, self._line)
            bind(move_entries, self.table, self.table)

    def clear(self) -> None:
        """Forget what was found."""
        self.table = new_table(_FEWEST)
        self._line.counts[2] = 0

    @property
    def megabytes(self) -> float:
        """Megabytes that the table takes."""
        return self.table.keys.size * BYTES / 2**20

    @property
    def _limit(self) -> float:
        return self.table_mb - self.taken_mb

    def known(self, state: State) -> tuple[float, int | None] | None:
        """Return what `value` returns, if it is known already, else None."""
        value, distance = look_up(self.game, state, self.table)
        if distance < 0:
            return None
        value = float(0.0 - value if self.game.player(state) else value)
        return value, None if distance == ENDLESS else int(distance)

    def value(self, state: State) -> tuple[float, int | None]:
        """Return the value for the player to move, and the distance to the end, None for a draw without end.

        Raises:
            MemoryError: more than ``table_mb`` would be needed; values known so far are given up.
        """
        found = self.known(state)
        if found is None:
            if self._cyclic or not self._search_forwards(state):
                self._cyclic = True
                self._search_backwards(state)
            found = self.known(state)
            assert found is not None
        return found

    def _too_large(self, positions: int) -> MemoryError:
        return MemoryError(
            f"{self.game.spec} is too large to solve with table_mb={self.table_mb:g}: {positions} positions are kept, "
            "and more memory is needed to go on; give more memory, or a position nearer to the end"
        )

    # -- forwards ------------------------------------------------------------------------------------------------------

    def _search_forwards(self, state: State) -> bool:
        """Solve the state, and return whether no position came again."""
        self._line.states[0] = state
        counts = self._line.counts
        counts[0], counts[1], counts[3] = 0, _SHORT, 0
        known = int(counts[2])  # positions solved for other states: given up where memory is short
        try:
            while (end := self._search()) != SOLVED:
                if end == CYCLE:
                    self.clear()
                    return False
                if end == FULL and self._may_grow():
                    self._move(2 * self.table.keys.size)
                elif end == FULL:
                    kept = int(counts[2])
                    self.clear()
                    if known == 0:
                        raise self._too_large(kept)
                    known = 0
                else:  # a short search was not enough
                    self._forget_open()
                    counts[1] = np.iinfo(np.int64).max
        except BaseException:
            self._forget_open()
            raise
        finally:
            self.nodes += int(counts[0])
        return True

    def _search(self) -> int:
        counts = self._line.counts
        if counts[1] == _SHORT:
            return search(self.game, self.table, self._line)
        return run_with_stop(lambda: search(self.game, self.table, self._line), counts[3:])

    def _may_grow(self) -> bool:
        """Return whether the table and one of twice its size fit into memory together."""
        return 3 * self.megabytes <= self._limit

    def _move(self, slots: int) -> None:
        """Move the solved positions into a new table of ``slots``, and drop positions that were left open."""
        table = new_table(slots)
        self._line.counts[2] = move_entries(self.table, table)
        self.table = table

    def _forget_open(self) -> None:
        """Drop the positions that were left open; all positions, if there is no memory for two tables."""
        if 2 * self.megabytes <= self._limit:
            self._move(self.table.keys.size)
        else:
            self.clear()

    # -- backwards -----------------------------------------------------------------------------------------------------

    def _search_backwards(self, state: State) -> None:
        with compiling("solver", self.game):
            compile_backwards(self.game)
        try:
            table, positions = solve_backwards(self.game, state, self._bytes_left())
        except TooLargeError as error:
            if self._line.counts[2] == 0:
                raise self._too_large(error.positions) from None
            self.clear()  # positions solved for other states take memory, too
            self._search_backwards(state)
            return
        self.nodes += positions
        self._add(table, positions)

    def _bytes_left(self) -> float:
        return (self._limit - self.megabytes) * 2**20

    def _add(self, table: Table, positions: int) -> None:
        """Add a table of ``positions`` to the own one, which is given up if there is no memory for both."""
        slots = table.keys.size
        while slots // 4 * 3 < positions + self._line.counts[2]:
            slots *= 2
        if slots > table.keys.size:
            if (slots + table.keys.size) * BYTES > self._bytes_left():
                self.clear()
            else:
                found, table = table, new_table(slots)
                move_entries(found, table)
        self._line.counts[2] = positions + move_entries(self.table, table)
        self.table = table
