"""What nets are held against, beside held-out moves: exact solving, and players of known strength."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats import read_records
from ...grading import committed_positions
from ...openings import default_opening_plies
from ..ladder import Choose, ladder_scores
from .part import Run
from .truth import Truth, solved_positions

__all__ = ["Judge", "opening_plies_of"]


def opening_plies_of(run: Run) -> int:
    """Return the random plies, at most, that open a game of play."""
    plies = run.config.opening_plies
    return default_opening_plies(run.game) if plies is None else plies


class Judge:
    """Marks of moves and values.

    Args:
        run: the run.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    @cached_property
    def held_out(self) -> Truth | None:
        """Solved positions of held-out games; None where the game cannot be solved."""
        run = self.run
        records = list(read_records(run.path / "records" / "held_out.jsonl"))
        found = solved_positions(
            run.game, records, run.config.solved, run.config.seed, run.path / "records" / "solved.npz"
        )
        return None if found is None else Truth(found)

    @cached_property
    def standard(self) -> Truth | None:
        """The solved positions that come with the package; None for most games."""
        found = committed_positions(self.run.game)
        return None if found is None else Truth(found)

    def prepare(self) -> None:
        """Solve what can be, once in a run, so that it takes no time from the training."""
        self.sets()

    def marks(self, choose: Choose) -> dict[str, float]:
        """Return the share of moves that keep the value, in held-out positions and in the standard ones."""
        found = self.moves(choose)
        return {f"keeps value, {name}": marks["keeps value"] for name, marks in found.items()}

    def moves(self, choose: Choose) -> dict[str, Any]:
        """Return the marks of preferred moves, by set of positions; empty where the game cannot be solved."""
        return {name: truth.of_moves(_int(choose(truth.planes, truth.masks))) for name, truth in self.sets()}

    def values(self, net: Any) -> dict[str, Any]:
        """Return the marks of a net's values, by set of positions."""
        return {name: truth.of_values(np.array(net(truth.planes)[1])) for name, truth in self.sets()}

    def sets(self) -> list[tuple[str, Truth]]:
        """Return the sets of solved positions that there are, by name."""
        sets = {"held out": self.held_out, "standard": self.standard}
        return [(name, truth) for name, truth in sets.items() if truth is not None]

    def ladder(self, choose: Choose) -> dict[str, float]:
        """Return the score, from 0 to 1, against each player of the ladder."""
        config = self.run.config
        return ladder_scores(
            self.run.game, choose, config.ladder, config.ladder_games, default_opening_plies(self.run.game), config.seed
        )


def _int(actions: NDArray[Any]) -> NDArray[np.int64]:
    return np.asarray(actions, np.int64)
