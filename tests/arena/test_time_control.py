"""The players' time: clocks, flags that fall, and what players are told of what is left."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3

from plyground.agents import MCTS, AlphaBeta, Mixture, Random, make
from plyground.agents.engines import ChessEngine, Engine
from plyground.arena import GameRecord, TimeControl, match, play
from plyground.arena.referee import Conditions
from plyground.arena.referee.clock import Clock
from plyground.arena.referee.time_control import GameClock
from plyground.envs import BoardGameEnv, make_game

GAME = "connect_four(rows=4, columns=5)"
TICTACTOE = make_game("tictactoe")


class Slow(Random):
    """Takes some seconds for its move of a number."""

    def __init__(self, number: int, seconds: float, idle: Callable[[float], object] = time.sleep) -> None:
        super().__init__()
        self.number, self.taken, self.idle = number, seconds, idle

    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self.moves = 0

    def act(self, observation: Any, info: Any = None) -> int:
        self.moves += 1
        if self.moves == self.number:
            self.idle(self.taken)
        return super().act(observation, info)


def busy(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class TestTimeControl:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("60", TimeControl(60)),
            ("60+0.5", TimeControl(60, 0.5)),
            (".2/move", TimeControl(0.2, per_move=True)),
            ("10+1 cpu", TimeControl(10, 1, cpu=True)),
            ("12345.678+1000000.5", TimeControl(12345.678, 1000000.5)),  # ":g" made these 12345.7 and 1e+06
            ("0.00001/move", TimeControl(1e-5, per_move=True)),
            ("100000000000000000000 cpu", TimeControl(1e20, cpu=True)),
        ],
    )
    def test_as_text(self, text: str, expected: TimeControl) -> None:
        assert TimeControl.parse(text) == expected
        assert repr(TimeControl.parse(text)) == repr(expected)  # by which a store knows it
        assert TimeControl.parse(str(expected)) == expected
        assert str(expected).lstrip("0") == text.lstrip("0")

    @pytest.mark.parametrize("text", ["", "soon", "60 + 1", "-1", "1/moves", "1/move+1", "60+", "1e3"])
    def test_what_is_none(self, text: str) -> None:
        with pytest.raises(ValueError, match=re.escape(f"cannot read the time control {text!r}")):
            TimeControl.parse(text)

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"seconds": 0}, "above 0, got 0"),
            ({"seconds": "60+0.5"}, r"above 0, got '60\+0.5'"),
            ({"seconds": 1, "cpu": "no"}, "cpu must be True or False, got 'no'"),
            ({"seconds": 1, "increment": -1}, "increment must be a number of seconds, at least 0, got -1"),
            ({"seconds": 1, "margin": float("nan")}, "margin must be"),
            ({"seconds": 1, "increment": 1, "per_move": True}, "has no increment"),
        ],
    )
    def test_out_of_range(self, options: dict[str, Any], error: str) -> None:
        with pytest.raises(ValueError, match=error):
            TimeControl(**options)

    def test_a_number_is_the_seconds_of_a_game(self) -> None:
        assert Conditions.of((), 60, ()) == Conditions.of((), "60", ()) == Conditions.of((), TimeControl(60), ())
        with pytest.raises(ValueError, match=r"must be a number of seconds above 0, got \[60\]"):
            play(BoardGameEnv(TICTACTOE), ["random", "random"], time=[60])  # pyright: ignore[reportArgumentType]


class TestTime:
    @pytest.mark.parametrize(("control", "left"), [("0.3/move", 0.3), ("0.3", 0.3), ("0.2+0.05", 0.25)])
    def test_who_uses_it_up_loses(self, control: str, left: float) -> None:
        record = play(BoardGameEnv(TICTACTOE), [Random(), Slow(2, 0.5)], 0, names=["one", "two"], time=control)
        assert (record.outcome, record.ending) == ([1.0, -1.0], "time")
        assert len(record.moves) == len(record.seconds) == 3  # the late move was not made
        assert record.reason is not None
        found = re.match(r"two took ([\d.]+) s, and had ([\d.]+) s (left of|for a move)", record.reason)
        assert found is not None, record.reason
        assert float(found[1]) >= 0.5
        spent = 0.0 if "/move" in control else record.seconds[1]  # by its first move
        assert float(found[2]) == pytest.approx(left - spent, abs=1e-3)
        assert GameRecord.from_json(record.to_json()) == record

    def test_an_increment_keeps_a_player_alive(self) -> None:
        slow = Slow(2, 0.3)
        assert play(BoardGameEnv(TICTACTOE), [slow, Random()], 0, time="0.2+0.3").ending == "finished"
        assert play(BoardGameEnv(TICTACTOE), [slow, Random()], 0, time="0.2").ending == "time"

    def test_a_game_whose_length_nobody_knows_is_planned_for_as_a_long_one(self) -> None:
        """In the environment of somebody else no plies seemed to be left, so that the first moves took too long."""
        told = list[float | None]()

        class Told(Random):
            seconds: float | None = None

            def act(self, observation: Any, info: Any = None) -> int:
                told.append(self.seconds)
                return super().act(observation, info)

        play(connect_four_v3.env(), [Told(), Random()], 0, time="60")
        long, short = Told(), Told()
        for player, left in ((long, math.inf), (short, 0)):
            GameClock(TimeControl(60), (player, Random())).give(0, left)
        assert told[0] == long.seconds
        assert long.seconds is not None
        assert short.seconds is not None
        assert long.seconds < short.seconds

    def test_the_margin_is_given_once_a_game(self) -> None:
        """It was given with each move: who took 0.04 s for each of 30 moves never used up 0.1 s."""
        told: list[tuple[float, float]] = []
        player: Any = SimpleNamespace(set_clock=lambda own, other, increment, moves: told.append((own, other)))
        clock = GameClock(TimeControl(0.1), (player, Random()))
        assert [clock.spend(0, 0.08), clock.spend(0, 0.04), clock.spend(0, 0.02)] == [None, None, None]
        clock.give(0, 20)
        assert told == [(0.0, 0.1)]  # and not of the time that is owed
        assert clock.spend(0, 0.02) == "took 0.02 s, and had 0 s left of 0.1"

    @pytest.mark.parametrize("player", ["mcts(simulations=9)", "alphabeta", "mixture(mcts(simulations=9))"])
    def test_who_owes_time_moves_on(self, player: str) -> None:
        """The game, and the whole match with it, ended in an error about the seconds of a search."""
        agent, env = make(player, TICTACTOE), BoardGameEnv(TICTACTOE)
        env.reset()
        observation, *_, info = env.last()
        for control in (TimeControl(0.1), TimeControl(0.1, 0.01), TimeControl(0.1, cpu=True)):
            agent.reset(0)
            clock = GameClock(control, (agent, Random()))
            assert clock.spend(0, 0.14) is None
            clock.give(0, 9)
            assert agent.act(observation, info) in range(9)
            assert "and had 0 s left" in str(clock.spend(0, 0.03))
            clock.close()

    def test_an_increment_pays_what_is_owed(self) -> None:
        clock = GameClock(TimeControl(0.1, 0.05), (Random(), Random()))
        assert clock.spend(0, 0.14) is None  # 0.04 s are owed, and 0.05 s come
        assert clock.spend(0, 0.05) is None  # again
        assert clock.spend(0, 0.07) == "took 0.07 s, and had 0.01 s left of 0.1+0.05"

    def test_the_margin_of_a_time_for_each_move_is_given_with_each(self) -> None:
        clock = GameClock(TimeControl(0.1, per_move=True), (Random(), Random()))
        assert [clock.spend(0, 0.14) for _ in range(5)] == [None] * 5
        assert clock.spend(0, 0.16) == "took 0.16 s, and had 0.1 s for a move"

    def test_the_processors_time(self) -> None:
        env = BoardGameEnv(TICTACTOE)
        record = play(env, [Slow(2, 0.4), Random()], 0, time="0.2 cpu")
        assert record.ending == "finished"  # who sleeps uses none
        assert sum(record.seconds) < 0.2
        assert play(env, [Slow(2, 0.4, busy), Random()], 0, time="0.2 cpu").ending == "time"

    def test_threads_share_the_processors_time(self) -> None:
        agent = MCTS(GAME, threads=4)
        for control, seconds in (("1/move cpu", 0.25), ("1/move", 1.0)):
            GameClock(TimeControl.parse(control), (agent, Random())).give(0, 20)
            assert agent.seconds is not None
            assert 0.9 * seconds < agent.seconds <= seconds
            agent.seconds = None
        own = MCTS(GAME, seconds=0.02, threads=4)  # which is of the wall clock
        GameClock(TimeControl(60, cpu=True), (own, Random())).give(0, 20)
        assert own.seconds == 0.02

    def test_the_wall_clock_may_jump(self, monkeypatch: pytest.MonkeyPatch) -> None:
        hours = iter(range(0, 10**6, 3600))
        monkeypatch.setattr(time, "time", lambda: float(next(hours)))
        record = play(BoardGameEnv(TICTACTOE), [Random(), Random()], 0, time="0.5/move")
        assert record.ending == "finished"
        assert sum(record.seconds) < 1

    def test_searches_spread_their_time(self) -> None:
        players = [MCTS(GAME, seconds=30), AlphaBeta(GAME, depth=50)]
        record = play(BoardGameEnv(GAME), players, 3, time="0.6+0.01 cpu")  # a busy machine takes none of it
        assert record.ending == "finished"
        for seat in (0, 1):
            assert sum(s for s, mover in zip(record.seconds, record.movers, strict=True) if mover == seat) < 0.9
        assert (players[0].seconds, players[1].seconds) == (30, None)  # their own again

    def test_a_player_of_both_sides_gets_its_budget_back(self) -> None:
        """One without ``reset`` was two, of which the second took what the first was told for its own."""

        class Thinker:
            seconds = 5.0

            def act(self, observation: Any, info: Any) -> int:
                assert self.seconds < 2
                return int(np.flatnonzero(observation["action_mask"])[0])

        player = Thinker()
        assert play(BoardGameEnv(TICTACTOE), [player, player], 0, time="2").ending == "finished"
        assert player.seconds == 5
        match("tictactoe", [player, player], 2, time="2", names=["one", "two"])
        assert player.seconds == 5

    def test_a_budget_of_ones_own_is_kept(self) -> None:
        agent = MCTS(GAME, seconds=0.02)
        clock = GameClock(TimeControl(60), (agent, Random()))
        clock.give(0, 20)
        assert agent.seconds == 0.02
        agent.seconds = None
        clock = GameClock(TimeControl(60), (agent, Random()))
        clock.give(0, 20)
        assert agent.seconds == pytest.approx(4 * ((60 - 0.05) / 25 - 0.005))  # unless it is sure before

    def test_of_a_mixture_who_was_drawn_is_told(self) -> None:
        search = MCTS(GAME, seconds=30)
        player = Mixture(GAME, Mixture(GAME, search))
        player.reset(0)
        clock = GameClock(TimeControl(0.2, per_move=True), (player, Random()))
        clock.give(0, 20)
        assert search.seconds == pytest.approx(0.2, abs=0.05)
        clock.give(0, 20)
        clock.close()
        assert search.seconds == 30

    def test_programs_are_told(self, engine_script: str, tmp_path: Path) -> None:
        log = tmp_path / "log"
        game = make_game("go(board_size=5)")
        passes = game.str_to_action("PASS")
        for control in ("30+2", "3/move"):
            players = [lambda observation, info: passes, Engine(game, f"{engine_script} A1,B1 {log}")]
            play(BoardGameEnv(game), players, 1, time=control)
        told = [line for line in log.read_text().splitlines() if line.startswith("time_")]
        assert told[0] == "time_settings 30 0 0"
        assert re.fullmatch(r"time_left white (30|29) 0", told[1])
        assert re.fullmatch(r"time_left black 3[12] 0", told[2])
        per_move = told.index("time_settings 0 3 1")
        assert told[per_move + 1 : per_move + 3] == ["time_left white 3 1", "time_left black 3 1"]

    def test_the_processors_time_of_programs_is_not_known(self, engine_script: str) -> None:
        with pytest.raises(ValueError, match=r"processor's time of .* is not known"):
            match("go(board_size=5)", [f"engine('{engine_script}')", "random"], 2, time="1 cpu")
        with pytest.raises(ValueError, match="processor's time of 'stockfish -x' is not known"):
            TimeControl.parse("1 cpu").check(ChessEngine("chess", "stockfish -x"))
        with pytest.raises(ValueError, match="processor's time of 'stockfish -x' is not known"):
            TimeControl.parse("1 cpu").check(Mixture("chess", "random", ChessEngine("chess", "stockfish -x")))


def test_the_overtime_begins_when_the_main_time_is_spent() -> None:
    clock = Clock()
    clock.set(10, overtime=10, stones=5)
    clock.spend(0, 8)
    assert clock.told(0) == (2, 10, 0, 0)
    clock.spend(0, 3)
    assert clock.told(0) == (10, 10, 0, 5)
    clock.spend(0, 4)
    assert clock.told(0) == (6, 10, 0, 4)
    clock.spend(1, 10)
    assert clock.told(1) == (10, 6, 0, 5)


def test_nothing_is_compiled_in_the_midst_of_a_game_by_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, is_compiled in ((1e-4, False), (0.1, True)):  # that a check by plain Python takes
        agent = AlphaBeta(make_game("connect_four(rows=4, columns=5)").replace())
        check = agent.game.state_check
        monkeypatch.setattr(check, "_plain_seconds", lambda seconds=seconds: seconds)
        GameClock(TimeControl(60), (agent, Random()))
        assert ("_compiled" in vars(check)) == is_compiled
        assert check._patience.seconds == (0 if is_compiled else math.inf)
