"""Agents compile before any clock runs, say so if it takes long, and play what they played before."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numba.core import event

from plyground.agents import MCTS, PUCT, Mixture, compiling, make
from plyground.arena import match
from plyground.arena.notices import notices_shown
from plyground.envs import Game, SeatBatch, SoloEnv, make_game
from plyground.envs.jit import cache

SPECS = [
    "alphabeta(depth=3)",
    "flat(simulations=20)",
    "mcts(simulations=50, reuse_tree=true)",
    "minimax(depth=2)",
    "mixture(mcts(simulations=20))",
    "puct(simulations=20, reuse_tree=true)",
    "solver",
    pytest.param("alphabeta(depth=3, quiescence=1)", marks=pytest.mark.slow),
    pytest.param("mcts(simulations=50, solver=true, rave=10, bias=1)", marks=pytest.mark.slow),
    pytest.param("puct(simulations=20, lambda_=0.5)", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_prepared_compiles_no_more(spec: str, compiled: list[str]) -> None:
    game = make_game("mnk(m=3, n=3, k=3)")
    agent: Any = make(spec, game)
    state = game.new_state()
    agent.prepare()
    for action in (0, 4):
        observation = {"observation": game.observation(state, game.player(state)), "action_mask": np.ones(9)}
        agent.act(observation, {"state": state})
        game.play(state, action)
    assert compiled == []


def test_an_evaluator_may_return_arrays_of_any_layout(compiled: list[str]) -> None:
    game = make_game("mnk(m=3, n=3, k=3)")

    def evaluator(states: Any) -> Any:
        values = np.zeros(2 * states.size, np.float32)[::2]
        values.flags.writeable = False
        return np.asfortranarray(np.ones((states.size, 9))), values

    agent = PUCT(game, simulations=20, evaluator=evaluator, lambda_=0.5, seed=0)
    agent.prepare()
    assert agent.analyse(game.new_state()).leaves == 20
    assert compiled == []


@pytest.mark.parametrize("spec", ["alphabeta(depth=2)", "mcts(simulations=20)", "mixture(alphabeta(depth=2), solver)"])
def test_opponents_of_a_batch_are_prepared(spec: str, compiled: list[str]) -> None:
    seats = SeatBatch("mnk(m=3, n=3, k=3)", 4, spec, "second", seed=0)
    seats.reset()
    compiled.clear()  # of the batch
    seats.step(np.zeros(4, np.int64))
    assert compiled == []


def test_preparing_draws_no_random_numbers_and_is_done_once() -> None:
    game = make_game("tictactoe")
    one, two = MCTS(game, 100, seed=3), MCTS(game, 100, seed=3)
    two.prepare()
    assert one.analyse(game.new_state()).visits == two.analyse(game.new_state()).visits
    with patch.object(MCTS, "_compile", side_effect=AssertionError):
        two.prepare()


class Prepared:
    """A player of one's own that takes time to prepare."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def prepare(self) -> None:
        self.events.append("prepare")

    def reset(self, seed: int | None = None) -> None:
        self.events.append("reset")

    def act(self, observation: Any, info: Any = None) -> int:
        return int(np.flatnonzero(observation["action_mask"])[0])


def test_everyone_who_asks_agents_prepares_them_first() -> None:
    for ask in (
        lambda agent: match("tictactoe", [agent, "random"], games=2),
        lambda agent: SoloEnv("tictactoe", agent).reset(seed=0),
        lambda agent: SeatBatch("tictactoe", 1, agent).reset(),
        lambda agent: SeatBatch("tictactoe", 1, Mixture("tictactoe", agent)).reset(),
        lambda agent: SeatBatch("tictactoe", 1, Mixture("tictactoe", Mixture("tictactoe", agent))).reset(),
    ):
        agent = Prepared()
        ask(agent)
        assert agent.events[0] == "prepare"
        assert "reset" in agent.events


