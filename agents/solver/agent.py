"""Exact solving: the game-theoretic value of a position, the distance to the end, and the best moves.

Connect Four has a search of its own, in the room `connect_four`. Any other game is solved by visiting every position
that can follow, as far as memory allows: depth first (`solving`), or, where positions come again, by retrograde
analysis (`retrograde`), which is how endings of checkers and chess are solved (`endings`). Where none comes again, and
memory is not enough, alpha-beta looks for a proof (`deepening`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.outside.arguments import checked_flag, is_between, is_positive
from ..analysis import Analysis
from ..compiling import Stopwatch
from ..repetitions import times_of, with_root
from ..search import DEEPEST, SearchAgent, in_turn
from ..settings import Checked, Setting
from .connect_four.scores import ConnectFourScores, is_connect_four
from .deepening import Deepening, Proof, Rating
from .endings import Endings, has_count
from .exhaustive import AllPositions, Engine, TooManyError

__all__ = ["Progress", "Solution", "Solver"]

_TABLE_MB = 512  # megabytes for the values of games other than Connect Four


@dataclass(frozen=True)
class Solution:
    """What perfect play leads to. Values are from the point of view of the player to move, as the game's utility is.

    With best play the winner hastens and the loser delays; in a draw both delay.

    Attributes:
        value: the value of the state.
        distance: plies to the end of the game; 0 for a finished game; None for a draw that does not end, for any draw
            of checkers and chess, and where alpha-beta has proved the value alone.
        best_actions: all actions that keep the value, ascending; empty for a finished game. See ``complete``.
        fastest_actions: the actions that keep both value and distance, ascending.
        values: the value of each action. See ``complete``.
        distances: plies to the end of the game after each action, which counts as one; None as for ``distance``.
        pv: the line of best play, by the first of ``fastest_actions`` at each position, 256 plies at most. It goes on
            to the end of the game, or until a position comes again. In the opening of Connect Four it ends where the
            search of the next position could take minutes, and after a proof by alpha-beta where its table ends.
        nodes: positions visited; 0 if all values were known.
        seconds: wall-clock time that it took.
        complete: False after a proof by alpha-beta, which need not look at all actions. Of a win only those that win
            as soon are known, and others may win later; of a draw, all that keep it are known, if time sufficed.
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
    complete: bool = True


class Progress(NamedTuple):
    """How far a solver is.

    Attributes:
        way: what it does, ``"visiting all positions"`` or ``"alpha-beta"``.
        positions: positions visited until now.
        megabytes: megabytes that the table takes.
        depth: plies that alpha-beta looks ahead; else 0.
    """

    way: str
    positions: int
    megabytes: float
    depth: int = 0


