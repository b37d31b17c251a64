"""What searches of many positions in one call of compiled code share: opponents in a batch of games.

Each row is searched as an agent would search it, with memory that belongs to the thread, or to the row where a search
keeps something from move to move; so neither threads nor the other rows change a game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, GameBatch
from ..envs.jit import kernel
from ..envs.vector.checks import checked_rows
from ..envs.vector.opponents import Memoryless
from .compiling import compiling

__all__ = ["BatchedSearch", "list_actions"]

_POSITIONS = 1e6  # positions that a call of a kernel may visit, about: Ctrl-C is heard between two calls


class BatchedSearch(Memoryless, ABC):
    """Searches the rows of a batch, each thread with memory of its own.

    Args:
        game: the game, with the agent's evaluation.
        positions: positions that the search of a row visits at most.
    """

    def __init__(self, game: Game, positions: float) -> None:
        self.game = game
        self._rows = max(1, int(_POSITIONS / positions))  # rows that one call searches
        self._memory: list[Any] = []  # a workspace for each thread
        self._is_prepared = False

    def prepare(self, batch: GameBatch) -> None:
        """Compile the searches, by a call of the kernel for no rows."""
        if not self._is_prepared:
            none: NDArray[np.int64] = np.zeros(0, np.int64)
            with compiling(type(self).__name__.removeprefix("Batched").lower(), self.game):
                self._search(self._new_memory(), batch, none.astype(np.intp), none, 0, 0)
            self._is_prepared = True

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the actions that the searches choose.

        Raises:
            ValueError: the batch is of another game, or the rows are not different rows of it.
        """
        if batch.game.spec != self.game.spec or batch.game.dtype != self.game.dtype:
            raise ValueError(f"expected a batch of {self.game.spec}, got one of {batch.game.spec}")
        rows = checked_rows(rows, batch.num_envs)
        while len(self._memory) < batch.threads:
            self._memory.append(self._new_memory())
        actions = np.zeros(rows.size, np.int64)

        def search(piece: int, first: int, last: int) -> None:
            for start in range(first, last, self._rows):
                self._search(self._memory[piece], batch, rows, actions, start, min(start + self._rows, last))

        batch.spread(rows.size, search)
        return actions

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_memory": [], "_is_prepared": False}

    @abstractmethod
    def _new_memory(self) -> Any: ...

    @abstractmethod
    def _search(
        self,
        memory: Any,
        batch: GameBatch,
        rows: NDArray[np.intp],
        actions: NDArray[np.int64],
        first: int,
        last: int,
    ) -> None:
        """Write an action for each row of ``rows[first:last]``."""


@kernel
def list_actions(mask, actions):
    """Write the actions of a mask, ascending, and return how many there are."""
    count = 0
    for action in range(mask.size):
        if mask[action] != 0:
            actions[count] = action
            count += 1
    return count
