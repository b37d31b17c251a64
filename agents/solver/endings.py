"""Endings of games with a count of quiet plies, checkers and chess: solved without it, and then checked against it.

With the count in its state, each position exists as often as there are counts (80 times in checkers, 100 in chess), and
no state comes again. Without the count it exists once, positions come again, and retrograde analysis takes a fiftieth
of the memory. The values that it finds hold under the rule wherever the count leaves enough time:

- The rule adds draws and nothing else. So a draw without the rule is a draw with it.
- A win in d plies without the rule is one with it if d and the plies counted so far are together at most
  ``max_quiet_plies``. (A move that wins does so even as the last that the rule allows.) The loser cannot be made to
  lose sooner, for he has the same moves.
- A longer win stays a win if captures and moves of men or pawns restart the count in time, in all lines in which the
  winner plays moves to his soonest end. `count_needed` finds how many plies the count must leave for that.

Where the count leaves fewer plies, the winner has to choose other moves, or cannot win. Such a position is solved with
the count, which takes more memory. A draw has no distance here: it may end at once, or go on until the count or a
repetition ends it.

Endings of chess without pawns are kept once for all eight images of the board, and others without castling rights for
both: see `plyground.envs.games.chess.endings`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State, checkers, chess
from ...envs.definition.identity import has_rules_of
from ...envs.games.checkers import is_blocked
from ...envs.games.chess.endings import image_key, is_over
from ...envs.jit import bind, kernel
from ..clock import run_with_stop
from .exhaustive import AllPositions
from .solving import BYTES, DONE, FEWEST, FREE, Table, look_up, move_entries, new_table, slot_of

__all__ = ["Endings", "count_needed", "has_count", "without_count"]

_NEVER = 1 << 20  # more plies than any count leaves


def has_count(game: Game) -> bool:
    """Return whether ``game`` is checkers by its rules, or chess but for ``classic``, where the rule differs."""
    return has_rules_of(game, checkers) or (has_rules_of(game, chess) and not game.parameters["classic"])


def without_count(game: Game) -> Game:
    """Return the game without the rule of quiet plies: positions are the same whatever the count."""
    if game.name == "chess":
        return game.replace(is_terminal=is_over, key=game.repetition_key, canonical_key=image_key)
    return game.replace(is_terminal=is_blocked, key=game.repetition_key)


class Lines(NamedTuple):
    """What `count_needed` works with."""

    states: NDArray[np.void]  # [plies] the states of the line that is looked at
    moves: NDArray[np.int32]  # [plies, actions] the legal moves of each state
    needed: Table  # the plies needed that are known so far; a mark is `DONE` plus the plies
    counts: NDArray[np.int64]  # [3] positions in ``needed``, max_quiet_plies, and whether to give up


@kernel
def count_needed(game, table, lines, ply):
    """Return how many plies the count must leave in a won position for the win to come in time.

    The winner plays only moves to his soonest end, the loser any move. A result above the limit says that such moves do
    not secure the win at any count; -1 says that the table is full, or that it was told to give up.

    Args:
        game: the game without the count.
        table: the values without the count, of all positions that can follow.
        lines: scratch arrays, and what was found before. The position is ``lines.states[ply]``.
        ply: the ply of the position in the line, an int64.
    """
    state = lines.states[ply]
    if game.is_terminal(state):
        return np.int64(0)
    slot = slot_of(lines.needed, game.key(state))
    if lines.needed.marks[slot] != FREE:
        return np.int64(lines.needed.marks[slot] - DONE)
    value, distance = look_up(game, state, table)
    winning = (value > 0) == (game.player(state) == 0)
    plies = np.int64(_NEVER if winning else 1)
    for i in range(game.legal_actions(state, lines.moves[ply])):
        lines.states[ply + 1] = state
        child = lines.states[ply + 1]
        child.quiet = 0
        game.play(child, lines.moves[ply, i])
        is_counted = child.quiet != 0
        if winning:
            reached, left = look_up(game, child, table)
            if reached != value or left != distance - 1:
                continue
        after = count_needed(game, table, lines, np.int64(ply + 1))
        if after < 0:
            return after
        if is_counted:
            after = min(after + 1, np.int64(_NEVER))
        else:  # the count starts anew, and must be below the limit before
            after = np.int64(1 if after <= lines.counts[1] else _NEVER)
        plies = min(plies, after) if winning else max(plies, after)
    if lines.counts[2] != 0 or lines.counts[0] >= lines.needed.keys.size // 4 * 3:
        return np.int64(-1)
    slot = slot_of(lines.needed, game.key(state))
    lines.needed.keys[slot], lines.needed.marks[slot] = game.key(state), DONE + np.int32(plies)
    lines.counts[0] += 1
    return plies


class Endings:
    """Values of endings, under the rules of the game as it is.

    Args:
        game: checkers or chess, see `has_count`.
        table_mb: megabytes for all values, and for finding them.

    Attributes:
        on_progress: called ten times a second with the positions visited, and the megabytes in use.
    """

    def __init__(self, game: Game, table_mb: float) -> None:
        self.on_progress: Callable[[int, float], object] | None = None
        self._limit = game.parameters["max_quiet_plies"]
        self._table_mb = table_mb
        self._free = AllPositions(without_count(game), table_mb, cyclic=True)
        self._counted = AllPositions(game, table_mb)
        self._free.on_progress = self._counted.on_progress = self._tell
        self._needed = new_table(FEWEST)
        self._counts = np.array([0, self._limit, 0], np.int64)

    def _tell(self, positions: int, megabytes: float) -> None:
        if self.on_progress is not None:
            self.on_progress(positions, megabytes)

    @property
    def nodes(self) -> int:
        """Positions visited."""
        return self._free.nodes + self._counted.nodes

    def longest(self) -> int:
        """Return the plies of the longest win without the count, among the positions that are known; 0 for none."""
        return self._free.longest()

    def compile(self) -> None:
        """Compile what every search needs; what only the count asks for is compiled when it does."""
        self._free.compile()
        bind(look_up, self._counted.game, self._counted.game.new_state(), self._counted.table)

    def clear(self) -> None:
        """Forget what was found."""
        self._free.clear()
        self._counted.clear()
        self._forget_needed()

    def value(self, state: State) -> tuple[float, int | None]:
        """Return the value for the player to move, and the distance to the end; None for a draw.

        Raises:
            MemoryError: more than ``table_mb`` would be needed; values known so far are given up.
        """
        found = self._counted.known(state)
        if found is None:
            found = self._value_without_count(state)
        if found is None:
            found = self._value_with_count(state)
        value, distance = found
        return value, distance if value != 0 else None

    def holds_out(self, state: State, plies: int) -> bool:
        """Return whether it is known without the count that the player to move does not lose within so many plies.

        The count only delays a loss, or draws the game. So no values with it, which take more memory, need be found.
        """
        try:
            _, value, distance = self._uncounted(state)
        except MemoryError:
            return False
        return value >= 0 or distance is None or distance > plies

    def _uncounted(self, state: State) -> tuple[State, float, int | None]:
        """Return the state with its count at 0, and its value and distance where nothing is counted.

        Raises:
            MemoryError: they take too much.
        """
        self._free.taken_mb = self._counted.megabytes + self._needed_mb
        bare = state.copy()
        bare.quiet = 0
        return bare, *self._free.value(bare)

    def _value_without_count(self, state: State) -> tuple[float, int | None] | None:
        """Return the value and the distance, or None where the count may change them or memory is not enough."""
        try:
            bare, value, distance = self._uncounted(state)
        except MemoryError:
            if self._counted.table.keys.size + self._needed.keys.size > 2 * FEWEST:  # they take memory, too
                self._counted.clear()
                self._forget_needed()
                return self._value_without_count(state)
            return None  # near the limit of the count, few positions can follow
        left = self._limit - int(state.quiet)
        if distance is None or value == 0 or distance <= left or self._count_needed(bare, distance) <= left:
            return value, distance
        return None

    def _value_with_count(self, state: State) -> tuple[float, int | None]:
        self._counted.taken_mb = self._free.megabytes + self._needed_mb
        try:
            return self._counted.value(state)
        except MemoryError:
            if self._free.table.keys.size + self._needed.keys.size <= 2 * FEWEST:
                raise
            self._free.clear()
            self._forget_needed()
            return self._value_with_count(state)

    def _forget_needed(self) -> None:
        self._needed = new_table(FEWEST)
        self._counts[0] = 0

    @property
    def _needed_mb(self) -> float:
        return self._needed.keys.size * BYTES / 2**20

    def _count_needed(self, bare: State, distance: int) -> int:
        states = np.zeros(distance + 1, self._free.game.dtype)
        moves = np.zeros((distance + 1, self._free.game.num_actions), np.int32)
        states[0] = bare
        while True:
            lines = Lines(states, moves, self._needed, self._counts)
            arguments: Any = (self._free.game, self._free.table, lines, np.int64(0))
            bind(count_needed, *arguments)  # here, not in the thread
            plies = run_with_stop(
                partial(count_needed, *arguments),
                self._counts[2:],
                tell=lambda: self._tell(self.nodes, self._free.megabytes),
            )
            if plies >= 0:
                return int(plies)
            if self._free.megabytes + self._counted.megabytes + 3 * self._needed_mb > self._table_mb:
                return _NEVER
            larger = new_table(2 * self._needed.keys.size)
            move_entries(self._needed, larger)
            self._needed = larger
