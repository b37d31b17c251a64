"""UCT for many positions in one call of compiled code; a row depends on its position and its generator alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs import Game, GameBatch
from ...envs.jit import kernel
from ..batched import BatchedSearch, list_actions
from .simulate import simulate
from .tree import clear, new_tree

__all__ = ["BatchedMCTS", "nodes_for"]


class BatchedMCTS(BatchedSearch):
    """Plays what plain `MCTS` plays with the same random numbers, which are the row's.

    Args:
        game: the game.
        simulations: simulations for each move.
        c: how much to explore, in units of the means.
        forced: whether a forced move is searched too, as the agent does: it draws random numbers.
    """

    def __init__(self, game: Game, simulations: int, c: float, forced: bool = False) -> None:
        super().__init__(game, simulations)
        self._simulations, self.c, self._forced = simulations, c, forced

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.spec}, simulations={self._simulations})"

    def _new_memory(self) -> Any:
        game = self.game
        tree = new_tree(nodes_for(game, self._simulations), game.max_plies)
        moves, buffer = np.zeros((2, game.num_actions), np.int32)
        return tree, np.zeros(1, game.dtype), np.zeros(3, game.dtype), moves, buffer

    def _search(self, memory: Any, batch: GameBatch, rows: Any, actions: Any, first: int, last: int) -> None:
        args = batch.states, batch.masks, batch.rngs, rows, actions, first, last
        _mcts(self.game, *memory, self.c, self._simulations, self._forced, *args)


def nodes_for(game: Game, simulations: int) -> int:
    """Return how many nodes a tree may come to have: each simulation expands one at most, and needs room for that."""
    return 1 + game.num_actions * (simulations + 1)


@kernel
def _mcts(
    game, tree, root, scratch, moves, buffer, c, simulations, forced, states, masks, rngs, rows, actions, first, last
):
    """Grow a tree for each row, and choose by visits, then by the mean; of equals the first child."""
    for place in range(first, last):
        i = rows[place]
        count = list_actions(masks[i], moves)
        actions[place] = moves[0]
        if count == 1 and not forced:
            continue
        root[0] = states[i]
        clear(tree, 1 - game.player(root[0]))  # as if the opponent had just moved
        simulate(game, root, moves[:count], scratch, tree, None, None, None, None, buffer, rngs[i], c, simulations)
        most, best = 0, -np.inf
        for child in range(1, 1 + count):
            visits = tree.visits[child]
            mean = tree.total[child] / visits if visits > 0 else -np.inf
            if visits > most or (visits == most and mean > best):
                most, best, actions[place] = visits, mean, tree.action[child]
