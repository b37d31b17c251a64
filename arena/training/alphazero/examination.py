"""How well a net plays, without search, now and then during training: by the ladder, and by solved positions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ....envs import Game
from ...grading import committed_positions, grade
from ...grading.answers import shown
from ...grading.heads import batch_of
from ...openings import default_opening_plies
from ..ladder import Net, ladder_scores, preferred
from .config import AlphaZeroConfig

__all__ = ["Examination"]

_POSITIONS = 1000  # solved ones, at most


class Examination:
    """Tests of the moves that a net prefers.

    Args:
        game: the game.
        config: the configuration, which names the ladder.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig) -> None:
        self.game, self.config = game, config

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

    @cached_property
    def _solved(self) -> Any:
        """The solved positions, planes [positions, *observation_shape] and masks; None if there are none."""
        positions = committed_positions(self.game)
        if positions is None:
            return None
        positions = positions.stratified()
        positions = positions.select(np.arange(min(len(positions), _POSITIONS)))
        return positions, *batch_of(list(shown(self.game, positions.lines)))