class TestNotices:
    @pytest.fixture(autouse=True)
    def soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.said = threading.Event()
        say = compiling._Notice._say

        def told(notice: Any) -> None:
            say(notice)
            self.said.set()

        monkeypatch.setattr(compiling._Notice, "_say", told)
        monkeypatch.setattr(compiling, "_PATIENCE", 0.01)

    @pytest.fixture
    def game(self) -> Game:
        return make_game("othello")

    def slowly(self, game: Game) -> None:
        """Compile for as long as it takes until that is said."""
        self.said.clear()
        with compiling.compiling("alphabeta", game):
            for _ in range(2):
                with event.trigger_event("numba:compile", data={}):
                    assert self.said.wait(60)

    def test_it_is_said_once(self, game: Game, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO)
        self.slowly(game)
        assert len(caplog.messages) == 2
        assert caplog.messages[0] == "compiling alphabeta for othello, once on this machine …"
        assert re.fullmatch(r"compiled alphabeta for othello in \d+\.\d s", caplog.messages[1])

    def test_what_cannot_be_kept_is_compiled_in_each_process(
        self, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def nowhere(function: Any) -> Any:
            raise RuntimeError("cannot cache function: no locator available")  # as Numba says

        assert cache.is_kept()
        monkeypatch.setattr(cache, "_placeless", set())
        monkeypatch.setattr(cache, "_KernelCache", nowhere)
        cache.keep_on_disk(SimpleNamespace(py_func=compiling.compiling))
        cache.keep_on_disk(SimpleNamespace(py_func=lambda: None))  # no function of the package's
        assert cache._placeless == {compiling.compiling}
        monkeypatch.setattr(nowhere, "_has_warned", False, raising=False)
        assert not cache.is_kept()
        compiling._Notice("alphabeta for othello")._say()
        assert caplog.messages == [
            "compiling alphabeta for othello, again in each process, for no folder can be written to: name one in "
            "NUMBA_CACHE_DIR …"
        ]

    def test_nothing_is_said_of_what_is_quick(
        self, game: Game, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compiling, "_PATIENCE", 60.0)
        timers = list[threading.Timer]()

        class Kept(threading.Timer):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                timers.append(self)

        monkeypatch.setattr(threading, "Timer", Kept)
        with compiling.compiling("alphabeta", game):
            pass  # nothing is compiled
        with compiling.compiling("alphabeta", game), event.trigger_event("numba:compile", data={}):
            assert timers[1].is_alive()
        assert timers[0].ident is None  # it was never started
        timers[1].join(20)
        assert not timers[1].is_alive()  # and this one has ended long before its time
        assert not caplog.messages

    def test_the_command_line_shows_it_on_standard_error(self, game: Game, capfd: pytest.CaptureFixture[str]) -> None:
        with notices_shown():
            self.slowly(game)
        assert capfd.readouterr() == ("", "compiling alphabeta for othello, once on this machine …\n")
        with notices_shown(quiet=True):
            self.slowly(game)
        assert capfd.readouterr() == ("", "")

    def test_a_stopwatch_stands_still_while_something_is_compiled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 10.0
        monkeypatch.setattr(compiling, "time", SimpleNamespace(perf_counter=lambda: now))
        with compiling.Stopwatch() as clock:
            with event.trigger_event("numba:compile", data={}):
                with event.trigger_event("numba:compile", data={}):
                    now += 0.5
                now += 0.25
            now += 2
            assert (clock.seconds, clock.compiling) == (2, 0.75)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["mcts(seconds=0.5)", "puct(seconds=0.5)", "flat(seconds=0.5)"])
def test_with_an_empty_cache_the_budget_is_for_searching(spec: str, tmp_path: Path) -> None:
    code = (
        "from plyground.agents import compiling, make; from plyground.envs import make_game\n"
        "compiling._PATIENCE = 0\n"  # so that it is said however fast the machine is
        f"game = make_game('tictactoe'); found = make({spec!r}, game).analyse(game.new_state())\n"
        "print(found.leaves, found.seconds)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    cold, warm = (
        subprocess.run(command, capture_output=True, text=True, env=environment, check=True) for _ in range(2)
    )
    leaves, seconds = map(float, cold.stdout.split())
    assert leaves > 5000  # compiling takes longer than the budget: it would have left time for none
    assert seconds >= 0.5
    assert cold.stderr == f"compiling {spec.partition('(')[0]} for tictactoe, once on this machine …\n"
    assert warm.stderr == ""
