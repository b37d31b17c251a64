"""Alpha-beta for many positions in one call of compiled code. What is played depends on the position alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, GameBatch
from ...envs.jit import kernel
from ..batched import BatchedSearch, list_actions
from ..search import most_positions
from .negamax import search_root
from .workspace import new_workspace

__all__ = ["BatchedAlphaBeta"]


class BatchedAlphaBeta(BatchedSearch):
    """Plays what `AlphaBeta` plays that was reset before each move.

    Args:
        game: with the agent's evaluation.
        status: [1] the record of the agent's options, see `plyground.agents.alphabeta.workspace`.
        selective: 1 if one of the options changes the value, else None.
        depth: in plies.
        plies: of the longest line.
        table_mb: megabytes for the transposition table.
        nodes: positions to visit for each move, or None.
        iterative: whether to search depth 1, 2, … first.
        all_best: as in `AlphaBeta`; with it, equally good moves are tried in another order.
    """

    def __init__(
        self,
        game: Game,
        status: NDArray[Any],
        selective: np.int64 | None,
        depth: int,
        plies: int,
        table_mb: float,
        nodes: int | None,
        iterative: bool,
        all_best: bool,
    ) -> None:
        super().__init__(game, most_positions(game, plies) if nodes is None else nodes)
        self._status, self._selective, self._plies = status, selective, plies
        # A table that is empty at first can change no move of a search this short: it has values for one ply only.
        self._table_mb = 0 if depth <= 2 and selective is None else table_mb
        self._how = _Deepening(1 if iterative else depth, depth, -1 if nodes is None else nodes, all_best)

    def _new_memory(self) -> Any:
        w = new_workspace(self.game, self._plies, self._table_mb)
        actions = self.game.num_actions
        return w, w.table.view(np.uint8), np.zeros(actions, np.int32), np.zeros(actions)

    def _search(self, memory: Any, batch: GameBatch, rows: Any, actions: Any, first: int, last: int) -> None:
        args = batch.states, batch.masks, rows, actions, first, last
        _alphabeta(self.game, *memory, self._status, self._selective, self._how, *args)


class _Deepening(NamedTuple):
    """How deep `BatchedAlphaBeta` searches."""

    shallowest: int
    deepest: int
    nodes: int  # -1 for no limit
    all_best: bool


@kernel
def _alphabeta(game, w, table, moves, values, fresh, selective, how, states, masks, rows, actions, first, last):
    """Search the rows by iterative deepening, as `AlphaBeta` does; ``table`` is that of ``w`` as bytes."""
    status = w.status[0]
    for place in range(first, last):
        i = rows[place]
        count = list_actions(masks[i], moves)
        actions[place] = moves[0]
        if count == 1:
            continue
        w.states[0] = states[i]
        w.history[:] = 0
        for ply in range(w.frames.size):
            w.frames[ply].killers[:] = -1
        if status.probes != 0:
            table[:] = 0
        w.status[0] = fresh[0]
        for depth in range(how.shallowest, how.deepest + 1):
            before = status.horizon
            search_root(game, w, selective, depth, -np.inf, np.inf, how.all_best, moves[:count], values[:count])
            if status.stop != 0:  # this depth was not finished
                break
            best = w.frames[0].line[0]
            actions[place] = best
            top = -np.inf
            for j in range(count):
                if values[j] > top:  # not for NaN, of moves that were not searched
                    top = values[j]
            proved = abs(top) >= status.top and not how.all_best
            if proved or status.horizon == before:  # nothing is left to find out
                break
            if 0 <= how.nodes <= status.nodes:
                break
            if how.nodes >= 0:
                status.limit = how.nodes  # but the first depth is finished whatever it takes
            _best_first(moves[:count], values[:count], best)


@kernel
def _best_first(moves, values, best):
    """Sort the moves by value, ``best`` first, those without a value last, and equal ones as they stand."""
    for i in range(moves.size):
        if moves[i] == best:
            values[i] = np.inf
        elif np.isnan(values[i]):
            values[i] = -np.inf
    for i in range(1, moves.size):
        move, value = moves[i], values[i]
        j = i
        while j > 0 and values[j - 1] < value:
            moves[j], values[j] = moves[j - 1], values[j - 1]
            j -= 1
        moves[j], values[j] = move, value
