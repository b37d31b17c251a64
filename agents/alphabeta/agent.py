"""The alpha-beta agent: iterative deepening over the kernels of `plyground.agents.alphabeta.negamax`.

Sources: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985); D. J. Slate and L. R. Atkin,
"CHESS 4.5", in Chess Skill in Man and Machine (1977), for deepening that feeds the move ordering, and for a window
round the last value. Those of the options stand beside them, in `AlphaBeta`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, Opponents, State
from ..analysis import Analysis
from ..clock import run_with_stop
from ..search import DEEPEST, SearchAgent, check_budget, line_of, most_positions, with_evaluation
from .batched import BatchedAlphaBeta
from .negamax import search_root
from .workspace import STATUS, Workspace, new_workspace

__all__ = ["AlphaBeta"]

_SHORT = 1e6  # positions; a search that cannot see more needs no thread that could interrupt it


class AlphaBeta(SearchAgent):
    """Alpha-beta search. Its value is that of `Minimax` at the same depth, unless an option says that it changes it.

    Without a budget the depth is 8. Of several budgets the first to run out ends the search, and the answer is that of
    the last depth that was finished, which is at least 1. A search also ends when nothing is left to find out.

    In `analyse`, the value of ``best_action`` is exact at that depth, and the values of the other actions are upper
    bounds; actions behind a certain win have none. What is called ``exact`` is proved, whatever the options.

    Sound options change how long the search takes, and nothing else. What each gains is measured in docs/search.md.

    Options that change the value are off by default: they spend the time where it matters more, or save it where it
    matters less, and so answer another question than minimax does at that depth.

    Args:
        game: the game, or its name.
        depth: in plies, of which 256 are the most.
        nodes: positions to visit; reproducible, unlike seconds.
        seconds: wall-clock time.
        table_mb: megabytes for the transposition table; 0 for none. The table is kept until `reset`.
        ordered: False switches the next three off, and moves are tried by action number.
        hash_move: sound; try the table's move first (Slate and Atkin 1977).
        killers: sound; then the last moves that cut off at this ply (Akl and Newborn 1977).
        history: sound; then those that cut off most often anywhere (Schaeffer 1989).
        fold: sound where a position and its images are evaluated alike, as they are in our games; let them share an
            entry of the table, by `Game.canonical_key`. It pays near a symmetrical position such as the empty board.
        replacement: sound; what a new entry of the table takes the place of: ``"depth"`` keeps the deeper of two from
            this search, ``"always"`` the newer (Breuker, Uiterwijk and van den Herik 1994).
        pvs: sound; principal-variation search: ask of later moves only whether they are better, in a null window, and
            search those again that are (T. A. Marsland and M. Campbell, "Parallel search of strongly ordered game
            trees", ACM Computing Surveys 14, 1982; A. Reinefeld's NegaScout, ICCA Journal 6, 1983).
        aspiration: sound; search in a window of so much on either side of the last depth's value, and again with a
            side open if the value is not inside. None: no window. In the units of the evaluation; needs ``iterative``.
        iterative: sound; search depth 1, 2, 3 … before the depth asked for; False: at once.
        all_best: also find every action that is as good as the best, at the price of fewer cut-offs.
        deeper_entries: changes the value; let the table answer with what a deeper search found.
        margin: changes the value, by no more than ``margin * (depth - 1)``, and not that of a proved win; prune
            although α < β, when they are no more than so much apart. In the units of the evaluation. It saves nodes
            with ``pvs=False``; null windows and a margin work against each other.
        lmr: changes the value; late-move reductions: from this many moves on, search a ply less deep, and again at full
            depth if the move turns out better than the best. 0: off. (E. A. Heinz's survey of what programs do, in
            Scalable Search in Computer Chess, 2000; in its present form, T. Romstad, "An introduction to late move
            reductions", 2006.)
        quiescence: changes the value; go on at the depth limit for up to so many plies with the game's noisy actions
            (`Game`), of which the player need not play any while there are others. 0: off. (C. E. Shannon,
            "Programming a computer for playing chess", Philosophical Magazine 41, 1950; L. R. Harris, "The heuristic
            search and the game of chess", IJCAI 1975.)
        singular: changes the value; singular extensions: search the table's move a ply deeper where all others are
            worse by so much, in a search of half the depth. None: off. In the units of the evaluation. (T.
            Anantharaman, M. S. Campbell and F. Hsu, "Singular extensions", Artificial Intelligence 43, 1990.)
        evaluate: the evaluation to use instead of the game's, ``evaluate(state, player)``, in any unit; it is the
            caller's to choose one in which a win is better than what it returns.
        weights: of the game's features, to use instead of its own, as in ``{"mobility": 0.5}``; those that are not
            named stay. See `Game.with_weights`.

    Raises:
        ValueError: a budget is not positive; an option is out of range; ``iterative`` is False and the budget is more
            than a depth, or there is a window for ``aspiration``; or weights do not fit, or are beside ``evaluate``.
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
        hash_move: bool = True,
        killers: bool = True,
        history: bool = True,
        fold: bool = False,
        replacement: Literal["depth", "always"] = "depth",
        pvs: bool = True,
        aspiration: float | None = None,
        iterative: bool = True,
        all_best: bool = False,
        deeper_entries: bool = False,
        margin: float = 0.0,
        lmr: int = 0,
        quiescence: int = 0,
        singular: float | None = None,
        evaluate: Any = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(game)
        check_budget(depth=depth, nodes=nodes, seconds=seconds)
        if not iterative and (nodes is not None or seconds is not None):
            raise ValueError("iterative=False searches one depth to its end: give a depth, and no nodes or seconds")
        if not iterative and aspiration is not None:
            raise ValueError("aspiration needs iterative=True: the window is laid round the value of the last depth")
        if table_mb < 0:
            raise ValueError(f"table_mb must be at least 0, got {table_mb!r}")
        if replacement not in ("depth", "always"):
            raise ValueError(f"replacement must be 'depth' or 'always', got {replacement!r}")
        if aspiration is not None and not aspiration > 0:
            raise ValueError(f"aspiration must be above 0, or None for no window, got {aspiration!r}")
        for name, value in {"margin": margin, "singular": 0 if singular is None else singular}.items():
            if not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a finite number, at least 0, got {value!r}")
        for name, plies in {"lmr": lmr, "quiescence": quiescence}.items():
            if not isinstance(plies, (int, np.integer)) or isinstance(plies, bool) or not 0 <= plies < DEEPEST:
                raise ValueError(f"{name} must be a whole number from 0, which is off, to {DEEPEST - 1}, got {plies!r}")
        self.game = with_evaluation(self.game, evaluate, weights)
        self.depth = 8 if depth is None and nodes is None and seconds is None else depth
        self.nodes, self.seconds, self.table_mb = nodes, seconds, table_mb
        self.iterative, self.all_best, self.aspiration = iterative, all_best, aspiration
        self.ordered, self.hash_move, self.killers, self.history = ordered, hash_move, killers, history
        self.fold, self.replacement, self.pvs = fold, replacement, pvs
        self.deeper_entries, self.margin, self.lmr = deeper_entries, margin, lmr
        self.quiescence, self.singular = quiescence, singular
        self._workspace: Workspace | None = None

    def reset(self, seed: int | None = None) -> None:
        """Empty the transposition table. The seed is not used: there is no chance in the search."""
        if self._workspace is not None:
            self._workspace.table.view(np.uint8).fill(0)  # keys too: one that is left could hide an entry beside it
            self._workspace.status["age"] = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_workspace": None}  # a copy starts with an empty table

    def batched(self) -> Opponents | None:
        """Return players of many games at once: see `plyground.envs.as_opponents`. A clock is for one at a time."""
        if self.seconds is not None or self.aspiration is not None:
            return None
        deepest, _, plies = self._lengths()
        return BatchedAlphaBeta(
            self.game,
            self._fresh_status(),
            self._selective(),
            deepest,
            plies,
            self.table_mb,
            self.nodes,
            self.iterative,
            self.all_best,
        )

    def _selective(self) -> np.int64 | None:
        """Return what kernels are told: 1 if an option changes the value, else None."""
        changed = self.deeper_entries or self.margin or self.lmr or self.quiescence or self.singular is not None
        return np.int64(1) if changed else None

    def _lengths(self) -> tuple[int, int, int]:
        """Return how many plies there may be in the main search, with extensions, and with noisy moves too."""
        most = min(self.game.max_plies, DEEPEST)
        deepest = min(self.depth or most, most)
        longest = deepest if self.singular is None else min(2 * deepest, most)
        return deepest, longest, min(longest + self.quiescence, most)

    def _prepare(self, state: State) -> Workspace:
        """Return the arrays, with ``state`` at the root and the counts at 0."""
        if self._workspace is None:
            self._workspace = new_workspace(self.game, self._lengths()[2], self.table_mb)
            self._fresh = self._fresh_status()
        w = self._workspace
        w.states[0] = state
        w.frames["killers"] = -1
        w.history[:] = 0
        age = w.status["age"][0]
        w.status[:] = self._fresh
        w.status["age"] = age + np.uint8(1) if age < 255 else 0
        return w

    def _fresh_status(self) -> NDArray[Any]:
        """Return the record [1] that every search begins with: the options, and nothing counted."""
        fresh = np.zeros(1, STATUS)
        status = fresh[0]
        for name in ("hash_move", "killers", "history"):
            status[name] = self.ordered and getattr(self, name)
        status.ordered = status.hash_move or status.killers or status.history
        for name in ("fold", "pvs", "deeper_entries", "margin", "lmr", "quiescence"):
            status[name] = getattr(self, name)
        status.by_depth = self.replacement == "depth"
        status.singular = -1 if self.singular is None else self.singular
        status.top, status.longest, status.limit = self.game.max_utility, self._lengths()[1], np.iinfo(np.int64).max
        status.nodes, status.deepest = 1, 1
        return fresh

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        w = self._prepare(state)
        nodes, stop = w.status["nodes"], w.status["stop"]  # [1] each
        deepest = self._lengths()[0]
        moves = actions.copy()

        # The first depth is finished whatever the budget: there must be a move to play.
        answer = self._deepen(w, 1, moves, None) if self.iterative else None
        if self.nodes is not None:
            w.status["limit"] = self.nodes

        def deepen() -> Analysis:
            if answer is None:
                return self._deepen(w, deepest, moves, None)
            best = answer
            for depth in range(best.depth + 1, deepest + 1):
                if best.exact or stop[0] or (self.nodes is not None and nodes[0] >= self.nodes):
                    break
                best = self._deepen(w, depth, moves, best)
            return best

        if self.seconds is None and most_positions(self.game, w.states.size - 1) < _SHORT:
            answer = deepen()
        else:
            answer = run_with_stop(deepen, stop, self.seconds)
        counts = dict(zip(STATUS.names or (), w.status.item(), strict=True))
        return replace(
            answer,
            nodes=counts["nodes"],
            leaves=counts["leaves"],
            seconds=time.perf_counter() - start,
            selective_depth=counts["deepest"],
            statistics=_statistics(counts),
        )

    def _deepen(self, w: Workspace, depth: int, moves: NDArray[np.int32], before: Analysis | None) -> Analysis:
        """Search ``depth`` plies and return the new answer, or ``before`` if the search was stopped.

        (Without ``before`` only an interrupt stops it, and then nobody waits for the answer.)

        The ``moves`` are reordered, the best first, for the next iteration.
        """
        horizon, stop, top = w.status["horizon"], w.status["stop"], self.game.max_utility
        values = np.empty(moves.size)
        selective = self._selective()
        alpha, beta = -math.inf, math.inf
        if self.aspiration is not None and before is not None:
            alpha, beta = before.value - self.aspiration, before.value + self.aspiration
        while True:
            horizon_before = horizon[0]
            search_root(self.game, w, selective, depth, alpha, beta, self.all_best, moves, values)
            if stop[0]:
                assert before is not None
                return before
            found = {move: value for move, value in zip(moves.tolist(), values.tolist(), strict=True) if value == value}
            value = max(found.values())
            pv = line_of(w.frames[0].line)
            # The best move first: in the next search it sets the bounds, and stays where every move is found to lose.
            moves[:] = sorted(moves.tolist(), key=lambda move: (move != pv[0], -found.get(move, -np.inf)))
            if -math.inf < alpha and value <= alpha:
                alpha = -math.inf
            elif beta < math.inf and value >= beta and (value < top or self.all_best):
                beta = math.inf
            else:
                break
            w.status["failures"] += 1
        finished = horizon[0] == horizon_before
        return Analysis(
            best_action=pv[0],
            value=value,
            best_actions=tuple(sorted(m for m in found if found[m] == value)) if self.all_best else pv[:1],
            values=dict(sorted(found.items())),
            upper_bounds=tuple(sorted(m for m in found if m != pv[0] and not (self.all_best and found[m] == value))),
            pv=pv,
            depth=depth,
            nodes=0,
            leaves=0,
            exact=bool(finished or (abs(value) >= top and not self.all_best)),
            seconds=0.0,
        )


def _statistics(counts: dict[str, int]) -> dict[str, float]:
    """Return what a search counted besides the nodes, from the fields of `STATUS`; a rate of nothing is 0."""
    return {
        "table probes": counts["probes"],
        "table hits": counts["hits"],
        "table answers": counts["answers"],
        "cut-offs": counts["cutoffs"],
        "first-move cut-offs": counts["first_cutoffs"],
        "searches repeated": counts["researches"],
        "windows missed": counts["failures"],
        "reductions": counts["reductions"],
        "extensions": counts["extensions"],
        "margin cut-offs": counts["margin_cutoffs"],
        "table hit rate": counts["hits"] / max(1, counts["probes"]),
        "first-move cut-off rate": counts["first_cutoffs"] / max(1, counts["cutoffs"]),
    }
