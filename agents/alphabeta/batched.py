"""Alpha-beta for many positions in one call of compiled code. What is played depends on the position alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, GameBatch
from ...envs.jit import kernel
from ..batched import BatchedSearch, list_actions
from ..search import most_positions
from .deepening import deepen
from .options import Options, line_lengths, new_status
from .workspace import Workspace, new_workspace, root_dtype

__all__ = ["BatchedAlphaBeta"]


class BatchedAlphaBeta(BatchedSearch):
    """Plays what `AlphaBeta` plays that was reset before each move.

    Args:
        game: the game, with the agent's evaluation.
        options: the agent's options.
        depth: plies to search; None: to the end of the game.
        nodes: positions to visit for each move; None: no limit.
        table_mb: megabytes for the transposition table of each thread.
    """

    def __init__(self, game: Game, options: Options, depth: int | None, nodes: int | None, table_mb: float) -> None:
        lengths = line_lengths(game, options, depth)
        super().__init__(game, most_positions(game, lengths.plies) if nodes is None else nodes)
        self._selective, self._plies = options.selective, lengths.plies
        self._first, self._last = (1 if options.iterative else lengths.deepest), lengths.deepest
        # A table that is empty at first changes no move of a search this short, unless a window makes it search twice:
        # the table has values for one ply only.
        useless = lengths.deepest <= 2 and options.selective is None and options.aspiration is None
        self._table_mb = 0 if useless else table_mb
        self._fresh = new_status(game, options, lengths.longest)
        if nodes is not None:
            self._fresh["budget"] = nodes

    def _new_memory(self) -> Any:
        w = new_workspace(self.game, self._plies, self._table_mb)
        return _Memory(w, w.table.view(np.uint8), np.zeros(1, root_dtype(self.game)), self._fresh)

    def _search(self, memory: Any, batch: GameBatch, rows: Any, actions: Any, first: int, last: int) -> None:
        args = batch.states, batch.masks, rows, actions, first, last
        _alphabeta(self.game, memory, self._selective, self._first, self._last, *args)


class _Memory(NamedTuple):
    """The arrays of a thread."""

    workspace: Workspace
    table: NDArray[np.uint8]  # the table of ``workspace``, as bytes
    roots: NDArray[Any]  # [1] the candidates and the answer, see `root_dtype`
    fresh: NDArray[Any]  # [1] the `STATUS` that each search begins with


@kernel
def _alphabeta(game, memory, selective, shallowest, deepest, states, masks, rows, actions, first, last):
    """Search the rows ``rows[first:last]`` from scratch, as `AlphaBeta` does, and write their actions."""
    w = memory.workspace
    status = w.status[0]
    root = memory.roots[0]
    for place in range(first, last):
        i = rows[place]
        root.count = list_actions(masks[i], root.moves)
        root.depth = 0
        actions[place] = root.moves[0]
        if root.count == 1:
            continue
        w.states[0] = states[i]
        w.history[:] = 0
        for ply in range(w.frames.size):
            w.frames[ply].killers[:] = -1
        if status.probes != 0:
            memory.table[:] = 0
        w.status[0] = memory.fresh[0]
        deepen(game, w, selective, memory.roots, shallowest, deepest)
        actions[place] = root.line[0]
