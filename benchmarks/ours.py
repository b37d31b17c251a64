"""Our side of each measurement."""

from __future__ import annotations

from typing import Any

import numpy as np
from aec_loop import aec_loop
from harness import Work

from plyground.agents import MCTS, AlphaBeta
from plyground.envs import connect_four_v0, make_game, tictactoe_v0
from plyground.envs.jit import kernel
from plyground.envs.prng import new_rng

__all__ = ["alphabeta", "connect_four_loop", "mean_game_length", "random_playouts", "tictactoe_loop", "uct"]

PLAYOUTS = 100_000  # in one piece of work


def connect_four_loop() -> Work:
    return aec_loop(connect_four_v0.env())


def tictactoe_loop() -> Work:
    return aec_loop(tictactoe_v0.env())


@kernel
def _playouts(game, initial, scratch, actions, rng, games):
    """Play ``games`` random games from ``initial[0]``, and return how many plies they took."""
    plies = 0
    for _ in range(games):
        scratch[0] = initial[0]
        state = scratch[0]
        while not game.is_terminal(state):
            game.play(state, game.random_action(state, actions, rng))
            plies += 1
    return plies


def random_playouts() -> Work:
    """Return work that plays random games in one kernel call and counts plies."""
    game = make_game("connect_four")
    scratch = np.zeros(1, game.dtype)
    actions = np.empty(game.num_actions, np.int32)
    rng = new_rng(0)
    return lambda: _playouts(game, game.initial, scratch, actions, rng, PLAYOUTS)


def mean_game_length() -> float:
    """Return the mean length of random games, in plies; its standard error is below 0.02."""
    return random_playouts()() / PLAYOUTS


def _zero(state: Any, player: Any) -> float:
    return 0.0


def alphabeta(depth: int) -> Work:
    """Return work that searches the start to ``depth`` with plain alpha-beta, and counts the positions it comes to."""
    agent = AlphaBeta("connect_four", depth, table_mb=0, ordered=False, iterative=False, evaluate=_zero)
    start = agent.game.new_state()
    return lambda: agent.analyse(start).nodes


def uct(simulations: int, c: float) -> Work:
    """Return work that searches the start with ``simulations`` of UCT, and counts them."""
    agent = MCTS("connect_four", simulations, c=c, seed=0)
    start = agent.game.new_state()

    def work() -> int:
        agent.analyse(start)
        return simulations

    return work
