"""Exact solving: the game-theoretic value of a position, the distance to the end, and the best moves.

Connect Four has a search of its own (`plyground.agents.connect_four_kernel`). Any other game is solved by visiting
every position that can follow (`plyground.agents.solving`), as far as memory allows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, State
from .analysis import Analysis
from .clock import run_with_stop
from .connect_four_solver import ConnectFourScores, is_connect_four
from .search import DEEPEST, SearchAgent
from .solving import BYTES, CYCLE, FULL, SOLVED, find, move_entries, new_line, new_table, search

__all__ = ["Solution", "Solver"]

_FEWEST = 1 << 12  # slots of a table to begin with
_SHORT = 100_000  # positions that may be visited in the main thread, where nothing can interrupt it
_LONGEST = 20_000  # plies of a line


@dataclass(frozen=True)
class Solution:
    """What perfect play leads to. Values are from the point of view of the player to move, as the game's utility is.

    With best play the winner hastens and the loser delays; in a draw both delay.

    Attributes:
        value: of the state.
        distance: in how many plies the game ends; 0 for a finished game.
        best_actions: all that keep the value, ascending; none for a finished game.
        fastest_actions: those of them that also keep the distance, ascending.
        values: of each action.
        distances: of each action, in plies to the end, its own included.
        pv: the line of best play, to the end, of the first of ``fastest_actions`` each time.
        nodes: positions visited; 0 if all was known.
        seconds: wall-clock time.
    """

    value: float
    distance: int
    best_actions: tuple[int, ...]
    fastest_actions: tuple[int, ...]
    values: dict[int, float]
    distances: dict[int, int]
    pv: tuple[int, ...]
    nodes: int
    seconds: float


class _Engine(Protocol):
    """Values of unfinished states."""

    nodes: int

    def value(self, state: State) -> tuple[float, int]:
        """Return the value for the player to move, and the distance to the end."""
        ...

    def clear(self) -> None:
        """Forget what was found."""
        ...


class Solver(SearchAgent):
    """Perfect play: the exact value of a position, the distance to the end, and all best moves.

    Connect Four is solved on any board, with an opening book on 7x6. Other games must be small: every position that can
    follow is visited, and kept by `Game.key`. Where that key is a hash, some two of n positions share one with a chance
    of n² / 2⁶⁵, 1 in 300,000 for ten million. Repetition of positions is left out: that a game is drawn by it changes
    no value, since best play to a win comes nearer to the end with each ply. Games in which it is forbidden (Go), or
    whose positions come again, cannot be solved in this way.

    Args:
        game: the game, or its name.
        table_mb: megabytes for the table, kept until `reset`. In Connect Four entries replace each other; in another
            game the table grows up to this, and a game that needs more is refused.
        book: whether to use the opening book of Connect Four.

    Raises:
        ValueError: ``table_mb`` is not above 0, or the game forbids to repeat positions.
    """

    def __init__(self, game: Game | str, table_mb: float | None = None, *, book: bool = True) -> None:
        super().__init__(game)
        if table_mb is not None and not table_mb > 0:
            raise ValueError(f"table_mb must be above 0, got {table_mb!r}")
        if self.game.repetition is not None and self.game.repetition.effect == "forbidden":
            raise ValueError(
                f"{self.game.spec} cannot be solved: it forbids to repeat a position, so that what may be played "
                "depends on more than the position"
            )
        self.table_mb, self.book = table_mb, book
        self._made: _Engine | None = None

    @property
    def _engine(self) -> _Engine:
        if self._made is None:
            if is_connect_four(self.game):
                self._made = ConnectFourScores(self.game, self.table_mb or 64, self.book)
            else:
                self._made = _AllPositions(self.game, self.table_mb or 512)
        return self._made

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: what is known stays true, and there is no chance in the search."""

    def clear(self) -> None:
        """Forget all that was found."""
        if self._made is not None:
            self._made.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_made": None}  # a copy starts with an empty table

    def value(self, state: State) -> tuple[float, int]:
        """Return the value for the player to move, and in how many plies the game ends with best play.

        Raises:
            ValueError: the state is of another game, or has positions that repeat behind it.
            MemoryError: the table would become larger than ``table_mb``; what it held is given up.
        """
        if getattr(state, "dtype", None) != self.game.dtype:
            raise ValueError(f"expected a state of {self.game.spec}, got {state!r}")
        if self.game.is_terminal(state):
            return float(self.game.utility(state, self.game.player(state))), 0
        return self._engine.value(state)

    def optimal_actions(self, state: State) -> tuple[int, ...]:
        """Return all actions that keep the value of the state, ascending; none if the game is over.

        Raises:
            ValueError, MemoryError: as `value` does.
        """
        return self.solve(state).best_actions

    def solve(self, state: State) -> Solution:
        """Return the value of the state and of each action, and best play to the end.

        Raises:
            ValueError, MemoryError: as `value` does.
        """
        start, nodes = time.perf_counter(), self._engine.nodes
        value, distance = self.value(state)
        ratings = {} if distance == 0 else self._ratings(state)
        best, fastest = _best(ratings)
        return Solution(
            value=value,
            distance=distance,
            best_actions=best,
            fastest_actions=fastest,
            values={action: rating[0] for action, rating in ratings.items()},
            distances={action: rating[1] for action, rating in ratings.items()},
            pv=self._line(state, fastest),
            nodes=self._engine.nodes - nodes,
            seconds=time.perf_counter() - start,
        )

    def _ratings(self, state: State) -> dict[int, tuple[float, int]]:
        """Return the value and the distance of each action, for the player to move in ``state``."""
        return {action: self._rating(state, action) for action in self.game.actions(state)}

    def _rating(self, state: State, action: int) -> tuple[float, int]:
        child = state.copy()
        self.game.play(child, action)
        value, distance = self.value(child)
        same = self.game.player(child) == self.game.player(state)
        return (value if same else 0.0 - value), distance + 1

    def _line(self, state: State, fastest: tuple[int, ...]) -> tuple[int, ...]:
        line: list[int] = []
        state = state.copy()
        while fastest and len(line) < DEEPEST:
            line.append(fastest[0])
            self.game.play(state, fastest[0])
            # One move that keeps value and distance is enough.
            value, distance = self.value(state)
            fastest = ()
            for action in self.game.actions(state) if distance else ():
                if self._rating(state, action) == (value, distance):
                    fastest = (action,)
                    break
        return tuple(line)

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start, nodes = time.perf_counter(), self._engine.nodes
        ratings = {action: self._rating(state, action) for action in actions.tolist()}
        best, fastest = _best(ratings)
        value, distance = ratings[fastest[0]]
        return Analysis(
            best_action=fastest[0],
            value=value,
            best_actions=best,
            values={action: rating[0] for action, rating in ratings.items()},
            pv=self._line(state, fastest),
            depth=distance,
            nodes=self._engine.nodes - nodes,
            leaves=0,
            exact=True,
            seconds=time.perf_counter() - start,
        )


