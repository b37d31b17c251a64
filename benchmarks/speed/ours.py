"""Our side of each measurement. A game is given by its spec, as in ``"go(board_size=9)"``."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.aec_loop import aec_loop
from benchmarks.speed.batches import STEPS, best_batch
from benchmarks.speed.harness import Work
from plyground.agents import MCTS, AlphaBeta
from plyground.envs import BoardGameEnv, GameBatch, make_game
from plyground.envs.jit import kernel
from plyground.envs.jit.prng import new_rng

__all__ = ["alphabeta", "batch", "environment_loop", "random_rollouts", "uct"]

PLIES = 500_000  # in one piece of work, at least: it ends with a game


def environment_loop(spec: str) -> Work:
    """Return the loop over our environment, the one that the ``env()`` of the game's module makes."""
    return aec_loop(BoardGameEnv(spec))


@kernel
def _rollouts(game, initial, scratch, actions, rng, wanted):
    """Play random games from ``initial[0]`` until they are ``wanted`` plies together, and return how many they were."""
    plies = 0
    while plies < wanted:
        scratch[0] = initial[0]
        state = scratch[0]
        while not game.is_terminal(state):
            game.play(state, game.random_action(state, actions, rng))
            plies += 1
    return plies


def random_rollouts(spec: str) -> Work:
    """Return work that plays random games in one kernel call and counts plies.

    The moves are those of the searches' rollouts: uniform over the legal actions, but for Go, where they fill no own
    eyes. See `plyground.envs.games.go.game`.
    """
    game = make_game(spec)
    scratch = np.zeros(1, game.dtype)
    actions = np.empty(game.num_actions, np.int32)
    rng = new_rng(0)
    return lambda: _rollouts(game, game.initial, scratch, actions, rng, PLIES)


def _zero(state: Any, player: Any) -> float:
    return 0.0


def alphabeta(spec: str, depth: int) -> Work:
    """Return work that searches the start to ``depth`` with plain alpha-beta, and counts the positions it comes to."""
    agent = AlphaBeta(spec, depth, table_mb=0, ordered=False, pvs=False, iterative=False, evaluate=_zero)
    start = agent.game.new_state()
    return lambda: agent.analyse(start).nodes


def uct(spec: str, simulations: int, c: float) -> Work:
    """Return work that searches the start with ``simulations`` of plain UCT, and counts those that were made."""
    agent = MCTS(spec, simulations, c=c, rollout="random", seed=0)
    start = agent.game.new_state()
    return lambda: agent.analyse(start).leaves


def batch(spec: str) -> Work:
    """Return work that steps a batch of games with random actions, of the size at which that is fastest."""

    def of_size(size: int) -> Work:
        games = GameBatch(spec, size, seed=0)

        def work() -> int:
            for _ in range(STEPS):
                games.step(games.random_actions())
            return STEPS * size

        return work

    return best_batch(of_size)
