"""Quiet positions of Connect Four with something at stake, drawn ply by ply and solved.

A position is quiet if neither side could win at once, were it to move: nothing has to be taken, and nothing to be
blocked. Something is at stake if some move loses value, so the player can win or draw. Lines are drawn as in
`sampling`; what passes is kept as it comes, however many positions are won or drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...agents import Solver
from ...agents.solver.connect_four.scores import is_connect_four
from ...envs import Game, State
from .sampling import different_lines

__all__ = ["Rated", "draw_quiet_positions", "is_quiet", "wins_at_once"]


class Rated(NamedTuple):
    """What each action of a position is worth, and nothing else: half the work of a `Solution`."""

    values: dict[int, float]  # for the player to move
    distances: dict[int, int | None]  # plies to the end of the game, the action included


def draw_quiet_positions(
    solver: Solver, ply: int, count: int, seed: int = 0, *, attempts: int = 200
) -> list[tuple[list[int], Rated]]:
    """Return up to ``count`` lines of so many plies to different quiet positions, and what their actions are worth.

    The same arguments give the same positions.

    Args:
        solver: the solver of Connect Four.
        ply: the length of the lines.
        count: the number of positions wanted.
        seed: the seed of the lines.
        attempts: lines that are drawn for each position wanted, at most.

    Raises:
        ValueError: ``count`` is not positive, or the game is another one.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    if not is_connect_four(solver.game):
        raise ValueError(f"quiet positions are drawn of connect_four alone, got {solver.game.spec}")
    kept: list[tuple[list[int], Rated]] = []
    for line, state in different_lines(solver.game, ply, attempts * count, np.random.default_rng([seed, ply])):
        if is_quiet(solver.game, state):
            rated = _rated(solver, state)
            if len(set(rated.values.values())) > 1:
                kept.append((line, rated))
        if len(kept) == count:
            break
    return kept


def is_quiet(game: Game, state: State) -> bool:
    """Return whether neither side of a Connect Four position could win at once, were it to move."""
    others = state.copy()
    others["mine"], others["theirs"] = state["theirs"], state["mine"]
    return not wins_at_once(game, state) and not wins_at_once(game, others)


def wins_at_once(game: Game, state: State) -> bool:
    """Return whether the player to move can win with this move."""
    children = (game.play_moves([action], state) for action in game.actions(state))
    return any(game.is_terminal(child) and game.utility(child, game.player(state)) > 0 for child in children)


def _rated(solver: Solver, state: State) -> Rated:
    """Return what the actions of a quiet position are worth."""
    found = {action: solver.value(solver.game.play_moves([action], state)) for action in solver.game.actions(state)}
    # The other side moves next, or, on a full board, the game is drawn.
    values = {action: 0.0 - value for action, (value, _) in found.items()}
    return Rated(values, {action: None if left is None else left + 1 for action, (_, left) in found.items()})