def _best(ratings: dict[int, tuple[float, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the actions of the best value, and those of them that end the game at the best time."""
    if not ratings:
        return (), ()
    value = max(value for value, _ in ratings.values())
    best = tuple(action for action, rating in ratings.items() if rating[0] == value)
    choose = min if value > 0 else max
    distance = choose(ratings[action][1] for action in best)
    return best, tuple(action for action in best if ratings[action][1] == distance)


class _AllPositions:
    """The values of all positions that can follow those that were asked for."""

    def __init__(self, game: Game, table_mb: float) -> None:
        self.game, self.table_mb = game, table_mb
        self.nodes = 0
        self._line = new_line(game, min(game.max_plies, _LONGEST) + 2)
        self.clear()

    def clear(self) -> None:
        self._table = new_table(_FEWEST)
        self._line.counts[2] = 0

    def value(self, state: State) -> tuple[float, int]:
        value, distance = find(self.game, state, self._table)
        if distance < 0:
            self._solve(state)
            value, distance = find(self.game, state, self._table)
        return (0.0 - value if self.game.player(state) else float(value)), int(distance)

    def _solve(self, state: State) -> None:
        self._line.states[0] = state
        counts = self._line.counts
        counts[0], counts[1], counts[3] = 0, _SHORT, 0
        known = int(counts[2])  # from other states: given up where memory is short
        try:
            while (end := self._search()) != SOLVED:
                if end == CYCLE:
                    raise ValueError(
                        f"{self.game.spec} cannot be solved from here: positions come again in its games, and the "
                        "solver visits each position once"
                    )
                if end == FULL and self._may_grow():
                    self._move(2 * self._table.keys.size)
                elif end == FULL:
                    kept = int(counts[2])
                    self.clear()
                    if known == 0:
                        raise MemoryError(
                            f"{self.game.spec} is too large to solve with table_mb={self.table_mb:g}: {kept} positions "
                            "are kept, and more can be reached; give more memory, or a position nearer to the end"
                        )
                    known = 0
                else:  # a short search was not enough
                    self._move(self._table.keys.size)
                    counts[1] = np.iinfo(np.int64).max
        except BaseException:
            self._move(self._table.keys.size)
            raise
        finally:
            self.nodes += int(counts[0])

    def _search(self) -> int:
        counts = self._line.counts
        if counts[1] == _SHORT:
            return search(self.game, self._table, self._line)
        return run_with_stop(lambda: search(self.game, self._table, self._line), counts[3:])

    def _may_grow(self) -> bool:
        """Return whether the table and one of twice its size fit into memory together."""
        return 3 * self._table.keys.size * BYTES <= self.table_mb * 2**20

    def _move(self, slots: int) -> None:
        """Make a new table with what is solved, and without positions that were left open."""
        table = new_table(slots)
        self._line.counts[2] = move_entries(self._table, table)
        self._table = table
