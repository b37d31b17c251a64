"""How well a net plays, without search, now and then during training: by the ladder, and by solved positions."""

from __future__ import annotations

import math
from collections.abc import Callable
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

    def load(self) -> None:
        """Take the positions that come with the package, or those that were solved for the run.

        Raises:
            ValueError: the file that keeps them is damaged.
        """
        count = self.config.positions
        if count == 0:
            return
        if (found := committed_positions(self.game)) is not None:
            self._take(found.stratified(count))
        elif self._kept.is_file():
            try:
                self._take(load_positions(self._kept, self.game))
            except ValueError as error:
                raise ValueError(f"{error}; remove it, and the run goes on without these marks") from None

    def solve(self, stop: Callable[[], bool]) -> None:
        """Solve positions for a new run, if there are none yet and that is soon done, and keep them.

        Args:
            stop: asked now and then whether to give it up.
        """
        count = self.config.positions
        if self._solved is not None or count == 0:
            return
        try:
            found = solve_positions(self.game, min(count or POSITIONS, _POSITIONS), seconds=_SECONDS, stop=stop)
        except (ValueError, MemoryError):  # or not so soon: that is no reason not to learn it
            return
        found = found.stratified()
        save_positions(self._kept, found)
        self._take(found)

    def _take(self, positions: SolvedPositions) -> None:
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

        The names are those of `plyground.arena.grading.Grade`; empty for a game without solved positions, and without
        the second where no move of them loses value.
        """
        if self._solved is None:
            return {}
        positions, planes, masks = self._solved
        total = grade(positions, preferred(net, planes, masks)).total
        shares = {"preserving": total.preserving.share, "keeping": total.keeping.share}
        return {name: share for name, share in shares.items() if not math.isnan(share)}
