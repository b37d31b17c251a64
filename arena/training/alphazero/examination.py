"""How well a net plays, without search, now and then during training: by the ladder, and by solved positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....envs import Game
from ...grading import (
    SolvedPositions,
    committed_positions,
    grade,
    load_positions,
    save_positions,
    solve_positions,
)
from ...grading.answers import shown
from ...grading.heads import batch_of
from ...grading.sampling import POSITIONS
from ...openings import default_opening_plies
from ..ladder import Net, ladder_scores, preferred
from .config import AlphaZeroConfig

__all__ = ["KEPT", "Examination"]

KEPT = "positions.npz"  # in the folder of a run: positions that were solved for it

_POSITIONS = 1000  # solved ones, at most
_SECONDS = 60.0  # in which positions are solved, or the net is graded by the ladder alone


class Examination:
    """Tests of the moves that a net prefers.

    Args:
        game: the game.
        config: the configuration, which names the ladder.
        run: the folder of the run.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, run: Path) -> None:
        self.game, self.config, self._kept = game, config, run / KEPT
        self._solved: Any = None  # positions, planes [positions, *observation_shape] and masks, if there are any

    def prepare(self, *, is_new: bool) -> None:
        """Find the solved positions; of a new run they may have to be solved, which takes no time from the training.

        Raises:
            ValueError: the file that keeps them is damaged.
        """
        positions = self._positions(is_new)
        if positions is not None:
            positions = positions.select(np.arange(min(len(positions), _POSITIONS)))
            self._solved = positions, *batch_of(list(shown(self.game, positions.lines)))

    def ladder(self, net: Net) -> dict[str, float]:
        """Return the score, from 0 to 1, against each player of the ladder."""
        config, game = self.config, self.game
        return ladder_scores(
            game,
            lambda planes, masks: preferred(net, planes, masks),
            config.ladder,
            config.ladder_games,
            default_opening_plies(game),
            config.seed,
        )

    def marks(self, net: Net) -> dict[str, float]:
        """Return the shares of moves that keep the value: of all, and of those where some move loses it.

        The names are those of `plyground.arena.grading.Grade`; empty for a game without solved positions.
        """
        if self._solved is None:
            return {}
        positions, planes, masks = self._solved
        total = grade(positions, preferred(net, planes, masks)).total
        return {"preserving": total.preserving.share, "keeping": total.keeping.share}

    def _positions(self, is_new: bool) -> SolvedPositions | None:
        """Return the positions that come with the package, or else those that the run solves as `evaluate` does."""
        game, count = self.game, self.config.positions
        if count == 0:
            return None
        if (found := committed_positions(game)) is not None:
            return found.stratified(count)
        if self._kept.is_file():
            return load_positions(self._kept, game)
        if not is_new:  # it could not be solved when the run began
            return None
        try:
            found = solve_positions(game, count or POSITIONS, seconds=_SECONDS).stratified()
        except (ValueError, MemoryError):  # or not so soon: that is no reason not to learn it
            return None
        save_positions(self._kept, found)
        return found
