"""A batch that knows the moves of its games, for opponents who must be told of them.

Positions are all that most players need, and a batch keeps nothing else of a game; programs with boards of their own
are told of moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..position import Position
from .batch import GameBatch
from .state_dicts import fitting, part

__all__ = ["FollowedBatch"]


class FollowedBatch(GameBatch):
    """A `GameBatch` whose games are played by parts of a step (not by `step`), with their moves.

    Attributes:
        moves: by row, the moves of the game since where the options of the reset began it, their line first and then a
            random opening.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.moves: dict[int, list[int]] = {}
        super().__init__(*arguments, **options)

    def state_dict(self) -> dict[str, Any]:
        """Return what `GameBatch.state_dict` returns, and the moves, those of all games one after the other."""
        moves = [self.moves[row] for row in range(self.num_envs)]
        joined = np.array([action for line in moves for action in line], np.int64)
        return {**super().state_dict(), "moves": joined, "moves.counts": np.array(list(map(len, moves)), np.int64)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the games go on from where they were, see `GameBatch.load_state_dict`.

        Raises:
            ValueError: as there, and if the state has no moves: its games were played against other opponents.
        """
        if isinstance(state, Mapping) and "moves" not in state:
            raise ValueError("the state has no 'moves': its games were against opponents who are not told of them")
        joined = np.asarray(part(state, "moves"))
        counts = fitting({"moves.counts": np.zeros(self.num_envs, np.int64)}, state)["moves.counts"]
        if counts.min() < 0 or counts.sum() != joined.size or joined.dtype.kind not in "iu":
            raise ValueError(f"the state has {joined.size} moves in games of {counts.tolist()}: was it changed?")
        if joined.size and not 0 <= joined.min() <= joined.max() < self.game.num_actions:
            raise ValueError(
                f"the moves of the state must be actions of {self.game.spec}, 0 to {self.game.num_actions - 1}, got "
                f"{joined.min()} to {joined.max()}: was it changed?"
            )
        super().load_state_dict(state)
        lines = np.split(joined, np.cumsum(counts)[:-1])
        self.moves = {row: line.tolist() for row, line in enumerate(lines)}

    def _begin(self, rows: NDArray[np.intp], start: Position) -> None:
        super()._begin(rows, start)
        line = self._line.tolist() if start is self._start else []
        self.moves.update((row, line.copy()) for row in rows.tolist())

    def _play(self, rows: NDArray[np.intp], actions: NDArray[np.int64]) -> None:
        super()._play(rows, actions)
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            self.moves[row].append(action)
