"""Alpha-beta for many positions in one call of compiled code.

What is played in a row depends on its position alone; or, where the tables are kept, on the moves before it too, as it
does for an agent. Each row then has a table of its own.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, GameBatch
from ...envs.jit import kernel
from ..batched import BatchedSearch, list_actions
from ..search import most_positions
from .deepening import deepen
from .options import FIRST_LIMIT, Options, line_lengths, new_status
from .table import new_table
from .workspace import Workspace, new_workspace, root_dtype

__all__ = ["BatchedAlphaBeta"]

_KEPT = 1 << 27  # bytes for all tables that are kept


class BatchedAlphaBeta(BatchedSearch):
    """Plays what `AlphaBeta` plays that was reset before each move; or, with ``kept``, before each game.

    Args:
        game: the game, with the agent's evaluation.
        options: the agent's options.
        depth: plies to search; None: to the end of the game.
        nodes: positions to visit for each move; None: no limit.
        table_mb: megabytes for the transposition table of each thread, or of each row where it is kept.
        kept: whether the table of a row is kept from move to move, and emptied when a game begins.

    Attributes:
        most_games: the largest batch for whose tables there is memory.
    """

    def __init__(
        self, game: Game, options: Options, depth: int | None, nodes: int | None, table_mb: float, kept: bool = False
    ) -> None:
        lengths = line_lengths(game, options, depth)
        super().__init__(game, most_positions(game, lengths.plies) if nodes is None else nodes)
        self._budget = {"depth": depth, "nodes": nodes}
        self._options, self._plies = (options.selective, options.pruning), lengths.plies
        self._first, self._last = (1 if options.iterative else lengths.deepest), lengths.deepest
        # A table changes no move of a search this short, unless a window makes it search twice, or it counts nodes: the
        # table has values for one ply only, and the first of the best moves does not depend on how these were found.
        useless = lengths.deepest <= 2 and options.aspiration is None and nodes is None
        useless = useless and options.selective is None and options.pruning is None
        self._table_mb = 0 if useless else table_mb
        self._fresh = new_status(game, options, lengths.longest)
        self._fresh["lengthens"] = 0  # nobody sees the lines
        if nodes is not None:
            self._fresh["budget"] = min(nodes, self._fresh["budget"][0])
            self._fresh["first_limit"] = FIRST_LIMIT
        table = new_table(self._table_mb, most_positions(game, lengths.plies))
        self._kept = kept and table.size > 0
        self.most_games = max(1, _KEPT // table.nbytes) if self._kept else sys.maxsize
        self._tables = _new_tables(0, table)

    def __repr__(self) -> str:
        budget = "".join(f", {name}={value}" for name, value in self._budget.items() if value is not None)
        return f"{type(self).__name__}({self.game.spec}{budget})"

    def begin(self, batch: GameBatch, rows: NDArray[np.intp]) -> None:
        """Empty the tables of these rows, where they are kept.

        Raises:
            ValueError: the batch has more than `most_games` games.
        """
        if not self._kept:
            return
        self._grow(batch.num_envs)
        self._tables.entries.view(np.uint8)[rows] = 0  # keys too: one that is left could hide an entry beside it
        self._tables.ages[rows] = 0

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the actions that the searches choose. In a game that was not begun here, a kept table is empty.

        Raises:
            ValueError: as `BatchedSearch.act`; or tables are kept, and the batch has more than `most_games` games.
        """
        if self._kept:  # a copy has no tables yet, and compiled code does not look
            self._grow(batch.num_envs)
        return super().act(batch, rows)

    def _grow(self, games: int) -> None:
        """Let each of so many games have a table.

        Raises:
            ValueError: there are more than `most_games`.
        """
        if games > self.most_games:
            raise ValueError(f"expected at most {self.most_games} games, which have a table each, got {games}")
        before, known = self._tables, len(self._tables.ages)
        if known < games:
            self._tables = _new_tables(games, before.entries)
            self._tables.entries[:known], self._tables.ages[:known] = before

    def _new_memory(self) -> Any:
        w = new_workspace(self.game, self._plies, 0 if self._kept else self._table_mb)
        own = _Tables(w.table[np.newaxis], np.zeros(1, np.uint8))
        return _Memory(w, own, np.zeros(1, root_dtype(self.game)), self._fresh, w.table.view(np.uint8))

    def _search(self, memory: Any, batch: GameBatch, rows: Any, actions: Any, first: int, last: int) -> None:
        tables = self._tables if self._kept else memory.own
        args = batch.states, batch.masks, rows, actions, first, last
        _alphabeta(self.game, memory, tables, self._kept, *self._options, self._first, self._last, *args)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_tables": _new_tables(0, self._tables.entries)}


class _Tables(NamedTuple):
    """The tables of the rows, or of one thread."""

    entries: NDArray[Any]  # [tables, slots]
    ages: NDArray[np.uint8]  # [tables] the number of the last search that wrote into each, modulo 256


def _new_tables(games: int, like: NDArray[Any]) -> _Tables:
    """Return empty tables, each as large as the rows of ``like`` [(tables,) slots]."""
    return _Tables(np.zeros((games, like.shape[-1]), like.dtype), np.zeros(games, np.uint8))


class _Memory(NamedTuple):
    """The arrays of a thread."""

    workspace: Workspace
    own: _Tables  # the one table of ``workspace``
    roots: NDArray[Any]  # [1] the candidates and the answer, see `root_dtype`
    fresh: NDArray[Any]  # [1] the `STATUS` that each search begins with
    table: NDArray[np.uint8]  # the table of ``workspace``, as bytes


@kernel
def _alphabeta(
    game, memory, tables, kept, selective, pruning, shallowest, deepest, states, masks, rows, actions, first, last
):
    """Search the rows ``rows[first:last]`` as `AlphaBeta` does, and write their actions.

    Without ``kept`` the one table is emptied before each search, and a forced move is played without.
    """
    own = memory.workspace
    status = own.status[0]
    root = memory.roots[0]
    for place in range(first, last):
        i = rows[place]
        root.count = list_actions(masks[i], root.moves)
        root.depth = 0
        actions[place] = root.moves[0]
        if root.count == 1 and not kept:
            continue
        table = i if kept else 0
        w = Workspace(own.states, own.frames, own.history, tables.entries[table], own.status)
        w.states[0] = states[i]
        w.history[:] = 0
        for ply in range(w.frames.size):
            w.frames[ply].killers[:] = -1
        if status.probes != 0 and not kept:
            memory.table[:] = 0
        w.status[0] = memory.fresh[0]
        if kept:
            tables.ages[table] += np.uint8(1)
            status.age = tables.ages[table]
        deepen(game, w, selective, pruning, memory.roots, shallowest, deepest)
        actions[place] = root.line[0]
