"""The alpha-beta agent: iterative deepening over the kernels of `plyground.agents.negamax`.

Sources: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985); D. J. Slate and L. R. Atkin,
"CHESS 4.5", in Chess Skill in Man and Machine (1977), for deepening that feeds the move ordering.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, State
from .analysis import Analysis
from .clock import run_with_stop
from .negamax import CUT, LEAVES, LIMIT, NODES, STOP, Workspace, new_workspace, search_root
from .search import SearchAgent, check_budget, line_of, most_positions, with_evaluation

__all__ = ["AlphaBeta"]

_SHORT = 1e6  # positions; a search that cannot see more needs no thread that could interrupt it


class AlphaBeta(SearchAgent):
    """Alpha-beta search. Its value is that of `Minimax` at the same depth, always.

    Without a budget the depth is 8. Of several budgets the first to run out ends the search, and the answer is that of
    the last depth that was finished, which is at least 1. A search also ends when nothing is left to find out.

    In `analyse`, the value of ``best_action`` is exact at that depth, and the values of the other actions are upper
    bounds; actions behind a certain win have none.

    Args:
        game: the game, or its name.
        depth: in plies.
        nodes: positions to visit; reproducible, unlike seconds.
        seconds: wall-clock time.
        table_mb: megabytes for the transposition table; 0 for none. The table is kept until `reset`.
        ordered: try the table's move, killer moves and moves with a good history first; False: by action number.
        iterative: search depth 1, 2, 3 … before the depth asked for; False: at once.
        all_best: also find every action that is as good as the best, at the price of fewer cut-offs.
        evaluate: the evaluation to use instead of the game's, ``evaluate(state, player)``, in any unit; it is the
            caller's to choose one in which a win is better than what it returns.

    Raises:
        ValueError: a budget is not positive; or ``iterative`` is False and the budget is more than a depth.
    """

    def __init__(
        self,
        game: Game | str,
        depth: int | None = None,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        table_mb: float = 16,
        ordered: bool = True,
        iterative: bool = True,
        all_best: bool = False,
        evaluate: Any = None,
    ) -> None:
        super().__init__(game)
        check_budget(depth=depth, nodes=nodes, seconds=seconds)
        if not iterative and (nodes is not None or seconds is not None):
            raise ValueError("iterative=False searches one depth to its end: give a depth, and no nodes or seconds")
        if table_mb < 0:
            raise ValueError(f"table_mb must be at least 0, got {table_mb!r}")
        if evaluate is not None:
            self.game = with_evaluation(self.game, evaluate)
        self.depth = 8 if depth is None and nodes is None and seconds is None else depth
        self.nodes, self.seconds, self.table_mb = nodes, seconds, table_mb
        self.ordered, self.iterative, self.all_best = ordered, iterative, all_best
        self._workspace: Workspace | None = None

    def reset(self, seed: int | None = None) -> None:
        """Empty the transposition table. The seed is not used: there is no chance in the search."""
        if self._workspace is not None:
            self._workspace.table["bound"] = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_workspace": None}  # a copy starts with an empty table

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        if self._workspace is None:
            plies = min(self.depth or self.game.max_plies, self.game.max_plies)
            self._workspace = new_workspace(self.game, plies, self.table_mb)
        w = self._workspace
        w.states[0] = state
        w.frames["killers"] = -1
        w.history[:] = 0
        w.counts[:] = 0
        w.counts[NODES], w.counts[LIMIT] = 1, np.iinfo(np.int64).max
        deepest = w.states.size - 1
        moves = actions.copy()

        # The first depth is finished whatever the budget: there must be a move to play.
        answer = self._deepen(w, 1, moves, None) if self.iterative else None
        if self.nodes is not None:
            w.counts[LIMIT] = self.nodes

        def deepen() -> Analysis:
            if answer is None:
                return self._deepen(w, deepest, moves, None)
            best = answer
            for depth in range(best.depth + 1, deepest + 1):
                if best.exact or w.counts[NODES] >= w.counts[LIMIT] or w.counts[STOP]:
                    break
                best = self._deepen(w, depth, moves, best)
            return best

        if self.seconds is None and most_positions(self.game, deepest) < _SHORT:
            answer = deepen()
        else:
            answer = run_with_stop(deepen, w.counts[STOP:], self.seconds)
        return replace(
            answer, nodes=int(w.counts[NODES]), leaves=int(w.counts[LEAVES]), seconds=time.perf_counter() - start
        )

    def _deepen(self, w: Workspace, depth: int, moves: NDArray[np.int32], before: Analysis | None) -> Analysis:
        """Search ``depth`` plies and return the new answer, or ``before`` if the search was stopped.

        (Without ``before`` only an interrupt stops it, and then nobody waits for the answer.)

        The ``moves`` are reordered, the best first, for the next iteration.
        """
        cut, top = w.counts[CUT], self.game.max_utility
        values = np.empty(moves.size)
        search_root(self.game, w, self.ordered, top, depth, self.all_best, moves, values)
        if w.counts[STOP]:
            assert before is not None
            return before
        found = {move: value for move, value in zip(moves.tolist(), values.tolist(), strict=True) if value == value}
        value = max(found.values())
        finished = w.counts[CUT] == cut
        pv = line_of(w.frames[0].line)
        # The best move first: in the next iteration it sets the bounds, and stays where every move is found to lose.
        moves[:] = sorted(moves.tolist(), key=lambda move: (move != pv[0], -found.get(move, -np.inf)))
        return Analysis(
            best_action=pv[0],
            value=value,
            best_actions=tuple(sorted(m for m in found if found[m] == value)) if self.all_best else pv[:1],
            values=dict(sorted(found.items())),
            pv=pv,
            depth=depth,
            nodes=0,
            leaves=0,
            exact=bool(finished or (abs(value) >= top and not self.all_best)),
            seconds=0.0,
        )
