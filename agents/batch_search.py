"""Alpha-beta and UCT for many positions in one call of compiled code: opponents in a batch of games.

Each row is searched from scratch, by what an agent would do right after its `reset`, with memory that belongs to the
thread. Alpha-beta depends on the position alone, and UCT on the position and the row's generator: so threads, and the
other rows, change nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, GameBatch
from ..envs.jit import kernel
from ..envs.opponents import Memoryless
from .negamax import search_root
from .search import most_positions
from .tree import Tree, add_children, new_tree, simulate
from .workspace import new_workspace

__all__ = ["BatchedAlphaBeta", "BatchedMCTS", "nodes_for"]

_POSITIONS = 1e6  # that one call of a kernel may visit, about: Ctrl-C is heard between two calls


class _BatchedSearch(Memoryless, ABC):
    """Searches the rows of a batch, each thread with memory of its own.

    Args:
        game: as the agent has it, with its evaluation.
        positions: that the search of a row may visit, at most.
    """

    def __init__(self, game: Game, positions: float) -> None:
        self.game = game
        self._rows = max(1, int(_POSITIONS / positions))  # in one call
        self._memory: list[Any] = []  # one for each thread

    def act(self, batch: GameBatch, which: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the actions that the searches choose."""
        while len(self._memory) < batch.num_threads:
            self._memory.append(self._new_memory())
        actions = np.zeros(which.size, np.int64)

        def search(piece: int, first: int, last: int) -> None:
            for start in range(first, last, self._rows):
                self._search(self._memory[piece], batch, which, actions, start, min(start + self._rows, last))

        batch.spread(which.size, search)
        return actions

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_memory": []}

    @abstractmethod
    def _new_memory(self) -> Any: ...

    @abstractmethod
    def _search(
        self,
        memory: Any,
        batch: GameBatch,
        which: NDArray[np.intp],
        actions: NDArray[np.int64],
        first: int,
        last: int,
    ) -> None:
        """Write an action for each row of ``which[first:last]``."""


class BatchedAlphaBeta(_BatchedSearch):
    """Plays what `AlphaBeta` plays that was reset before each move.

    Args:
        game: with the agent's evaluation.
        status: [1] the record of the agent's options, see `plyground.agents.workspace`.
        unsound: 1 if one of the options changes the value, else None.
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
        unsound: np.int64 | None,
        depth: int,
        plies: int,
        table_mb: float,
        nodes: int | None,
        iterative: bool,
        all_best: bool,
    ) -> None:
        super().__init__(game, most_positions(game, plies) if nodes is None else nodes)
        self._status, self._unsound, self._plies = status, unsound, plies
        # A table that is empty at first can change no move of a search this short: it has values for one ply only.
        self._table_mb = 0 if depth <= 2 and unsound is None else table_mb
        self._how = _Deepening(1 if iterative else depth, depth, -1 if nodes is None else nodes, all_best)

    def _new_memory(self) -> Any:
        w = new_workspace(self.game, self._plies, self._table_mb)
        actions = self.game.num_actions
        return w, w.table.view(np.uint8), np.zeros(actions, np.int32), np.zeros(actions)

    def _search(self, memory: Any, batch: GameBatch, which: Any, actions: Any, first: int, last: int) -> None:
        args = batch.states, batch.masks, which, actions, first, last
        _alphabeta(self.game, *memory, self._status, self._unsound, self._how, *args)


class BatchedMCTS(_BatchedSearch):
    """Plays what plain `MCTS` plays with the same random numbers, which are the row's.

    Args:
        game: the game.
        simulations: for each move.
        c: how much to explore.
    """

    def __init__(self, game: Game, simulations: int, c: float) -> None:
        super().__init__(game, simulations)
        self._simulations, self._c = simulations, c

    def _new_memory(self) -> Any:
        game = self.game
        tree = new_tree(nodes_for(game, self._simulations), game.max_plies)
        return tree, np.zeros(1, game.dtype), np.zeros(3, game.dtype), np.zeros(game.num_actions, np.int32)

    def _search(self, memory: Any, batch: GameBatch, which: Any, actions: Any, first: int, last: int) -> None:
        args = batch.states, batch.masks, batch.rngs, which, actions, first, last
        _mcts(self.game, *memory, self._c, self._simulations, *args)


def nodes_for(game: Game, simulations: int) -> int:
    """Return how many nodes a tree may come to have: each simulation expands one at most, and needs room for that."""
    return 1 + game.num_actions * (simulations + 1)


class _Deepening(NamedTuple):
    """How deep `BatchedAlphaBeta` searches."""

    shallowest: int
    deepest: int
    nodes: int  # -1 for no limit
    all_best: bool


@kernel
def _alphabeta(game, w, table, moves, values, fresh, unsound, how, states, masks, which, actions, first, last):
    """Search the rows by iterative deepening, as `AlphaBeta` does; ``table`` is that of ``w`` as bytes."""
    status = w.status[0]
    for place in range(first, last):
        i = which[place]
        count = _list_actions(masks[i], moves)
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
            cut = status.cut
            search_root(game, w, unsound, depth, -np.inf, np.inf, how.all_best, moves[:count], values[:count])
            if status.stop != 0:  # this depth was not finished
                break
            best = w.frames[0].line[0]
            actions[place] = best
            top = -np.inf
            for j in range(count):
                if values[j] > top:  # not for NaN, of moves that were not searched
                    top = values[j]
            if status.cut == cut or (abs(top) >= status.top and not how.all_best):  # nothing is left to find out
                break
            if 0 <= how.nodes <= status.nodes:
                break
            if how.nodes >= 0:
                status.limit = how.nodes  # but the first depth is finished whatever it takes
            _best_first(moves[:count], values[:count], best)


@kernel
def _list_actions(mask, actions):
    """Write the actions of a mask, ascending, and return how many there are."""
    count = 0
    for action in range(mask.size):
        if mask[action] != 0:
            actions[count] = action
            count += 1
    return count


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


@kernel
def _mcts(game, tree, root, scratch, buffer, c, simulations, states, masks, rngs, which, actions, first, last):
    """Grow a tree for each row, and choose by visits, then by the mean, then the lowest number."""
    for place in range(first, last):
        i = which[place]
        count = _list_actions(masks[i], buffer)
        actions[place] = buffer[0]
        if count == 1:
            continue
        root[0] = states[i]
        player = game.player(root[0])
        _clear(tree, 1 - player)  # as if the opponent had just moved
        add_children(tree, 0, player, buffer, count, rngs[i])
        simulate(game, root, scratch, tree, buffer, rngs[i], c, simulations)
        most, best = 0, -np.inf
        for child in range(1, 1 + count):
            visits, action = tree.visits[child], tree.action[child]
            mean = tree.total[child] / visits if visits > 0 else -np.inf
            ahead = visits > most or (visits == most and mean > best)
            if ahead or (visits == most and mean == best and action < actions[place]):
                most, best, actions[place] = visits, mean, action


@kernel
def _clear(tree: Tree, mover: int) -> None:
    """Leave nothing but a root in the tree."""
    tree.size[0] = 1
    tree.full[0] = False
    tree.visits[0] = tree.child_count[0] = 0
    tree.total[0] = 0.0
    tree.mover[0] = mover