class Solver(SearchAgent):
    """Perfect play: the exact value of a position, the distance to the end, and all best moves.

    Connect Four is solved on any board, with an opening book on 7x6. Other games must be small: every position that can
    follow is visited, and kept by `Game.canonical_key`, once for all its mirror images. Where that key is a hash, two
    of n positions share a key with probability n² / 2⁶⁵: 1 in 300,000 for ten million. Positions may come again: play
    without end is a draw. A rule that draws a game by repetition changes no value, since best play to a win comes
    nearer to the end with each ply; but the solver looks at nothing of the game before: where all ways to a win lead
    through a position that it has had often enough already, the game is a draw, and the solver says a win. Where it is
    told of such positions (``info["past"]``), its `Analysis` of a win or a loss is not ``exact``. Nor is a slower win
    proved where the position itself is such a one: it may lead back there. Games that forbid repetition (Go) cannot be
    solved in this way.

    Where none comes again and they do not fit into memory, alpha-beta looks for a proof, in a table of fixed size. It
    finds a win or a loss with the distance, and the actions that keep both; see `Solution.complete`.

    Endings of checkers and chess are solved without the count of quiet plies, and then checked against it; see
    `plyground.agents.solver.endings`.

    Args:
        game: the game, or its name.
        table_mb: megabytes for the values, and for finding them. Default: 64 in Connect Four, where entries replace
            each other, else 512. Alpha-beta, where it is tried, has as much again. Values are kept until `clear`, or
            until it or ``book`` is set to something else.
        book: whether to use the opening book of Connect Four.
        seconds: wall-clock time that alpha-beta may take for a position, with all best actions and the line of best
            play; 0 for no alpha-beta.

    Attributes:
        on_progress: if it is set, it is called with the `Progress` ten times a second.

    Raises:
        ValueError: ``table_mb`` is not a finite number above 0, ``book`` is no truth value, ``seconds`` are below 0, or
            the game forbids to repeat positions.
    """

    table_mb = Setting(lambda megabytes: megabytes is None or is_positive(megabytes), "a finite number above 0")
    book = Checked(checked_flag)
    # As a float of Python's: NumPy's may be too coarse for the time of day.
    seconds = Setting(lambda seconds: is_between(seconds, 0, math.inf), "at least 0", float)

    def __init__(
        self, game: Game | str, table_mb: float | None = None, *, book: bool = True, seconds: float = 60
    ) -> None:
        super().__init__(game)
        if self.game.repetition is not None and self.game.repetition.effect == "forbidden":
            raise ValueError(
                f"{self.game.spec} cannot be solved: it forbids to repeat a position, so that what may be played "
                "depends on more than the position"
            )
        self.table_mb, self.book, self.seconds = table_mb, book, seconds
        self.on_progress: Callable[[Progress], object] | None = None
        self._made: Engine | None = None
        self._made_for: tuple[float | None, bool] | None = None  # the megabytes that it has, whether it has the book
        self._deepening: Deepening | None = None
        self._proofs: dict[tuple[int, ...], Proof] = {}  # by the key of a position and the actions
        self._end: float | None = None  # when alpha-beta is to end; None: it has not begun with this position

    @property
    def _engine(self) -> Engine:
        asked = self.table_mb, self.book
        if self._made is None or self._made_for != asked:
            self._made, self._made_for, self._deepening = self._new_engine(), asked, None
            self._made.on_progress = lambda n, megabytes: self._tell("visiting all positions", n, megabytes, 0)
        return self._made

    def _new_engine(self) -> Engine:
        if is_connect_four(self.game):
            return ConnectFourScores(self.game, self.table_mb or 64, self.book)
        if has_count(self.game):
            return Endings(self.game, self.table_mb or _TABLE_MB)
        return AllPositions(self.game, self.table_mb or _TABLE_MB)

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: known values stay true, and the search draws no random numbers."""

    @in_turn
    def clear(self) -> None:
        """Forget all that was found."""
        if self._made is not None:
            self._made.clear()
        self._deepening = None
        self._proofs.clear()

    def __getstate__(self) -> dict[str, Any]:
        # A copy starts with an empty table, and tells nobody.
        return {**super().__getstate__(), "_made": None, "_deepening": None, "_proofs": {}, "on_progress": None}

    def _compile(self) -> None:
        self._engine.compile()

    @property
    def _nodes(self) -> int:
        """Positions visited until now."""
        return self._engine.nodes + (0 if self._deepening is None else self._deepening.nodes)

    def _tell(self, way: str, positions: int, megabytes: float, depth: int) -> None:
        if self.on_progress is not None:
            self.on_progress(Progress(way, positions, megabytes, depth))

    @in_turn
    def value(self, state: State) -> tuple[float, int | None]:
        """Return the value for the player to move, and the plies to the end of the game with best play.

        The plies are None for a draw that does not end, for any draw of checkers and chess, and where alpha-beta has
        proved the value alone.

        Raises:
            ValueError: the state is none of this game.
            MemoryError: more than ``table_mb`` would be needed, and alpha-beta proved nothing in ``seconds``; values
                known so far are given up.
        """
        state = self.game.state_check.checked(state)
        self.prepare()
        self._end = None
        return self._value(state)

    def _value(self, state: State) -> Rating:
        if self.game.is_terminal(state):
            return float(self.game.utility(state, self.game.player(state))), 0
        proof = self._proofs.get(self._key(state, self.game.actions(state))) if self._proofs else None
        try:
            if proof is None:
                return self._engine.value(state)
        except TooManyError as error:
            proof = self._proof(state, self.game.actions(state), error)
        return proof.value, proof.distance

    def optimal_actions(self, state: State) -> tuple[int, ...]:
        """Return all actions that keep the value of the state, ascending; none if the game is over.

        Raises:
            ValueError, MemoryError: as `value` does.
        """
        return self.solve(state).best_actions

    @in_turn
    def solve(self, state: State) -> Solution:
        """Return the value of the state and of each action, and best play to the end.

        Raises:
            ValueError, MemoryError: as `value` does.
        """
        state = self.game.state_check.checked(state)
        self.prepare()
        nodes, self._end = self._nodes, None
        with Stopwatch() as clock:
            value, distance = self._value(state)
            actions = [] if distance == 0 else self.game.actions(state)
            ratings, pv = self._best_play(state, actions)
            best, fastest = _best(ratings)
            return Solution(
                value=value,
                distance=distance,
                best_actions=best,
                fastest_actions=fastest,
                values={action: rating[0] for action, rating in ratings.items()},
                distances={action: rating[1] for action, rating in ratings.items()},
                pv=pv,
                nodes=self._nodes - nodes,
                seconds=clock.seconds,
                complete=len(ratings) == len(actions) and self._key(state, actions) not in self._proofs,
            )

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        nodes, self._end = self._nodes, None
        with Stopwatch() as clock:
            ratings, line = self._best_play(state, actions.tolist())
            best, fastest = _best(ratings)
            value, distance = ratings[fastest[0]]
            this, other = self._drawn_when_again(state)
            if this and value > 0:  # a slower win may lead back here
                best = fastest
            return Analysis(
                best_action=fastest[0],
                value=value,
                best_actions=best,
                values={action: rating[0] for action, rating in ratings.items()},
                pv=line,
                depth=len(line) if distance is None else distance,
                nodes=self._nodes - nodes,
                leaves=0,
                exact=value == 0 or not other,
                proved=tuple([a for a in ratings if a in best or ratings[a][0] <= 0]) if this and not other else None,
                seconds=clock.seconds,
            )

    def _drawn_when_again(self, state: State) -> tuple[bool, bool]:
        """Return whether this position, and whether another one of the game, is drawn when it comes once more."""
        times = times_of(self.game)
        if not times or self._past is None:
            return False, False
        here = self.game.repetition_key(state)
        keys, counts = np.unique(with_root(self._past, here), return_counts=True)
        drawn = keys[counts >= times - 1]
        return bool((drawn == here).any()), bool((drawn != here).any())

    def _best_play(self, state: State, actions: Sequence[int]) -> tuple[dict[int, Rating], tuple[int, ...]]:
        """Return value and distance of the actions, as far as they are known, for the player to move; and best play."""
        if not actions:
            return {}, ()
        if self._key(state, actions) not in self._proofs:
            try:
                ratings = {action: self._rating(state, action) for action in actions}
                return ratings, self._line(state, _best(ratings)[1])
            except TooManyError as error:
                self._proof(state, actions, error)
        proof = self._proofs[self._key(state, actions)]
        assert self._deepening is not None
        ratings = dict(sorted(self._deepening.ratings(state, actions, proof, self._deadline()).items()))
        return ratings, self._deepening.line(state, proof, _best(ratings)[1][0], self._deadline())

    def _deadline(self) -> float:
        """Return the time at which alpha-beta is to end: its searches for one position share ``seconds``."""
        if self._end is None:
            self._end = time.perf_counter() + float(self.seconds)
        return self._end

    def _key(self, state: State, actions: Sequence[int]) -> tuple[int, ...]:
        return int(self.game.key(state)), *actions

    def _proof(self, state: State, actions: Sequence[int], error: TooManyError) -> Proof:
        """Return what alpha-beta proves of a position of which ``error`` says that too many others can follow."""
        key = self._key(state, actions)
        if key not in self._proofs:
            if not self.seconds:
                raise error
            if self._deepening is None:
                megabytes = self.table_mb or _TABLE_MB
                self._deepening = Deepening(self.game, megabytes)
                self._deepening.on_progress = lambda depth, n: self._tell("alpha-beta", n, megabytes, depth)
            self._deepening.compile()
            found = self._deepening.prove(state, actions, self._deadline())
            if found is None:
                tried = f"; alpha-beta proved nothing in {self.seconds:g} s, {self._deepening.depth} plies ahead"
                raise MemoryError(error.text(tried))
            self._proofs[key] = found
        return self._proofs[key]

    def _rating(self, state: State, action: int) -> Rating:
        """Return the value and the distance of an action, for the player to move in ``state``, from the engine."""
        child = state.copy()
        self.game.play(child, action)
        value, distance = self._engine_value(child)
        same = self.game.player(child) == self.game.player(state)
        return (value if same else 0.0 - value), None if distance is None else distance + 1

    def _engine_value(self, state: State) -> Rating:
        if self.game.is_terminal(state):
            return float(self.game.utility(state, self.game.player(state))), 0
        return self._engine.value(state)

    def _line(self, state: State, fastest: tuple[int, ...]) -> tuple[int, ...]:
        line: list[int] = []
        state, seen = state.copy(), {int(self.game.repetition_key(state))}
        while fastest and len(line) < DEEPEST:
            line.append(fastest[0])
            self.game.play(state, fastest[0])
            value, distance = self._engine_value(state)
            position, fastest = int(self.game.repetition_key(state)), ()
            if distance == 0 or position in seen:
                break
            seen.add(position)
            # One move that keeps value and distance is enough.
            for action in self.game.actions(state) if self._is_soon_solved(state) else ():
                if value > 0 and distance is not None and self._holds_out(state, action, distance):
                    continue
                if self._rating(state, action) == (value, distance):
                    fastest = (action,)
                    break
        return tuple(line)

    def _holds_out(self, state: State, action: int, distance: int) -> bool:
        """Return whether an action is known not to win in so many plies, where its value could take more memory."""
        if not isinstance(self._engine, Endings):
            return False
        child = state.copy()
        self.game.play(child, action)
        return not self.game.is_terminal(child) and self._engine.holds_out(child, distance - 1)

    def _is_soon_solved(self, state: State) -> bool:
        """Return whether the next states are solved soon: a line is not worth minutes in Connect Four's opening."""
        engine = self._engine
        return not isinstance(engine, ConnectFourScores) or engine.is_soon_solved(int(state["ply"]) + 1)


def _best(ratings: dict[int, Rating]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the actions with the best value, and among these the ones that end the game at the best time."""
    if not ratings:
        return (), ()
    value = max(value for value, _ in ratings.values())
    ends = {a: math.inf if end is None else end for a, (other, end) in ratings.items() if other == value}
    distance = min(ends.values()) if value > 0 else max(ends.values())
    return tuple(ends), tuple(action for action, end in ends.items() if end == distance)
