"""One agent, several threads."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, AlphaBeta, FlatMonteCarlo, Solver
from plyground.agents.analysis import Analysis
from plyground.agents.search import SearchAgent
from plyground.envs import State, make_game

_GAME = make_game("connect_four")
_OPENINGS = [[3, 3, 3, 3, 2, 4, 2, 2, 2, 2, first, second] for first in (0, 1, 3, 4, 5, 6) for second in (0, 3, 6)]
_STATES = [_GAME.play_moves(moves) for moves in _OPENINGS]


def _by_threads(ask: Callable[[State], Any]) -> list[list[Any]]:
    """Return what four threads hear of all positions, each of which asks about them in an order of its own."""

    def heard(thread: int) -> list[Any]:
        order = np.random.default_rng(thread).permutation(len(_STATES)).tolist()
        answers = {number: ask(_STATES[number]) for number in order}
        return [answers[number] for number in range(len(_STATES))]

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(heard, range(4)))


class _Slow(SearchAgent):
    """Notes whether it is asked while it searches."""

    busy, crowded = 0, False

    def reset(self, seed: int | None = None) -> None:
        pass

    def _search(self, state: State, actions: Any) -> Analysis:
        self.busy += 1
        time.sleep(0.002)
        self.crowded |= self.busy > 1
        self.busy -= 1
        return Analysis(int(actions[0]), 0.0, (), {}, (), depth=0, nodes=0, leaves=0, exact=False, seconds=0.0)


def test_threads_that_share_an_agent_wait_for_each_other() -> None:
    agent = _Slow(_GAME)
    for shared in (agent, copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        _by_threads(shared.analyse)
        assert not shared.crowded


def test_a_shared_search_finds_what_it_finds_alone() -> None:
    alone = [AlphaBeta(_GAME, depth=9).analyse(state).value for state in _STATES]
    shared = AlphaBeta(_GAME, depth=9)
    assert _by_threads(lambda state: shared.analyse(state).value) == [alone] * 4


def test_a_shared_solver_is_right() -> None:
    alone = [Solver(_GAME).value(state) for state in _STATES]
    shared = Solver(_GAME)
    assert _by_threads(shared.value) == [alone] * 4


@pytest.mark.parametrize(
    "agent",
    [
        MCTS(_GAME, simulations=2000, seed=0),
        MCTS(_GAME, simulations=2000, seed=0, threads=2),
        PUCT(_GAME, simulations=300, seed=0),
        FlatMonteCarlo(_GAME, simulations=2000, seed=0),
    ],
    ids=["mcts", "mcts of two trees", "puct", "flat"],
)
def test_a_shared_tree_is_of_one_position(agent: Any) -> None:
    """Each search has all of its simulations, and those of nobody else, also while others begin a new game."""
    ended = threading.Event()

    def begin_games() -> None:
        while not ended.wait(0.001):
            agent.reset(seed=0)

    beginner = threading.Thread(target=begin_games)
    beginner.start()
    try:
        heard = _by_threads(lambda state: agent.analyse(state).visits)
    finally:
        ended.set()
        beginner.join()
    for answers in heard:
        for state, visits in zip(_STATES, answers, strict=True):
            assert set(visits) == set(_GAME.actions(state))
            assert sum(visits.values()) in range(agent.simulations - 2, agent.simulations + 1)
