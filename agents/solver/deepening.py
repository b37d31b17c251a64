"""Proofs by iterative alpha-beta, in a table of fixed size, for positions that too many others can follow.

Alpha-beta looks at a part of the positions only, and its table forgets what it has no room for, so that it never runs
out of memory. It finds a win or a loss at the first depth at which there is one: that depth is the distance to the end.
Of anything else it proves the value, by lines that are all played to the end, but not the distance: both players would
delay it. It says nothing of moves that it need not look at.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...envs import Game, State
from ..alphabeta.agent import AlphaBeta
from ..alphabeta.deepening import deepen
from ..alphabeta.workspace import BOUND, PROVED
from ..clock import run_with_stop
from ..search import line_of

__all__ = ["Deepening", "Proof", "Rating"]

_MOST = np.iinfo(np.int64).max
Rating = tuple[float, int | None]  # the value for the player to move, and the plies to the end


class Proof(NamedTuple):
    """What is proved of a position, for the player to move."""

    value: float
    distance: int | None  # plies to the end; None where it is not known
    line: tuple[int, ...]  # best play, as far as the table had it
    depth: int  # plies that the search looked ahead


class Deepening:
    """Proofs of positions of a game.

    Args:
        game: the game.
        table_mb: megabytes for the table, which takes the largest power of two of entries that fits.

    Attributes:
        nodes: positions visited until now.
        depth: plies that the last search looked ahead, in its last complete iteration.
        on_progress: called ten times a second with the depth that is being searched, and the positions visited.
    """

    def __init__(self, game: Game, table_mb: float) -> None:
        self.game = game
        self._searcher = AlphaBeta(game, nodes=_MOST, table_mb=table_mb, fold=True, selective=False)
        self.nodes = self.depth = 0
        self.on_progress: Callable[[int, int], object] | None = None

    def compile(self) -> None:
        """Compile the search."""
        self._searcher.prepare()

    def prove(self, state: State, actions: Sequence[int], end: float = math.inf) -> Proof | None:
        """Return what is proved of an unfinished state, if only these actions may be played; None if it gets too late.

        Args:
            state: the state, which is not changed.
            actions: the candidates.
            end: the time, of `time.perf_counter`, at which to give up.
        """
        w, roots = self._searcher.begin(state, np.array(actions, np.int32))
        root = roots[0]
        for depth in range(1, w.states.size):
            self._run(depth, depth, end)
            if root.depth < depth or root.exact:
                break
        self.nodes += int(w.status["nodes"][0])
        self.depth = int(root.depth)
        if not root.exact:
            return None
        value = float(root.value)
        certain = abs(value) >= self.game.max_utility
        return Proof(value, self.depth if certain else None, line_of(root.line), self.depth)

    def ratings(self, state: State, actions: Sequence[int], proof: Proof, end: float = math.inf) -> dict[int, Rating]:
        """Return the value and the distance of each action for which they can be proved at no great cost.

        These are all actions after a loss, and otherwise those that are as good as the best: at the same distance, if
        the position is won. If it gets too late, some may be missing, but the best one is there.

        Args:
            state: an unfinished state.
            actions: the candidates.
            proof: what is proved of the state with these candidates.
            end: the time at which to give up.
        """
        best = proof.line[0]
        found: dict[int, Rating] = {best: (proof.value, proof.distance)}
        if proof.distance is not None and proof.value < 0:
            for action in actions:
                rating = self._rating(state, action, end)
                if rating is None:
                    return {best: found[best]}
                found[action] = rating
            return found
        # Searches that look for all actions as good as the best, which comes first. A win shows at the depth of its
        # proof. Another action that draws may show deeper: for the proof it was enough that it is no better.
        w, roots = self._searcher.begin(state, np.array([best, *(a for a in actions if a != best)], np.int32))
        root = roots[0]
        w.status["all_best"] = 1
        last = w.states.size - 1 if proof.distance is None else proof.depth
        for depth in range(proof.depth, last + 1):
            self._run(depth, depth, end)
            if root.depth < depth or (root.found_kinds[list(actions)] & PROVED).all():
                break
        self.nodes += int(w.status["nodes"][0])
        for action in actions if root.depth else ():
            kind = int(root.found_kinds[action])
            if kind & PROVED and not kind & BOUND:
                value = float(root.found[action])
                found[action] = value, proof.distance if value == proof.value else None
        return found

    def line(self, state: State, proof: Proof, first: int, end: float = math.inf) -> tuple[int, ...]:
        """Return best play from a state that ``proof`` is of, beginning with the action ``first``."""
        if proof.distance is None:
            return proof.line if proof.line[0] == first else (first,)
        line, state = [first], state.copy()
        self.game.play(state, first)
        while len(line) < proof.distance and not self.game.is_terminal(state):
            found = self.prove(state, self.game.actions(state), end)
            if found is None:
                break
            line.append(found.line[0])
            self.game.play(state, found.line[0])
        return tuple(line)

    def _rating(self, state: State, action: int, end: float) -> Rating | None:
        child = state.copy()
        self.game.play(child, action)
        same = self.game.player(child) == self.game.player(state)
        if self.game.is_terminal(child):
            return float(self.game.utility(child, self.game.player(state))), 1
        found = self.prove(child, self.game.actions(child), end)
        if found is None:
            return None
        value = found.value if same else 0.0 - found.value
        return value, None if found.distance is None else found.distance + 1

    def _run(self, first: int, last: int, end: float) -> None:
        """Search the depths from ``first`` to ``last``, until the time ``end``."""
        w, roots = self._searcher.workspace
        left = end - time.perf_counter()
        if left <= 0:
            return
        before = self.nodes

        def tell() -> None:
            if self.on_progress is not None:
                self.on_progress(last, before + int(w.status["nodes"][0]))

        run_with_stop(
            lambda: deepen(self.game, w, None, None, roots, first, last),
            w.status["stop"],
            None if math.isinf(left) else left,
            tell,
        )
