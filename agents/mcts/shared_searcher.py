"""One tree that several threads search at the same time: tree parallelization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from .searcher import Searcher
from .tree_parallel import Selection, simulate_together
from .uct import NEUTRAL

__all__ = ["SharedSearcher"]


class SharedSearcher(Searcher):
    """A `Searcher` whose simulations are run by as many threads as there are random generators.

    Args:
        game: the game.
        how: a child is chosen.
        rngs: of the rollouts of each thread, from `plyground.envs.jit.prng.new_rng`.
        megabytes: for the tree, at most; None for no limit. A root and its children are always kept.
    """

    def __init__(
        self, game: Game, how: Selection, rngs: Sequence[NDArray[np.uint64]], megabytes: float | None = None
    ) -> None:
        super().__init__(game, NEUTRAL, how.c, rngs[0], megabytes)
        self._how = how
        self._rngs = _apart(len(rngs), 1, np.dtype(np.uint64))
        self.reseed(rngs)
        self._pending = np.zeros(0, np.int32)  # as long as the tree; all 0 while no thread runs
        self._left = np.zeros(1, np.int64)
        self._scratches = _apart(len(rngs), 1, game.dtype)
        self._buffers = _apart(len(rngs), game.num_actions, np.dtype(np.int32))
        self._paths = _apart(len(rngs), game.max_plies + 1, np.dtype(np.int32))
        self._pool: ThreadPoolExecutor | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_pending": np.zeros(0, np.int32), "_pool": None}

    def reseed(self, rngs: Sequence[NDArray[np.uint64]]) -> None:
        """Take other random numbers: one generator for each thread."""
        for mine, rng in zip(self._rngs, rngs, strict=True):
            mine[:] = rng
        self.rng = self._rngs[0]

    def run(self, simulations: int, seconds: float | None, stopped: Callable[[], bool]) -> int:
        """Run simulations as `Searcher.run` does, in all threads."""
        if len(self._rngs) == 1:
            return super().run(simulations, seconds, stopped)
        with ThreadPoolExecutor(len(self._rngs) - 1) as self._pool:  # the calling thread is one more
            return super().run(simulations, seconds, stopped)

    def _simulate(self, simulations: int) -> int:
        assert self.tree is not None
        if self._pending.size != self.tree.visits.size:
            self._pending = np.zeros(self.tree.visits.size, np.int32)
        self._left[0] = simulations
        runs = [self._pool.submit(self._simulate_in, i) for i in range(1, len(self._rngs))] if self._pool else []
        self._simulate_in(0)
        for run in runs:
            run.result()
        return simulations - int(self._left[0])

    def _simulate_in(self, thread: int) -> None:
        assert self.tree is not None
        simulate_together(
            self.game,
            self._root,
            self._scratches[thread],
            self.tree._replace(path=self._paths[thread]),
            self._pending,
            self._how,
            self._buffers[thread],
            self._rngs[thread],
            self._left,
            len(self._rngs),
        )

    def _bytes_per_node(self) -> int:
        return super()._bytes_per_node() + np.int32().itemsize  # pending


def _apart(count: int, length: int, dtype: np.dtype[Any]) -> list[NDArray[Any]]:
    """Return arrays of zeros, no two of them in one cache line, because each is written by another thread."""
    return [row[:length] for row in np.zeros((count, length + 1 + 128 // dtype.itemsize), dtype)]
