"""Monte Carlo tree search: UCT with random rollouts, over the kernels of `plyground.agents.tree`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, State
from ..envs.prng import new_rng
from .analysis import Analysis
from .search import SearchAgent, check_budget
from .tree import Tree, grown, new_tree, simulate

__all__ = ["MCTS"]

_NODES = 4096  # room in a new tree
_CHUNK_SECONDS = 0.01  # how long a kernel call may take, about: between two looks at the clock and at Ctrl-C


class MCTS(SearchAgent):
    """UCT. Each simulation selects by ``mean + c · sqrt(ln N / n)``, expands, plays at random to the end, and backs up.

    The move with the most visits is played (of equals the one with the better mean, then the lower number). Without a
    budget there are 1000 simulations. The same seed and number of simulations give the same move; seconds do not.

    In `analyse`, ``values`` are the means of the simulations through each action, for the player to move, and
    ``visits`` their numbers; ``nodes`` counts the visited nodes of the tree.

    Args:
        game: the game, or its name.
        simulations: for each move.
        seconds: wall-clock time for each move. Of both budgets the first to run out ends the search.
        c: how much to explore. The means run from -1 to 1 (times the game's ``max_utility``), twice the range for which
            UCB1's √2 is meant.
        seed: of the rollouts; None takes one from the system's entropy.

    Raises:
        ValueError: a budget is not positive, or ``c`` is negative.
    """

    def __init__(
        self,
        game: Game | str,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        c: float = 1.4,
        seed: int | None = None,
    ) -> None:
        super().__init__(game)
        check_budget(simulations=simulations, seconds=seconds)
        if not c >= 0:
            raise ValueError(f"c must be at least 0, got {c!r}")
        self.simulations = 1000 if simulations is None and seconds is None else simulations
        self.seconds, self.c = seconds, float(c)
        self._rng = new_rng(seed)
        self._tree: Tree | None = None

    def reset(self, seed: int | None = None) -> None:
        """Start the random numbers anew, if a seed is given. No tree is kept from move to move."""
        if seed is not None:
            self._rng = new_rng(seed)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_tree": None}

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        root, scratch = np.zeros(1, self.game.dtype), np.zeros(1, self.game.dtype)
        root[0] = state
        tree = self._empty_tree()
        buffer = np.empty(self.game.num_actions, np.int32)
        tree.mover[0] = 1 - self.game.player(state)  # as if the opponent had just moved
        done, chunk, limit = 0, 64, self.simulations or 2**31 - 1
        now = start
        while done < limit and (done == 0 or self.seconds is None or now - start < self.seconds):
            wanted = min(chunk, limit - done)
            finished = simulate(self.game, root, scratch, tree, buffer, self._rng, self.c, wanted)
            done += finished
            if finished < wanted:
                self._tree = tree = grown(tree)
            before, now = now, time.perf_counter()
            if now - before < _CHUNK_SECONDS:
                chunk *= 2
        return self._answer(tree, state, done, time.perf_counter() - start)

    def _empty_tree(self) -> Tree:
        """Return the tree of the last move, emptied, or a new one."""
        if self._tree is None:
            self._tree = new_tree(max(_NODES, 4 * self.game.num_actions), self.game.max_plies)
        tree = self._tree
        tree.size[0] = 1
        tree.visits[0] = tree.child_count[0] = 0
        tree.total[0] = 0.0
        return tree

    def _answer(self, tree: Tree, state: State, simulations: int, seconds: float) -> Analysis:
        children = _children(tree, 0)
        visits = {int(tree.action[child]): int(tree.visits[child]) for child in children}
        values = {
            int(tree.action[child]): float(tree.total[child] / tree.visits[child])
            for child in children
            if tree.visits[child]
        }
        pv: list[int] = []
        node = 0
        while tree.child_count[node] > 0:
            node = max(_children(tree, node), key=lambda n: (tree.visits[n], tree.total[n], -tree.action[n]))
            if tree.visits[node] == 0:
                break
            pv.append(int(tree.action[node]))
        return Analysis(
            best_action=pv[0],
            value=values[pv[0]],
            best_actions=(pv[0],),
            values=dict(sorted(values.items())),
            visits=dict(sorted(visits.items())),
            pv=tuple(pv),
            depth=len(pv),
            nodes=int(np.count_nonzero(tree.visits[: tree.size[0]])),
            leaves=simulations,
            exact=False,
            seconds=seconds,
        )


def _children(tree: Tree, node: int) -> range:
    first = int(tree.first_child[node])
    return range(first, first + int(tree.child_count[node]))
