"""The peers' side of each measurement. A game is given by the peer's own spec, with the parameters in parentheses.

Each function imports its peer when it is called, and raises `ModuleNotFoundError` where that is not installed. The
imports are by name, so that the type checker does not ask for them either.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import warnings
from importlib import import_module
from typing import Any

from benchmarks.speed.aec_loop import aec_loop
from benchmarks.speed.batches import STEPS, best_batch
from benchmarks.speed.harness import Work
from plyground.envs.outside.spec import parse_spec

__all__ = ["open_spiel_alphabeta", "open_spiel_rollouts", "open_spiel_uct", "pettingzoo_loop", "pgx_batch"]

PLIES = 50_000  # in one call for random rollouts: 0.02 to 0.3 s
STANDARD_ERROR = 0.01  # of the mean length of random games, as a part of it
MEMORY_MB = 1000  # for OpenSpiel's trees: more than they take


def pettingzoo_loop(spec: str) -> Work:
    """Return the loop over an environment of ``pettingzoo.classic``, which also needs pygame."""
    module, _, parameters = parse_spec(spec)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The old environment creation API has been deprecated", DeprecationWarning)
        classic = import_module(f"pettingzoo.classic.{module}")
    return aec_loop(classic.env(**parameters))


def open_spiel_rollouts(spec: str) -> Work:
    """Return work that plays random games in one call of OpenSpiel's C++, counted in plies.

    Python cannot call the C++ evaluator, but the C++ search does: its first simulation stops at the root, and asks for
    the value of the start. One simulation with so many rollouts is these and next to nothing else. Each of them plays
    uniformly over the legal actions, until the state is terminal.

    The call does not tell how many plies they took: that is the number of rollouts times the mean length of OpenSpiel's
    random games, which is measured beforehand and not timed. Its standard error, `STANDARD_ERROR`, is one of the rate
    and the ratio too.
    """
    spiel = import_module("pyspiel")
    game = spiel.load_game(spec)
    start = game.new_initial_state()
    mean_length = _mean_length(game)
    rollouts = round(PLIES / mean_length)
    plies = round(rollouts * mean_length)
    bot = _uct_bot(spiel, game, rollouts=rollouts, c=2.0, simulations=1)

    def work() -> int:
        bot.mcts_search(start)
        return plies

    return work


def _mean_length(game: Any) -> float:
    """Return the mean length of random games in plies, of as many as `STANDARD_ERROR` takes: 100 to some 2000."""
    rng = random.Random(0)
    lengths: list[int] = []
    while True:
        lengths += [_random_length(game, rng) for _ in range(100)]
        mean = statistics.fmean(lengths)
        if statistics.stdev(lengths) <= STANDARD_ERROR * mean * math.sqrt(len(lengths)):
            return mean


def _random_length(game: Any, rng: random.Random) -> int:
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    return state.move_number()


def open_spiel_alphabeta(spec: str, depth: int) -> Work:
    """Return work that searches the start to ``depth``, and counts the positions it comes to, the start included.

    The search is deterministic, so the positions are counted once, beforehand; the timed search runs as it is shipped.
    """
    spiel = import_module("pyspiel")
    minimax = import_module("open_spiel.python.algorithms.minimax")
    game = spiel.load_game(spec)

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


def open_spiel_uct(spec: str, simulations: int, c: float) -> Work:
    """Return work that searches the start with ``simulations`` of OpenSpiel's C++ UCT, and counts those it made."""
    spiel = import_module("pyspiel")
    game = spiel.load_game(spec)
    start = game.new_initial_state()
    bot = _uct_bot(spiel, game, rollouts=1, c=c, simulations=simulations)
    return lambda: bot.mcts_search(start).explore_count


def _uct_bot(spiel: Any, game: Any, *, rollouts: int, c: float, simulations: int) -> Any:
    evaluator = spiel.RandomRolloutEvaluator(rollouts, 0)
    return spiel.MCTSBot(game, evaluator, c, simulations, MEMORY_MB, solve=False, seed=0, verbose=False)


def pgx_batch(name: str) -> Work:
    """Return work that steps a batch of pgx's games, of the size at which that is fastest.

    A step draws random legal actions, plays them, begins finished games anew by pgx's own wrapper, and gives the
    observations and masks, all in one compiled function on the CPU. XLA gets one thread: it makes as many as the
    process has processors when it starts, which is one for that long.
    """
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"
    processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
    if processors:
        os.sched_setaffinity(0, {min(processors)})
    try:
        jax, pgx = import_module("jax"), import_module("pgx")
        jax.devices()
    finally:
        if processors:
            os.sched_setaffinity(0, processors)
    game = pgx.make(name)
    play = import_module("pgx.experimental.wrappers").auto_reset(game.step, game.init)

    @jax.jit
    def step(states: Any, key: Any) -> Any:
        key, draw, reset = jax.random.split(key, 3)
        size = states.current_player.shape[0]
        scores = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(draw, scores, axis=-1)
        return jax.vmap(play)(states, actions, jax.random.split(reset, size)), key

    def batch(size: int) -> Work:
        now = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), size)), jax.random.key(1)

        def work() -> int:
            nonlocal now
            for _ in range(STEPS):
                now = step(*now)
            jax.block_until_ready(now)
            return STEPS * size

        return work

    return best_batch(batch)
