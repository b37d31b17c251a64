"""Held-out positions with the exact value of every move, for games that can be solved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents import Solver
from ....agents.solver.connect_four.scores import is_connect_four
from ....envs import Game
from ...grading import SolvedPositions, grade, load_positions, save_positions
from ...grading.answers import shown
from ...grading.files import as_data
from ...grading.heads import batch_of
from ...grading.sampling import join_positions, solvable_plies
from ...records.record import GameRecord
from ...records.replay import legal_moves

__all__ = ["Truth", "solved_positions"]

_TABLE_MB = 64  # a game that needs more is not small


def solved_positions(
    game: Game, records: Sequence[GameRecord], count: int, seed: int, path: Path
) -> SolvedPositions | None:
    """Return positions of games in which a player chose the move, solved; None for a game that cannot be solved.

    Args:
        game: the game.
        records: games that nothing was learned from.
        count: how many positions, at most; no two are the same.
        seed: the seed of what is drawn.
        path: the file that keeps them: they are read, if it exists.

    Raises:
        ValueError: the file is damaged, or of another game.
    """
    if path.is_file():
        return load_positions(path, game)
    if not count:
        return None
    try:  # Go, say, which forbids repetition, has no solver at all
        solver = Solver(game, None if is_connect_four(game) else _TABLE_MB, seconds=0)
        first = min(solvable_plies(solver))
    except ValueError:
        return None
    places = [
        (number, ply)
        for number, record in enumerate(records)
        for ply in range(first, len(legal_moves(record)))
        if record.movers[ply] >= 0
    ]
    found, seen = [], set[int]()
    for place in np.random.default_rng([seed, 2]).permutation(len(places)):
        if len(found) == count:
            break
        number, ply = places[place]
        line = list(records[number].moves[:ply])
        state = game.play_moves(line)
        key = int(game.canonical_key(state))
        if key not in seen:
            seen.add(key)
            solution = solver.solve(state)
            if len(solution.values) == len(game.actions(state)):  # all actions are known
                found.append((line, solution))
    if not found:
        return None
    positions = join_positions(game, found)
    save_positions(path, positions)
    return positions


class Truth:
    """What moves and values are held against.

    Args:
        positions: solved ones.
    """

    def __init__(self, positions: SolvedPositions) -> None:
        self.positions = positions
        self.planes, self.masks = batch_of(list(shown(positions.game, positions.lines)))
        self._value = positions.value / positions.game.max_utility

    def of_moves(self, actions: NDArray[np.int64]) -> dict[str, Any]:
        """Return the shares of moves that are among the best: keep the value, and win soonest or lose latest too."""
        grades = grade(self.positions, actions)
        return {
            "positions": len(self.positions),
            "keeps value": grades.total.preserving.share,
            "keeps value where some move loses it": as_data(grades.total.keeping.share),
            "optimal": grades.total.optimal.share,
            "by ply": {
                str(one.ply): {"positions": one.positions, "keeps value": one.preserving.share} for one in grades.by_ply
            },
        }

    def of_values(self, values: NDArray[np.floating[Any]]) -> dict[str, Any]:
        """Return the mean squared error of values [positions], shares of the largest utility; also by ply."""
        errors = (values.astype(np.float64) - self._value) ** 2
        plies = self.positions.plies
        return {
            "positions": len(self.positions),
            "mse": float(errors.mean()),
            "by ply": {
                str(ply): {"positions": int((plies == ply).sum()), "mse": float(errors[plies == ply].mean())}
                for ply in np.unique(plies).tolist()
            },
        }
