"""Perft: how many sequences of so many legal moves there are, the test and the measure of a move generator.

Counts for known positions are published (``tests/data/perft.json`` and ``tests/data/perft`` have some): a rule that is
wrong anywhere changes them. Games do not end early: draws by dead positions and the count of quiet plies are not asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...game import Game
from ...jit import kernel
from ...outside.arguments import checked_whole
from .listing import count_moves
from .moves import MOST_MOVES

__all__ = ["perft"]

_MOST_DEPTH = 20


@kernel
def _count(game, states, actions, ply, depth):
    """Count the legal moves at the leaves' parents without playing them."""
    state, child = states[ply], states[ply + 1]
    if depth == 1:
        return count_moves(state)
    total = 0
    for i in range(game.legal_actions(state, actions[ply])):
        states[ply + 1] = state
        game.play(child, actions[ply, i])
        total += _count(game, states, actions, ply + 1, depth - 1)
    return total


@kernel
def _play_all(game, states, actions, ply, depth):
    """Play every move, the last ones too."""
    state, child = states[ply], states[ply + 1]
    total = 0
    for i in range(game.legal_actions(state, actions[ply])):
        states[ply + 1] = state
        game.play(child, actions[ply, i])
        total += 1 if depth == 1 else _play_all(game, states, actions, ply + 1, depth - 1)
    return total


def perft(game: Game, state: Any, depth: int, bulk: bool = True) -> int:
    """Return how many sequences of ``depth`` legal moves lead on from a state of chess.

    Args:
        game: chess, with any parameters.
        state: the state, which is not changed.
        depth: 1 to 20.
        bulk: count the last moves without playing them.

    Raises:
        ValueError: the game is another one, the state is not one of chess, or the depth is out of range.
    """
    if game.name != "chess":
        raise ValueError(f"perft counts moves of chess, got {game!r}")
    depth = checked_whole("depth", depth, 1, _MOST_DEPTH)
    states = np.zeros(depth + 1, game.dtype)
    actions = np.empty((depth, MOST_MOVES), np.int32)
    states[0] = game.state_check.checked(state)
    return int((_count if bulk else _play_all)(game, states, actions, np.int64(0), np.int64(depth)))
