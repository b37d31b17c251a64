"""Time controls and adjudication: what ends games beside their rules."""

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

from plyground.agents import MCTS, AlphaBeta, Minimax, Mixture, Random
from plyground.agents.engines import ChessEngine, Engine
from plyground.arena import GameRecord, TimeControl, match, play
from plyground.arena.referee import Adjudicator, Conditions, Position, adjudicator_of
from plyground.arena.referee.adjudication import Verdict
from plyground.arena.referee.time_control import GameClock
from plyground.envs import BoardGameEnv, Game, make_game

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
        ],
    )
    def test_as_text(self, text: str, expected: TimeControl) -> None:
        assert TimeControl.parse(text) == expected
        assert repr(TimeControl.parse(text)) == repr(expected)  # by which a store knows it
        assert TimeControl.parse(str(expected)) == expected

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

    def test_the_margin_is_given_once_a_game(self) -> None:
        """It was given with each move: who took 0.04 s for each of 30 moves never used up 0.1 s."""
        told: list[tuple[float, float]] = []
        player: Any = SimpleNamespace(set_clock=lambda own, other, increment, moves: told.append((own, other)))
        clock = GameClock(TimeControl(0.1), (player, Random()))
        assert [clock.spend(0, 0.08), clock.spend(0, 0.04), clock.spend(0, 0.02)] == [None, None, None]
        clock.give(0, 20)
        assert told == [(0.0, 0.1)]  # and not of the time that is owed
        assert clock.spend(0, 0.02) == "took 0.02 s, and had 0 s left of 0.1"

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


