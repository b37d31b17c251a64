"""The kinds of agents that come with the package, by the names that specs call them."""

from __future__ import annotations

from functools import partial

from .alphabeta.agent import AlphaBeta
from .alphago import AlphaGo
from .alphazero import AlphaZero, network
from .best import best
from .engines import engine, gnugo
from .human import Human
from .isolation import Isolated
from .mcts.agent import MCTS
from .mcts.flat import FlatMonteCarlo
from .minimax import Minimax
from .mixture import Mixture
from .policies.policy import Policy
from .puct.agent import PUCT
from .random import Random
from .registry import register_agent
from .solver.agent import Solver

__all__ = ["register_kinds"]


def register_kinds() -> None:
    """Tell the registry of all of them, once, when the package is imported.

    The registry itself imports no agent, so agents that are made of others, which may be specs, can import it.
    """
    for name, constructor in {
        "a2c": partial(Policy, algorithm="a2c"),
        "alphabeta": AlphaBeta,
        "alphago": AlphaGo,
        "alphazero": AlphaZero,
        "best": best,
        "dqn": partial(Policy, algorithm="dqn"),
        "engine": engine,
        "flat": FlatMonteCarlo,
        "gnugo": gnugo,
        "human": Human,
        "isolated": Isolated,
        "mcts": MCTS,
        "minimax": Minimax,
        "mixture": Mixture,
        "network": network,
        "policy": Policy,
        "ppo": partial(Policy, algorithm="ppo"),
        "puct": PUCT,
        "random": Random,
        "solver": Solver,
    }.items():
        register_agent(name, constructor)
