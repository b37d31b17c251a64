"""A solution of a position in words and as JSON, and how far a solver is."""

from __future__ import annotations

from typing import Any

from ....agents.solver.agent import Progress, Solution
from ....agents.solver.endings import has_count
from ....envs import Game, State
from ....envs.definition.board import sides_of
from ...wording import counted, size_of

__all__ = ["in_a_line", "in_words", "names_of", "solution_data"]


def in_a_line(progress: Progress) -> str:
    """Return how far a solver is, as in ``"alpha-beta, 9 plies, 1,200,000 positions, 512 MB"``."""
    ahead = f", {counted(progress.depth, 'ply', 'plies')}" if progress.depth else ""
    return f"{progress.way}{ahead}, {counted(progress.positions, 'position')}, {size_of(int(1e6 * progress.megabytes))}"


def in_words(game: Game, state: State, found: Solution) -> str:
    """Return who wins and when, as in ``"White to move: win in 7 plies"``, or ``"… draw without end"``."""
    mover = sides_of(game)[int(game.player(state))]
    result = "draw" if found.value == 0 else "win" if found.value > 0 else "loss"
    if abs(found.value) not in (0, 1):
        result += f" by {abs(found.value):g}"
    if found.distance is None:
        is_endless = found.complete and not has_count(game)
        return f"{mover} to move: {result}{' without end' if is_endless else ''}"
    if found.distance == 0:
        return f"the game is over: {result} of {mover}" if found.value else "a draw"
    plies = counted(found.distance, "ply", "plies")
    return f"{mover} to move: {result} in {plies}"


def solution_data(game: Game, state: State, found: Solution) -> dict[str, Any]:
    """Return a solution for JSON; values are those for the player to move."""
    return {
        "value": found.value,
        "distance": found.distance,
        "best_moves": [game.move_name(state, action) for action in found.best_actions],
        "fastest_moves": [game.move_name(state, action) for action in found.fastest_actions],
        "values": {game.move_name(state, action): value for action, value in found.values.items()},
        "distances": {game.move_name(state, action): plies for action, plies in found.distances.items()},
        "line": game.line_names(found.pv, state),
        "nodes": found.nodes,
        "seconds": found.seconds,
    }


def names_of(game: Game, state: State, actions: tuple[int, ...]) -> str:
    """Return the names of actions in a position, in a line."""
    return " ".join(game.move_name(state, action) for action in actions)