class TestAdjudication:
    def test_exact(self) -> None:
        records = match("tictactoe", ["random", "random"], 20, seed=1, opening_plies=2, adjudication="exact")
        perfect = Minimax("tictactoe")
        for record in records:
            state = TICTACTOE.play_moves(record.moves)
            assert record.ending in ("adjudicated", "finished")
            if record.ending == "adjudicated":
                value = perfect.analyse(state).value * (1 - 2 * TICTACTOE.player(state))
                assert record.outcome == [value, -value]
                assert "-0.0" not in record.to_json()
                assert record.reason == "solver knows the result"
                assert len(record.moves) == 3  # after the first move of a player

    @pytest.mark.slow
    def test_exact_by_a_search(self) -> None:
        judge = "exact(judge='alphabeta(depth=2)')"
        whole = match(GAME, ["random", "random"], 20, seed=1)
        cut = match(GAME, ["random", "random"], 20, seed=1, adjudication=judge, jobs=2)
        for one, other in zip(whole, cut, strict=True):
            assert one.moves[: len(other.moves)] == other.moves
        adjudicated = [record for record in cut if record.ending == "adjudicated"]
        assert len(adjudicated) > 10
        judge_of = Minimax(GAME)
        for record in adjudicated[:5]:
            state = judge_of.game.play_moves(record.moves)
            assert judge_of.analyse(state).value * (1 - 2 * judge_of.game.player(state)) == record.outcome[0]

    @pytest.mark.parametrize("search", ["minimax(depth=4)", "alphabeta(depth=3, all_best=true)"])
    def test_a_search_that_sees_a_win_need_not_see_all(self, search: str) -> None:
        adjudicator = adjudicator_of(f"exact(judge='{search}')")
        adjudicator.begin(TICTACTOE)
        for moves, value in (([0, 3, 1, 4], 1.0), ([0, 8, 3, 6, 1], -1.0), ([0, 3], None)):
            state = TICTACTOE.play_moves(moves)
            verdict = adjudicator.look(Position(state, len(moves) % 2, 0, len(moves), 0.0))
            assert verdict == (None if value is None else Verdict(value, f"{search} knows the result"))

    def test_resignation(self) -> None:
        records = match("tictactoe", ["minimax", "random"], 20, opening_plies=0, adjudication="resign(moves=1)")
        assert not any(record.ending == "adjudicated" for record in records)  # minimax never stands badly
        records = match(
            "tictactoe", ["minimax", "mcts(simulations=200)"], 40, adjudication=["resign(score=0.9, moves=1)"]
        )
        resigned = [record for record in records if record.ending == "adjudicated"]
        assert resigned
        for record in resigned:
            loser = record.movers[-1]
            assert record.outcome == ([1.0, -1.0] if loser else [-1.0, 1.0])
            assert record.reason is not None
            assert record.reason.startswith(f"the {('first', 'second')[loser]} player resigns: -")

    def test_a_resignation_tells_the_value_that_none_was_above(self) -> None:
        adjudicator, state = adjudicator_of("resign(score=0.9, moves=2)"), TICTACTOE.new_state()
        adjudicator.begin(TICTACTOE)
        assert adjudicator.look(Position(state, 1, 0, 1, -0.93)) is None
        verdict = adjudicator.look(Position(state, 1, 0, 3, -0.99))
        assert verdict == Verdict(-1.0, "the first player resigns: -0.9 or less for 2 moves")

    @pytest.mark.parametrize(
        ("spec", "beyond", "within", "verdict"),
        [
            ("resign(score=0.5, moves=1)", -17.5, -18.0, Verdict(-36.0, "the first player resigns: -18 or less for 1")),
            ("draw(score=0.5, moves=1, after=0)", 18.5, 18.0, Verdict(0.0, "both players see at most 18 for 1")),
        ],
    )
    def test_scores_are_shares_of_the_largest_utility(
        self, spec: str, beyond: float, within: float, verdict: Verdict
    ) -> None:
        """A disc less was taken for lost."""
        game, adjudicator = make_game("othello(size=6, by_discs=True)"), adjudicator_of(spec)
        adjudicator.begin(game)
        values = (beyond, beyond, within, within)
        found = [adjudicator.look(Position(game.new_state(), 1, 0, ply, one)) for ply, one in enumerate(values, 1)]
        assert found[:2] == [None, None]
        assert found[-1] is not None
        assert found[-1].value == verdict.value
        assert found[-1].reason.startswith(verdict.reason)

    @pytest.mark.parametrize("spec", ["resign", "draw"])
    def test_shares_need_a_largest_utility(self, spec: str) -> None:
        with pytest.raises(ValueError, match=r"a finite max_utility, tictactoe.* has inf"):
            adjudicator_of(spec).begin(TICTACTOE.replace(max_utility=math.inf, evaluate=TICTACTOE.evaluate))

    def test_a_move_without_a_search_has_no_value(self) -> None:
        class Once(Random):
            """Takes itself for lost at its first move, and plays the others without a look."""

            last_analysis: Any = None

            def act(self, observation: Any, info: Any = None) -> int:
                self.last_analysis = self.last_analysis or SimpleNamespace(value=-1.0)
                return super().act(observation, info)

        for moves, ending in ((1, "adjudicated"), (2, "finished")):
            record = play(BoardGameEnv(TICTACTOE), [Once(), Random()], 0, adjudication=f"resign(moves={moves})")
            assert record.ending == ending

    def test_who_has_no_values_never_resigns(self) -> None:
        records = match(
            "tictactoe", ["random", "random"], 20, adjudication=["resign(moves=1)", "draw(moves=1, after=0)"]
        )
        assert {record.ending for record in records} == {"finished"}

    def test_draw(self) -> None:
        records = match("tictactoe", ["minimax", "minimax"], 4, opening_plies=0, adjudication="draw(moves=2, after=3)")
        assert [record.ending for record in records] == ["adjudicated"] * 4
        assert [len(record.moves) for record in records] == [7] * 4  # from the fourth ply on, two moves of both
        assert records[0].outcome == [0, 0]

    def test_counts_begin_anew(self) -> None:
        for name in ("resign(moves=2)", "draw(moves=1, after=0)"):
            adjudicator = adjudicator_of(name)
            state = TICTACTOE.new_state()
            value = -1.0 if name.startswith("resign") else 0.0
            adjudicator.begin(TICTACTOE)
            assert adjudicator.look(Position(state, 1, 0, 1, value)) is None
            assert adjudicator.look(Position(state, 0, 1, 2, 0.5)) is None
            adjudicator.begin(TICTACTOE)
            assert adjudicator.look(Position(state, 1, 0, 3, value)) is None

    def test_one_of_ones_own(self) -> None:
        class Short(Adjudicator):
            def look(self, position: Position) -> Verdict | None:
                return Verdict(0.0, "long enough") if position.ply == 4 else None

        for given in (Short(), [Short()], ["resign", Short()]):
            record = play(BoardGameEnv(TICTACTOE), [Random(), Random()], 0, adjudication=given)
            assert (len(record.moves), record.outcome, record.ending) == (4, [0.0, 0.0], "adjudicated")
        assert play(BoardGameEnv(TICTACTOE), [Random(), Random()], 0, adjudication=None).ending == "finished"
        named = f"{__name__}.TestAdjudication.test_one_of_ones_own.<locals>.Short()"
        assert Conditions.of((), None, Short()).described == {"adjudication": [named]}  # in each process

    @pytest.mark.parametrize(
        ("spec", "error"),
        [
            ("exakt", "unknown adjudication 'exakt': did you mean 'exact'"),
            ("exact(depth=2)", "exact takes judge=…"),
            ("exact(judge='random')", "random tells no values"),
            ("exact(judge='solvr')", "solver"),
            ("resign(moves=0)", "moves must be"),
            ("draw(score=-1)", "score must be a number, at least 0, got -1"),
            ("resign(score=high)", "score must be a number, at least 0, got 'high'"),
            ("exact(judge=5)", "judge must be the spec of an agent, 'solver' or a search, got 5"),
            (0.9, "an adjudication must be a spec, such as 'resign(score=0.9)', or an Adjudicator, got 0.9"),
            ([0.9], "an adjudication must be a spec, such as 'resign(score=0.9)', or an Adjudicator, got 0.9"),
        ],
    )
    def test_what_cannot_be(self, spec: Any, error: str) -> None:
        with pytest.raises(ValueError, match=re.escape(error)):
            match("tictactoe", ["random", "random"], 2, adjudication=spec)

    def test_of_other_environments(self) -> None:
        class Other:
            possible_agents = ("one", "two")

        with pytest.raises(ValueError, match="expected an environment of plyground"):
            play(Other(), [Random(), Random()], 0, adjudication="exact")


def test_games_of_such_endings_are_kept_in_files(tmp_path: Path) -> None:
    from plyground.arena import read_games, write_games

    game: Game = make_game("othello(size=4)")
    records = match(game, ["random", "random"], 4, adjudication="exact(judge='alphabeta(depth=3)')")
    assert any(record.ending == "adjudicated" for record in records)
    write_games(tmp_path / "games.sgf", records)
    found = list(read_games(tmp_path / "games.sgf"))
    assert [(one.moves, one.outcome, one.ending, one.reason) for one in found] == [
        (one.moves, one.outcome, one.ending, one.reason) for one in records
    ]


def test_nothing_is_compiled_in_the_midst_of_a_game_by_a_clock() -> None:
    game = make_game("connect_four(rows=4, columns=5)")
    agent = AlphaBeta(game)
    GameClock(TimeControl(60), (agent, Random()))
    assert "_compiled" in vars(agent.game.state_check)
    assert agent.game.state_check._plain_checks_left == 0
