"""Searches that somebody listens to: what they tell, that they end when told to, and that listening changes nothing."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, AlphaBeta, Analysis, Listener, SearchAgent, make
from plyground.agents.mcts.searcher import Searcher
from plyground.agents.puct.tree import collect
from plyground.envs import make_game

GAME = make_game("connect_four")
STATE = GAME.play_moves([3, 3, 2])


def counted(found: Analysis) -> Analysis:
    """Return what was found without the time that it took."""
    return replace(found, seconds=0.0)


def test_each_depth_is_told_and_nothing_else_changes() -> None:
    told: list[Analysis] = []
    agent = AlphaBeta(GAME, depth=6)
    expected = [counted(AlphaBeta(GAME, depth=depth).analyse(STATE)) for depth in range(1, 7)]
    agent.listener = Listener(told.append)  # pyright: ignore[reportArgumentType]
    found = agent.analyse(STATE)
    assert [counted(one) for one in told] == expected
    assert counted(found) == expected[-1]


def test_who_has_heard_enough_ends_the_search() -> None:
    agent = AlphaBeta(GAME, seconds=60)
    agent.listener = Listener(lambda found: found.depth == 3)
    assert agent.analyse(STATE).depth == 3


@pytest.mark.parametrize("spec", ["alphabeta(seconds=60)", "mcts(seconds=60)", "puct(seconds=60)"])
@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_a_stop_ends_the_search_at_once(spec: str, delay: float) -> None:
    agent: Any = make(spec, GAME)
    agent.prepare()
    assert agent.hears
    agent.listener = Listener()
    if delay:
        threading.Timer(delay, agent.listener.stop).start()
    else:
        agent.listener.stop()
    start = time.perf_counter()
    found = agent.analyse(STATE)
    assert found.best_action in range(7)
    assert time.perf_counter() - start < 5
    agent.listener = None
    agent.seconds = 0.02
    assert agent.analyse(STATE).best_action in range(7)


@pytest.mark.parametrize("cls", [MCTS, PUCT])
def test_sampling_tells_ten_times_a_second(cls: type[MCTS | PUCT], monkeypatch: pytest.MonkeyPatch) -> None:
    now, told = 0.0, list[Analysis]()

    def timed(work: Any) -> Any:
        def worked(*arguments: Any) -> Any:
            nonlocal now
            done = work(*arguments)
            now += 2e-4 * int(np.sum(done))  # seconds of a simulation
            return done

        return worked

    agent = cls(GAME, seconds=0.45, seed=1)
    agent.prepare()
    for module in ("mcts.searcher", "mcts.agent", "puct.agent"):
        monkeypatch.setattr(f"plyground.agents.{module}.time", SimpleNamespace(perf_counter=lambda: now))
    monkeypatch.setattr(Searcher, "_simulate", timed(Searcher._simulate))
    monkeypatch.setattr("plyground.agents.puct.agent.collect", timed(collect))
    agent.listener = Listener(told.append)  # pyright: ignore[reportArgumentType]
    found = agent.analyse(STATE)
    assert 4 <= len(told) <= 5
    assert 0.45 <= found.seconds < 0.47
    assert [one.leaves for one in told] == sorted(one.leaves for one in told)
    assert told[-1].leaves <= found.leaves


@pytest.mark.parametrize(
    "spec",
    [
        "mcts(simulations=100000, seed=1)",
        "mcts(simulations=100001, threads=2, seed=1)",  # the quicker tree had more simulations in all
        "mcts(simulations=100001, threads=2, solver=true, seed=1)",
        "puct(simulations=3000, seed=1)",
    ],
)
def test_sampling_finds_the_same_when_somebody_listens(spec: str) -> None:
    alone, heard = make(spec, GAME), make(spec, GAME)
    assert isinstance(alone, SearchAgent)
    assert isinstance(heard, SearchAgent)
    told: list[Analysis] = []
    heard.listener = Listener(told.append, every=0.001)  # pyright: ignore[reportArgumentType]
    assert counted(heard.analyse(STATE)) == counted(alone.analyse(STATE))
    assert len(told) > 1


@pytest.mark.slow
def test_a_gumbel_root_tells_each_time_that_it_has_doubled_its_simulations() -> None:
    told: list[Analysis] = []
    agent = PUCT(GAME, seconds=60, root="gumbel", seed=1)
    agent.listener = Listener(lambda found: told.append(found) or len(told) == 3)  # pyright: ignore[reportArgumentType]
    found = agent.analyse(STATE)
    assert len(told) == 3
    assert found.leaves >= 64 + 128 + 256


def test_a_copy_has_no_listener() -> None:
    agent = AlphaBeta(GAME)
    agent.listener = Listener()
    assert agent.__getstate__()["listener"] is None


def test_what_a_listener_raises_ends_the_search() -> None:
    def hear(found: Analysis) -> bool:
        raise ValueError("enough")

    agent = AlphaBeta(GAME, depth=5)
    agent.listener = Listener(hear)
    with pytest.raises(ValueError, match="enough"):
        agent.analyse(STATE)
