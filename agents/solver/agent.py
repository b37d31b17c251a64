"""Exact solving: the game-theoretic value of a position, the distance to the end, and the best moves.

Connect Four has a search of its own, in the room `connect_four`. Any other game is solved by visiting every position
that can follow, as far as memory allows: depth first (`solving`), or, where positions come again, by retrograde
analysis (`retrograde`), which is how endings of checkers are solved (`checkers_endings`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ..analysis import Analysis
from ..compiling import Stopwatch
from ..search import DEEPEST, SearchAgent
from .checkers_endings import CheckersEndings, is_checkers
from .connect_four.scores import ConnectFourScores, is_connect_four
from .exhaustive import AllPositions, Engine

__all__ = ["Solution", "Solver"]

_Rating = tuple[float, int | None]  # the value for the player to move, and the plies to the end


@dataclass(frozen=True)
class Solution:
    """What perfect play leads to. Values are from the point of view of the player to move, as the game's utility is.

    With best play the winner hastens and the loser delays; in a draw both delay.

    Attributes:
        value: the value of the state.
        distance: plies to the end of the game; 0 for a finished game; None for a draw that does not end, or, in
            checkers, ends by the count of moves only.
        best_actions: all actions that keep the value, ascending; empty for a finished game.
        fastest_actions: the actions that keep both value and distance, ascending.
        values: the value of each action.
        distances: plies to the end of the game after each action, which counts as one; None as for ``distance``.
        pv: the line of best play, by the first of ``fastest_actions`` at each position, 256 plies at most. It goes on
            to the end of the game, or until a position comes again. In the opening of Connect Four it ends where the
            search of the next position could take minutes.
        nodes: positions visited; 0 if all values were known.
        seconds: wall-clock time that it took.
    """

    value: float
    distance: int | None
    best_actions: tuple[int, ...]
    fastest_actions: tuple[int, ...]
    values: dict[int, float]
    distances: dict[int, int | None]
    pv: tuple[int, ...]
    nodes: int
    seconds: float


class Solver(SearchAgent):
    """Perfect play: the exact value of a position, the distance to the end, and all best moves.

    Connect Four is solved on any board, with an opening book on 7x6. Other games must be small: every position that can
    follow is visited, and kept by `Game.canonical_key`, once for all its mirror images. Where that key is a hash, two
    of n positions share a key with probability n² / 2⁶⁵: 1 in 300,000 for ten million. Positions may come again: play
    without end is a draw. A rule that draws a game by repetition changes no value, since best play to a win comes
    nearer to the end with each ply. Games that forbid repetition (Go) cannot be solved in this way.

    Endings of checkers are solved without the count of quiet plies, and then held against it; see
    `plyground.agents.solver.checkers_endings`.

    Args:
        game: the game, or its name.
        table_mb: megabytes for the values, which are kept until `clear`, and for finding them. Default: 64 in Connect
            Four, where entries replace each other, else 512. A game that needs more is refused.
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
        self._made: Engine | None = None

    @property
    def _engine(self) -> Engine:
        if self._made is None:
            if is_connect_four(self.game):
                self._made = ConnectFourScores(self.game, self.table_mb or 64, self.book)
            elif is_checkers(self.game):
                self._made = CheckersEndings(self.game, self.table_mb or 512)
            else:
                self._made = AllPositions(self.game, self.table_mb or 512)
        return self._made

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: known values stay true, and the search draws no random numbers."""

    def clear(self) -> None:
        """Forget all that was found."""
        if self._made is not None:
            self._made.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_made": None}  # a copy starts with an empty table

    def _compile(self) -> None:
        self._engine.compile()

    def value(self, state: State) -> tuple[float, int | None]:
        """Return the value for the player to move, and the plies to the end of the game with best play.

        The plies are None for a draw that does not end, or, in checkers, ends by the count of moves only.

        Raises:
            ValueError: the state is none of this game.
            MemoryError: more than ``table_mb`` would be needed; values known so far are given up.
        """
        state = self.game.state_check.checked(state)
        self.prepare()
        return self._value(state)

    def _value(self, state: State) -> _Rating:
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
        state = self.game.state_check.checked(state)
        self.prepare()
        nodes = self._engine.nodes
        with Stopwatch() as clock:
            value, distance = self._value(state)
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
                seconds=clock.seconds,
            )

    def _ratings(self, state: State) -> dict[int, _Rating]:
        """Return the value and the distance of each action, for the player to move in ``state``."""
        return {action: self._rating(state, action) for action in self.game.actions(state)}

    def _rating(self, state: State, action: int) -> _Rating:
        child = state.copy()
        self.game.play(child, action)
        value, distance = self._value(child)
        same = self.game.player(child) == self.game.player(state)
        return (value if same else 0.0 - value), None if distance is None else distance + 1

    def _line(self, state: State, fastest: tuple[int, ...]) -> tuple[int, ...]:
        line: list[int] = []
        state, seen = state.copy(), {int(self.game.repetition_key(state))}
        while fastest and len(line) < DEEPEST:
            line.append(fastest[0])
            self.game.play(state, fastest[0])
            value, distance = self._value(state)
            position, fastest = int(self.game.repetition_key(state)), ()
            if distance == 0 or position in seen:
                break
            seen.add(position)
            # One move that keeps value and distance is enough.
            for action in self.game.actions(state) if self._is_soon_solved(state) else ():
                if self._rating(state, action) == (value, distance):
                    fastest = (action,)
                    break
        return tuple(line)

    def _is_soon_solved(self, state: State) -> bool:
        """Return whether the next states are solved soon: a line is not worth minutes in Connect Four's opening."""
        engine = self._engine
        return not isinstance(engine, ConnectFourScores) or engine.is_soon_solved(int(state["ply"]) + 1)

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        nodes = self._engine.nodes
        with Stopwatch() as clock:
            ratings = {action: self._rating(state, action) for action in actions.tolist()}
            best, fastest = _best(ratings)
            value, distance = ratings[fastest[0]]
            line = self._line(state, fastest)
            return Analysis(
                best_action=fastest[0],
                value=value,
                best_actions=best,
                values={action: rating[0] for action, rating in ratings.items()},
                pv=line,
                depth=len(line) if distance is None else distance,
                nodes=self._engine.nodes - nodes,
                leaves=0,
                exact=True,
                seconds=clock.seconds,
            )


def _best(ratings: dict[int, _Rating]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the actions with the best value, and among these the ones that end the game at the best time."""
    if not ratings:
        return (), ()
    value = max(value for value, _ in ratings.values())
    ends = {a: math.inf if end is None else end for a, (other, end) in ratings.items() if other == value}
    distance = min(ends.values()) if value > 0 else max(ends.values())
    return tuple(ends), tuple(action for action, end in ends.items() if end == distance)
