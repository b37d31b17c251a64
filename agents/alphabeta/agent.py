"""The alpha-beta agent: what it is asked, over the kernel of `plyground.agents.alphabeta.deepening`, and its answer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, Opponents, State
from ...envs.jit import bind
from ...envs.outside.arguments import is_between
from ..analysis import Analysis
from ..clock import run_with_stop
from ..repetitions import times_of
from ..search import SearchAgent, check_evaluation, in_turn, line_of, most_positions, value_found, with_evaluation
from ..settings import Budget, Setting, check_flags
from .batched import BatchedAlphaBeta
from .deepening import deepen
from .defaults import own_options
from .options import FIRST_LIMIT, Options, check_given, check_options, line_lengths, new_status
from .repeating import set_past
from .table import new_table, slots_of
from .workspace import BOUND, PROVED, STATUS, Workspace, new_workspace, root_dtype, statistics

__all__ = ["AlphaBeta"]

_SHORT = 1e6  # positions; a search that cannot see more needs no thread that could interrupt it


class AlphaBeta(SearchAgent):
    """Alpha-beta search. Its value is that of `Minimax` at the same depth, unless an option says that it changes it.

    Without a budget the depth is 8. Of several budgets the first to run out ends the search. The answer is that of the
    last depth that was finished, or, with ``unfinished``, of the next. The first depth is searched whatever the budget,
    but without noisy moves where they are too many for one. A search also ends when nothing is left to find out.

    In `analyse`, the value of ``best_action`` is that of minimax at that depth. The values of the other actions are
    that, too, or upper bounds of it. Actions that were not searched, because a win was certain or, with ``unfinished``,
    the budget spent, have none. `kind_of` tells which are proved: they hold in the whole game, as an ``exact`` value
    does, whatever the options. Where the table has answered, ``pv`` goes on by its moves, unless the value is proved.

    Sound options change the time that a search takes, and nothing else. docs/measurements.md has what each gains.

    Options that change the value are off by default, but for a game that has its own: chess. They look deeper where it
    matters more, or less deep where it matters less, and so answer another question than minimax does at that depth.
    Where the default of an option is None, it is the game's own (`plyground.agents.alphabeta.defaults`), which is off
    in all other games; 0 and False are off too.

    Args:
        game: the game, or its name.
        depth: plies to search, 256 at most.
        nodes: positions to visit; reproducible, unlike seconds.
        seconds: wall-clock time for each move.
        table_mb: megabytes for the transposition table; 0 for none. The table is kept until `reset`.
        ordered: whether moves are ordered; False switches ``hash_move``, ``killers`` and ``history`` off, and tries
            moves by action number.
        hash_move: sound; try the table's move first (Slate and Atkin 1977).
        killers: sound; after the table's move, try the last moves that cut off at this ply (Akl and Newborn 1977).
        history: sound; after the killers, try the moves that cut off most often anywhere (Schaeffer 1989).
        fold: sound where a position and its images are evaluated alike, as they are in our games; let them share an
            entry of the table, by `Game.canonical_key`. It pays near a symmetrical position such as the empty board.
        replacement: sound; which entry of the table a new one replaces: ``"depth"`` keeps the deeper of two from this
            search, ``"always"`` the newer (Breuker, Uiterwijk and van den Herik 1994).
        pvs: sound; principal-variation search: ask in a null window whether a later move is better than the best, and
            search it again if it is (T. A. Marsland and M. Campbell, "Parallel search of strongly ordered game
            trees", ACM Computing Surveys 14, 1982; A. Reinefeld's NegaScout, ICCA Journal 6, 1983).
        aspiration: sound; search in a window of this half-width round the last depth's value, in the units of the
            evaluation, and again with a side open if the value is outside. It needs ``iterative``. Chess has one of its
            own with it; a window that is wider than all values, such as 2, is as good as none.
        iterative: sound; search depth 1, 2, 3 … before the depth asked for. False: search that depth at once, and to
            its end: no clock and no listener ends it, as there would be no move.
        all_best: also find every action that is as good as the best, at the price of fewer cut-offs.
        deeper_entries: changes the value; let the table answer with what a deeper search found.
        margin: changes the value, by at most ``margin * (depth - 1)``, but not that of a proved win; prune when α and β
            are at most this far apart, in the units of the evaluation. It saves nodes with ``pvs=False``; null windows
            and a margin work against each other.
        lmr: changes the value; late-move reductions: after this many moves, search a ply less deep, and again at full
            depth if the move turns out better than the best. (E. A. Heinz's survey of what programs do, in
            Scalable Search in Computer Chess, 2000; in its present form, T. Romstad, "An introduction to late move
            reductions", 2006.)
        quiescence: changes the value; at the depth limit go on for up to this many plies with the game's noisy actions
            (`Game`). The player may decline them while there are others, and not in check. (C. E. Shannon,
            "Programming a computer for playing chess", Philosophical Magazine 41, 1950; L. R. Harris, "The heuristic
            search and the game of chess", IJCAI 1975.)
        singular: changes the value; singular extensions: search the table's move a ply deeper where a search of half
            the depth finds all others worse by this much, in the units of the evaluation. None: off. (T.
            Anantharaman, M. S. Campbell and F. Hsu, "Singular extensions", Artificial Intelligence 43, 1990.)
        captures: sound; before the killers, try the moves that win something, by the game's rules ``stakes`` and
            ``exchange``: the largest prize first, of these the one that risks least; last those that lose by the
            exchange (most valuable victim, least valuable attacker; Slate and Atkin 1977).
        countermoves: sound; after the killers, try the move that cut off after the opponent's last move elsewhere (J.
            W. H. M. Uiterwijk, "The countermove heuristic", ICCA Journal 15, 1992).
        penalties: sound; lower the history of the quiet moves that were tried before the one that cut off, and keep
            history within bounds, where new cut-offs outweigh old ones (M. H. M. Winands and others, "The relative
            history heuristic", Computers and Games 2006; for the bounds, Stockfish).
        null_move: changes the value; where the evaluation is β or more, let the player pass, by the game's rule
            ``passed``, and search this many plies less deep, and more where many are left: if that is still as good as
            β, so is the position (D. F. Beal 1990; C. Donninger, "Null move and deep search", ICCA Journal 16, 1993).
        check_extensions: changes the value; search a ply deeper where the player to move is in check, by the game's
            rule ``is_forced``.
        futility: changes the value; a margin for each ply that is left, in the units of the evaluation: a position that
            is above β by more, six plies before the depth limit or less, is not searched; one that is below α by more,
            four plies before it or less, the move's reduction counted, is searched for captures and checks only (E. A.
            Heinz, "Extended futility pruning", ICCA Journal 21, 1998).
        late_pruning: changes the value; with d plies left, five or less, try this many moves and d² more, and of the
            others none but those that win something.
        deep_reductions: changes the value; let ``lmr`` reduce by ln(depth) · ln(move) / 1.8 plies, rounded, and by one
            less in an open window and at the root.
        internal_reductions: changes the value; with this many plies left or more, search a position a ply less deep for
            which the table has no move (internal iterative reductions, E. Schröder's idea of 2020).
        delta: changes the value; in the quiescence search, leave out a move that does not come to α by what it wins
            and this much, in the units of the evaluation.
        exchange_pruning: changes the value; leave out moves that win something and lose more by the exchange, in the
            quiescence search and two plies before the depth limit or less.
        quiescence_table: changes the value; let the quiescence search use the transposition table as well: the result
            of one answers another, however many noisy moves that may try, and its move is tried first (Stockfish).
        null_margin: changes the value; after the pass of ``null_move``, search a ply less deep for each time that the
            evaluation is this much above β, in its units, three at most (Stockfish).
        razoring: changes the value; a margin for each ply that is left, in the units of the evaluation: a position
            that is below α by more, three plies before the depth limit or less, is searched for noisy moves alone, and
            no further if that stays below α (J. A. Birmingham and P. Kent, "Tree-searching and tree-pruning
            techniques", Advances in Computer Chess 1, 1977; with noisy moves, Stockfish).
        quiet_exchange: changes the value; leave out a quiet move that loses more by the exchange than this, in the
            units of the evaluation, times the square of the plies that are left after its reduction, where these are
            five or less (Stockfish).
        table_static: changes the value; where the table has a bound beyond the evaluation of a position, or its value
            at another depth, take that for the evaluation (Stockfish).
        spare_checks: changes the value; a late move that gives check, by the game's rule ``is_forced``, is reduced by a
            ply less, and not left out by ``quiet_exchange``, nor, with two plies left or more, by ``late_pruning`` and
            ``exchange_pruning``.
        repetitions: changes the value; a position that comes again on the line is drawn at once, and one of the game
            when it stands on the board as often as `Game.repetition` says; in games that repetitions draw. The table
            knows nothing of it, so a value may be that of another way to a position.
        unfinished: changes the value; where a budget ends the search, answer with the best move of the depth that was
            not finished, if the best of the depth before was searched again; not with ``all_best``. Other moves have no
            value then, and the value may be a lower bound with ``aspiration`` (R. M. Hyatt, "Using time wisely", ICCA
            Journal 7, 1984).
        selective: False: options whose default is None are off in chess too.
        evaluate: the evaluation to use instead of the game's, ``evaluate(state, player)``, in any unit in which a win
            is worth more than any value it returns. It must be opposite for the players: before the first search that
            is checked in positions of random games.
        weights: weights of the game's features, to use instead of its own, as in ``{"mobility": 0.5}``; features that
            are not named keep theirs. See `Game.with_weights`.

    Raises:
        ValueError: a budget is not positive; an option is out of range, or does nothing without another;
            ``iterative=False`` goes with ``nodes``, ``seconds`` or ``aspiration``; the weights do not fit; or both
            weights and ``evaluate`` are given.
    """

    depth, nodes, seconds = Budget(), Budget(), Budget()
    table_mb = Setting(lambda megabytes: is_between(megabytes, 0), "a finite number, at least 0")

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
        deeper_entries: bool | None = None,
        margin: float = 0.0,
        lmr: int | None = None,
        quiescence: int | None = None,
        singular: float | None = None,
        captures: bool | None = None,
        countermoves: bool | None = None,
        penalties: bool | None = None,
        null_move: int | None = None,
        check_extensions: bool = False,
        futility: float | None = None,
        late_pruning: int | None = None,
        deep_reductions: bool | None = None,
        internal_reductions: int | None = None,
        delta: float | None = None,
        exchange_pruning: bool | None = None,
        quiescence_table: bool | None = None,
        repetitions: bool | None = None,
        null_margin: float | None = None,
        razoring: float | None = None,
        quiet_exchange: float | None = None,
        table_static: bool | None = None,
        spare_checks: bool | None = None,
        unfinished: bool | None = None,
        selective: bool = True,
        evaluate: Any = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(game)
        if not iterative and (nodes is not None or seconds is not None):
            raise ValueError("iterative=False searches one depth to its end: give a depth, and no nodes or seconds")
        check_flags(iterative=iterative, ordered=ordered, selective=selective)
        given = {
            "aspiration": aspiration,
            "deeper_entries": deeper_entries,
            "lmr": lmr,
            "quiescence": quiescence,
            "captures": captures if ordered or captures is not None else False,
            "countermoves": countermoves,
            "penalties": penalties,
            "null_move": null_move,
            "check_extensions": check_extensions,
            "futility": futility,
            "late_pruning": late_pruning,
            "deep_reductions": deep_reductions,
            "internal_reductions": internal_reductions,
            "delta": delta,
            "exchange_pruning": exchange_pruning,
            "quiescence_table": quiescence_table,
            "repetitions": repetitions,
            "null_margin": null_margin,
            "razoring": razoring,
            "quiet_exchange": quiet_exchange,
            "table_static": table_static,
            "spare_checks": spare_checks,
            "unfinished": unfinished,
        }
        is_own = evaluate is None and bool(self.game.weights)
        self.hears, self.table_mb = bool(iterative), table_mb
        self.options = Options(
            ordered=ordered,
            hash_move=hash_move,
            killers=killers,
            history=history,
            fold=fold,
            replacement=replacement,
            pvs=pvs,
            iterative=iterative,
            all_best=all_best,
            margin=margin,
            singular=singular,
            **own_options(self.game.name if selective else "", given, is_own, iterative),
        )
        check_options(self.options)
        asked = {**given, "captures": captures, "fold": fold, "singular": singular is not None}
        check_given(asked, ordered=ordered, history=history, table_mb=table_mb, iterative=iterative)
        self.game, self._has_evaluation = with_evaluation(self.game, evaluate, weights), evaluate is not None
        self.depth = 8 if depth is None and nodes is None and seconds is None else depth
        self.nodes, self.seconds = nodes, seconds
        self._workspace: Workspace | None = None
        self._made_for: tuple[int | None, float] = (-1, 0.0)  # what the workspace was made for: a depth, megabytes

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        """Empty the transposition table. The seed is not used: the search draws no random numbers."""
        if self._workspace is not None:
            self._workspace.table.view(np.uint8).fill(0)  # keys too: one that is left could hide an entry beside it
            self._workspace.status["age"] = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_workspace": None}  # a copy starts with an empty table

    def _compile(self) -> None:
        small, roots = new_workspace(self.game, 1, 0), np.zeros(1, root_dtype(self.game))
        bind(deepen, self.game, small, self.options.selective, self.options.pruning, roots, 1, 1)
        if self._has_evaluation:
            check_evaluation(self.game)

    def batched(self) -> Opponents | None:
        """Return players of many games at once: see `plyground.envs.as_opponents`.

        None with a clock, and with draws by repetition, for which it would have to know each game. So in chess each row
        has a search of its own, with a table of its own; ``repetitions=False`` searches all rows in compiled code.
        """
        return self._opponents(kept=False)

    def copies(self) -> Opponents | None:
        """Return players of many games at once who play each as this agent does: see `plyground.agents.agent`."""
        return self._opponents(kept=True)

    def _opponents(self, kept: bool) -> Opponents | None:
        if self.seconds is not None or self._knows_past:
            return None
        if self._has_evaluation:
            check_evaluation(self.game)
        return BatchedAlphaBeta(self.game, self.options, self.depth, self.nodes, self.table_mb, kept)

    @property
    def _knows_past(self) -> bool:
        return self.options.repetitions and times_of(self.game) > 0

    @property
    def workspace(self) -> tuple[Workspace, NDArray[Any]]:
        """The arrays of the search, and the record [1] of its root; they are made when they are first needed.

        With a larger ``depth`` than before there is room for longer lines. The table stays, unless it was made small,
        for a shallow search that cannot fill a large one, or ``table_mb`` is another now.
        """
        w = self._workspace
        if w is None or self._made_for != (self.depth, self.table_mb):
            lengths = line_lengths(self.game, self.options, self.depth)
            if w is None or self._made_for[1] != self.table_mb:
                w = new_workspace(self.game, lengths.plies, self.table_mb)
                self._roots = np.zeros(1, root_dtype(self.game))
            elif lengths.plies >= w.states.size:
                most, table = most_positions(self.game, lengths.plies), w.table
                if table.size < slots_of(self.table_mb, most):
                    table = new_table(self.table_mb, most)
                w = new_workspace(self.game, lengths.plies, 0)._replace(table=table, status=w.status)
            self._workspace, self._made_for = w, (self.depth, self.table_mb)
            self._fresh = new_status(self.game, self.options, lengths.longest)
        return w, self._roots

    def begin(self, state: State, actions: NDArray[np.int32]) -> tuple[Workspace, NDArray[Any]]:
        """Return the `workspace`, with ``state`` and its candidates at the root, and the counts at 0."""
        w, roots = self.workspace
        w.states[0] = state
        w.frames["killers"] = -1
        w.history[:] = 0
        last = w.status.copy()
        w.status[:] = self._fresh
        w.status["age"] = last["age"] + np.uint8(1)  # after 255 comes 0
        if self.nodes is not None and self.options.iterative:
            w.status["budget"] = min(self.nodes, w.status["budget"][0])  # no more than it can count
        if self.options.iterative and (self.nodes, self.seconds, self.listener) != (None, None, None):
            w.status["first_limit"] = FIRST_LIMIT
        if self.options.repetitions:
            set_past(w, self._past, last, self.game, state)
        roots["exact"] = 0
        roots["depth"], roots["count"], roots["moves"][0, : actions.size] = 0, actions.size, actions
        return w, roots

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()

        def elapsed() -> float:
            return time.perf_counter() - start

        w, roots = self.begin(state, actions)
        options, stop = (self.options.selective, self.options.pruning), w.status["stop"]  # [1]
        deepest = line_lengths(self.game, self.options, self.depth).deepest
        first = 1 if self.options.iterative else deepest
        # One depth alone is searched to its end, whatever a clock says: of half a depth nothing is known.
        seconds, listener = (self.seconds, self.listener) if self.options.iterative else (None, None)
        if w.status["first_limit"][0] == FIRST_LIMIT:
            # The first depth is finished whatever the budget, before the clock starts: there must be a move to play.
            # Without a budget it may have noisy moves without end, and is searched with the others, where Ctrl-C is
            # heard.
            deepen(self.game, w, *options, roots, 1, 1)
            first = 2

        def run() -> None:
            if listener is None:
                deepen(self.game, w, *options, roots, first, deepest)
                return
            for depth in range(first, deepest + 1):  # the same, with a report after each depth that is finished
                if roots["depth"][0] and listener.hear(self._answer(roots[0], actions, w.status, elapsed())):
                    return
                deepen(self.game, w, *options, roots, depth, depth)
                if roots["depth"][0] < depth:
                    return
            listener.hear(self._answer(roots[0], actions, w.status, elapsed()))

        if seconds is None and listener is None and most_positions(self.game, w.states.size - 1) < _SHORT:
            run()
        else:
            run_with_stop(run, stop, seconds, listener=listener)
        return self._answer(roots[0], actions, w.status, elapsed())

    def _answer(self, root: Any, actions: NDArray[np.int32], status: NDArray[Any], seconds: float) -> Analysis:
        """Return what the search left at the root and counted."""
        counts = dict(zip(STATUS.names or (), status.item(), strict=True))
        pv, value = line_of(root.line), value_found(np.nan if counts["undefined"] else float(root.value))
        values = zip(actions.tolist(), root.found[actions].tolist(), strict=True)
        found = {move: value_found(value) for move, value in sorted(values) if value == value}  # not NaN: searched
        kinds = root.found_kinds.tolist()
        best = {move for move in found if found[move] == value} if self.options.all_best else {pv[0]}
        return Analysis(
            best_action=pv[0],
            value=value,
            best_actions=tuple(sorted(best)),
            values=found,
            upper_bounds=tuple(move for move in found if kinds[move] & BOUND and move not in best),
            proved=tuple(move for move in found if kinds[move] & PROVED),
            pv=pv,
            depth=int(root.depth),
            nodes=counts["nodes"],
            leaves=counts["leaves"],
            exact=bool(root.exact) or abs(value) >= self.game.max_utility,  # with all_best the search goes on
            seconds=seconds,
            selective_depth=counts["deepest"],
            statistics=statistics(counts),
        )
