"""Whether a game is too large to be solved from its start, as far as random games tell.

A solver finds that out as well, once it is compiled. Where it would be compiled in vain, nobody should have to wait.
"""

from __future__ import annotations

import math

import numpy as np

from ...agents.solver.connect_four.scores import is_connect_four
from ...envs import Game, GameBatch, checkers, chess
from ...envs.definition.identity import has_rules_of

__all__ = ["is_large"]

_GAMES, _PLIES = 1 << 14, 200  # of random play
_ROOM = 20_000_000  # positions, mirror images included: more than `solve_positions` has memory for


def is_large(game: Game) -> bool:
    """Return whether a game has so many positions that hardly two of many random games meet.

    By the birthday problem, as `plyground.agents.solver.sampling` has it, but in the kernels of a `GameBatch`, which
    whoever trains has compiled anyway. What players see stands for a position. False may be wrong, as where
    observations show earlier positions, and nothing is estimated.
    """
    if is_connect_four(game):  # its later positions are solved by themselves
        return False
    if any(has_rules_of(game, known) for known in (checkers, chess)):
        return True
    if game.history is not None:
        return False
    batch = GameBatch(game, _GAMES, seed=0)
    size = math.prod(game.observation_shape) * game.observation_dtype.itemsize
    factors = np.random.default_rng(0).integers(-(2**63), 2**63, size)  # by which planes become one number
    for ply in range(1, min(game.max_plies, _PLIES)):
        batch.step(batch.random_actions())
        planes = batch.observations[batch.plies == ply]  # the other games have begun anew
        numbers = np.einsum("ij,j->i", planes.view(np.uint8).reshape(-1, size), factors, dtype=np.int64)
        alike = np.unique(numbers, return_counts=True)[1]
        pairs, met = len(planes) * (len(planes) - 1) // 2, int((alike * (alike - 1)).sum()) // 2
        if pairs > _ROOM * max(met, 1):
            return True
        if pairs <= _ROOM:  # too few games are left to tell
            return False
    return False
