"""Plain minimax, as the textbooks define it: the oracle against which every faster search is checked.

The value of a state is its utility if it is terminal, the evaluation at the depth limit, and otherwise the best of its
successors' values for the player to move (Russell & Norvig, Artificial Intelligence, chapter "Adversarial search"). It
is written as negamax: a value is from the point of view of the player to move, and changes its sign where the turn
changes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Game, State
from ..envs.jit import bind, kernel
from .analysis import Analysis
from .clock import run_with_stop
from .search import DEEPEST, SearchAgent, check_evaluation, line_of, value_found, with_evaluation
from .settings import Budget

__all__ = ["Minimax"]

# Counts: positions; searches that ended at one; those that the depth limit ended; evaluations that are NaN.
_NODES, _LEAVES, _HORIZON, _UNDEFINED = range(4)

# The states, legal moves and best lines of each ply; the counts; the stop flag.
_Arrays = tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.uint8]]


@kernel
def _minimax(game, states, moves, line, ply, depth, counts, stop):
    """Return the value of ``states[ply]`` for its player to move, and leave its best line in ``line[ply, ply:]``."""
    state = states[ply]
    player = game.player(state)
    counts[_NODES] += 1
    line[ply, ply] = -1
    if game.is_terminal(state):
        counts[_LEAVES] += 1
        return np.float64(game.utility(state, player))  # what can be None, too, does not compile
    if depth == 0:
        counts[_LEAVES] += 1
        counts[_HORIZON] += 1
        value = np.float64(game.evaluate(state, player))
        counts[_UNDEFINED] += np.isnan(value)  # as it compares with nothing, its move would be left out
        return value
    best = -np.inf
    for i in range(game.legal_actions(state, moves[ply])):
        if stop[0]:
            break
        states[ply + 1] = state
        child = states[ply + 1]
        game.play(child, moves[ply, i])
        same_player = game.player(child) == player
        value = _minimax(game, states, moves, line, ply + 1, depth - 1, counts, stop)
        if not same_player:
            value = -value
        if value > best:
            best = value
            line[ply, ply] = moves[ply, i]
            for later in range(ply + 1, line.shape[1]):
                line[ply, later] = line[ply + 1, later]
    return best


class Minimax(SearchAgent):
    """Minimax to a fixed depth with an evaluation function, or to the end of the game.

    `analyse` gives the exact value of every action at that depth.

    Args:
        game: the game, or its name.
        depth: plies to look ahead, 256 at most; None searches to the end, which only small games allow.
        evaluate: the evaluation to use instead of the game's, ``evaluate(state, player)``, in any unit in which a win
            is worth more than any value it returns. It must be opposite for the players: before the first search that
            is checked in positions of random games.
        weights: weights of the game's features, to use instead of its own, as in ``{"mobility": 0.5}``; features that
            are not named keep theirs. See `Game.with_weights`.

    Raises:
        ValueError: the depth is not positive, the weights do not fit, or both weights and ``evaluate`` are given.
    """

    depth = Budget()

    def __init__(
        self,
        game: Game | str,
        depth: int | None = None,
        evaluate: Any = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(game)
        self.depth = depth
        self.game, self._has_evaluation = with_evaluation(self.game, evaluate, weights), evaluate is not None

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: minimax keeps no memory and draws no random numbers."""

    def _arrays(self, depth: int) -> _Arrays:
        """Return what the kernel needs for lines of ``depth`` plies."""
        return (
            np.zeros(depth + 1, self.game.dtype),
            np.empty((depth + 1, self.game.num_actions), np.int32),
            np.full((depth + 1, depth + 2), -1, np.int32),
            np.zeros(4, np.int64),
            np.zeros(1, np.uint8),
        )

    def _compile(self) -> None:
        states, moves, line, counts, stop = self._arrays(1)
        bind(_minimax, self.game, states, moves, line, 0, 0, counts, stop)
        if self._has_evaluation:
            check_evaluation(self.game)

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        game = self.game
        depth = min(self.depth or game.max_plies, game.max_plies, DEEPEST)
        start = time.perf_counter()
        states, moves, line, counts, stop = self._arrays(depth)
        counts[_NODES] = 1
        values: dict[int, float] = {}
        lines: dict[int, tuple[int, ...]] = {}
        proved: list[int] = []
        for action in actions.tolist():
            states[0] = state
            game.play(states[0], action)
            horizon = int(counts[_HORIZON])
            sign = 1 if game.player(states[0]) == game.player(state) else -1
            value = run_with_stop(lambda: _minimax(game, states, moves, line, 0, depth - 1, counts, stop), stop)
            values[action] = value_found(np.nan if counts[_UNDEFINED] else sign * value + 0.0)  # no -0
            lines[action] = (action, *line_of(line[0]))
            if counts[_HORIZON] == horizon or abs(value) >= game.max_utility:
                proved.append(action)
        value = max(values.values())
        best = tuple(action for action in values if values[action] == value)
        return Analysis(
            best_action=best[0],
            value=value,
            best_actions=best,
            values=values,
            proved=tuple(proved),
            pv=lines[best[0]],
            depth=depth,
            nodes=int(counts[_NODES]),
            leaves=int(counts[_LEAVES]),
            exact=bool(counts[_HORIZON] == 0) or abs(value) >= game.max_utility,
            seconds=time.perf_counter() - start,
        )
