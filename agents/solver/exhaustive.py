"""The values of all positions that can follow a state: forwards as long as none comes again, else backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ...envs import Game, State
from ...envs.jit import bind
from ..clock import run_with_stop
from ..compiling import compiling
from .retrograde_memory import TooLargeError, compile_backwards, solve_backwards
from .sampling import fewest_positions
from .solving import (
    BYTES,
    CYCLE,
    DONE,
    ENDLESS,
    FEWEST,
    FULL,
    MOST,
    SOLVED,
    Table,
    look_up,
    move_entries,
    new_line,
    new_table,
    search,
)

__all__ = ["AllPositions", "Engine", "TooManyError"]

_FILLED = 0.75  # the share of a table's slots that is filled at most
_USED = 0.8  # the share of the memory that the last table has at least
_SHORT = 100_000  # positions to visit in the main thread, where nothing can interrupt the search
_LONGEST = 20_000  # plies of the longest line
_MANY = 1 << 18  # positions, after which it is estimated how many there are


class TooManyError(MemoryError):
    """There are more positions than memory has room for, in a game in which none comes again.

    Args:
        spec: the spec of the game.
        table_mb: the limit of the memory, in megabytes.
        kept: positions that were kept.
        fewest: positions that there are at least, as far as is known.
    """

    def __init__(self, spec: str, table_mb: float, kept: int, fewest: int = 0) -> None:
        super().__init__(spec, table_mb, kept, fewest)  # by which it is made again in another process
        self.spec, self.table_mb, self.kept, self.fewest = spec, table_mb, kept, fewest

    def __str__(self) -> str:
        return self.text()

    def text(self, tried: str = "") -> str:
        """Return what is wrong in a sentence, with what else was ``tried``."""
        more = "and more memory is needed to go on"
        if self.fewest > self.kept:
            megabytes = self.fewest / _FILLED * BYTES / _USED / 2**20
            more = f"and there are about {self.fewest:,} or more, for which it takes table_mb={megabytes:,.0f} or more"
        return (
            f"{self.spec} is too large to solve with table_mb={self.table_mb:g}: {self.kept:,} positions were found, "
            f"{more}{tried}; give more memory, or a position nearer to the end"
        )


class Engine(Protocol):
    """Values of unfinished states.

    ``on_progress``, if it is set, is called ten times a second with the positions visited, and the megabytes in use.
    """

    on_progress: Callable[[int, float], object] | None

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

    Attributes:
        on_progress: called ten times a second with the positions visited, and the megabytes in use.
    """

    def __init__(self, game: Game, table_mb: float, *, cyclic: bool = False) -> None:
        self.game, self.table_mb = game, table_mb
        self.nodes = 0
        self.taken_mb = 0.0  # megabytes of ``table_mb`` that the caller uses for something else
        self.on_progress: Callable[[int, float], object] | None = None
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
        self.table = new_table(FEWEST)
        self._line.counts[2] = 0

    @property
    def megabytes(self) -> float:
        """Megabytes that the table takes."""
        return self.table.keys.size * BYTES / 2**20

    def longest(self) -> int:
        """Return the plies of the longest win, of either player, among the positions that are known; 0 for none."""
        marks = self.table.marks[(self.table.marks >= DONE) & (self.table.values != 0)]
        return int(marks.max(initial=DONE)) - DONE

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
        return MemoryError(TooManyError(self.game.spec, self.table_mb, positions).text())

    # -- forwards ------------------------------------------------------------------------------------------------------

    def _search_forwards(self, state: State) -> bool:
        """Solve the state, and return whether no position came again."""
        self._line.states[0] = state
        counts = self._line.counts
        counts[0], counts[1], counts[3] = 0, _SHORT, 0
        known = int(counts[2])  # positions solved for other states: given up where memory is short
        self._fewest = 0  # positions that can follow, at least; 0: not estimated
        try:
            while (end := self._search()) != SOLVED:
                if end == CYCLE:
                    self.clear()
                    return False
                if end == FULL:
                    is_hopeless = self._is_hopeless(state)
                    if not is_hopeless and (slots := self._larger()):
                        self._move(slots)
                        continue
                    kept = int(counts[2])
                    self.clear()
                    if known == 0 or is_hopeless:
                        raise TooManyError(self.game.spec, self.table_mb, kept, self._estimated(state))
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
        return run_with_stop(lambda: search(self.game, self.table, self._line), counts[3:], tell=self._tell)

    def _tell(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self.nodes + int(self._line.counts[0]), self.megabytes)

    def _larger(self) -> int:
        """Return the slots of a larger table that fits into memory beside this one, or 0.

        A small table is doubled. The last one takes all that a table of a tenth or fifth of the memory leaves.
        """
        slots, most = self.table.keys.size, int(min(self._limit * 2**20 / BYTES, MOST))
        larger = 2 * slots if 10 * slots <= most else most - slots
        return larger if 4 * larger >= 5 * slots else 0

    @property
    def _room(self) -> float:
        """Positions that fit into the largest table."""
        return self._limit * 2**20 / BYTES * _FILLED

    def _is_hopeless(self, state: State) -> bool:
        """Return whether at least twice as many positions can follow as there is room for."""
        return self._line.counts[2] > _MANY and self._estimated(state) > 2 * self._room

    def _estimated(self, state: State) -> int:
        """Return how many positions can follow the state, at least."""
        if self._fewest == 0:
            self._fewest = fewest_positions(self.game, state)
        return self._fewest

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
            table, positions = solve_backwards(self.game, state, self._bytes_left(), self._tell_backwards)
        except TooLargeError as error:
            if self._line.counts[2] == 0:
                raise self._too_large(error.positions) from None
            self.clear()  # positions solved for other states take memory, too
            self._search_backwards(state)
            return
        self.nodes += positions
        self._add(table, positions)

    def _tell_backwards(self, positions: int, megabytes: float) -> None:
        if self.on_progress is not None:
            self.on_progress(self.nodes + positions, self.megabytes + megabytes)

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
