"""The peers' side of each measurement.

Each function imports its peer when it is called, and raises `ModuleNotFoundError` where that is not installed. The
imports are by name, so that the type checker does not ask for them either.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

from aec_loop import aec_loop
from harness import Work

__all__ = ["open_spiel_alphabeta", "open_spiel_playouts", "open_spiel_uct", "pettingzoo_loop"]

MEMORY_MB = 1000  # for OpenSpiel's trees: more than they take


def pettingzoo_loop(module: str) -> Work:
    """Return the loop over an environment of ``pettingzoo.classic``, which also needs pygame."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The old environment creation API has been deprecated", DeprecationWarning)
        classic = import_module(f"pettingzoo.classic.{module}")
    return aec_loop(classic.env())


def open_spiel_playouts(rollouts: int, mean_length: float) -> Work:
    """Return work that plays ``rollouts`` random games in one call of OpenSpiel's C++, counted in plies.

    Python cannot call the C++ evaluator, but the C++ search does: its first simulation stops at the root, and asks for
    the value of the start. One simulation with ``rollouts`` rollouts is these and next to nothing else. The call does
    not tell how many plies they took: that is ``rollouts`` times the mean length of a random game, which the rules
    alone decide, and which is measured on our side.
    """
    spiel = import_module("pyspiel")
    game = spiel.load_game("connect_four")
    start = game.new_initial_state()
    bot = _uct_bot(spiel, game, rollouts=rollouts, c=2.0, simulations=1)
    plies = round(rollouts * mean_length)

    def work() -> int:
        bot.mcts_search(start)
        return plies

    return work


def open_spiel_alphabeta(depth: int) -> Work:
    """Return work that searches the start to ``depth``, and counts the positions it comes to, the start included.

    The search is deterministic, so the positions are counted once, beforehand; the timed search runs as it is shipped.
    """
    spiel = import_module("pyspiel")
    minimax = import_module("open_spiel.python.algorithms.minimax")
    game = spiel.load_game("connect_four")

    def search(start: Any) -> None:
        minimax.alpha_beta_search(game, start, value_function=lambda state: 0.0, maximum_depth=depth)

    counter = [0]
    search(_CountedState(game.new_initial_state(), counter))
    start, nodes = game.new_initial_state(), counter[0]

    def work() -> int:
        search(start)
        return nodes

    return work


class _CountedState:
    """A state that counts its clones and theirs: the search makes one for each position that it comes to."""

    def __init__(self, state: Any, counter: list[int]) -> None:
        self._state = state
        self._counter = counter

    def clone(self) -> _CountedState:
        self._counter[0] += 1
        return _CountedState(self._state.clone(), self._counter)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)


def open_spiel_uct(simulations: int, c: float) -> Work:
    """Return work that searches the start with ``simulations`` of OpenSpiel's C++ UCT, and counts them."""
    spiel = import_module("pyspiel")
    game = spiel.load_game("connect_four")
    start = game.new_initial_state()
    bot = _uct_bot(spiel, game, rollouts=1, c=c, simulations=simulations)

    def work() -> int:
        bot.step(start)
        return simulations

    return work


def _uct_bot(spiel: Any, game: Any, *, rollouts: int, c: float, simulations: int) -> Any:
    evaluator = spiel.RandomRolloutEvaluator(rollouts, 0)
    return spiel.MCTSBot(game, evaluator, c, simulations, MEMORY_MB, solve=False, seed=0, verbose=False)
