"""Tournaments: where bandits play, players that fail, and going on after an interruption."""

from __future__ import annotations

import itertools
import logging
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plyground.agents import Minimax, Random
from plyground.arena import GameRecord, iter_match, match, play, read_records, tournament, write_records
from plyground.arena.tournaments.allocation import likely_strengths
from plyground.arena.tournaments.formats import planned_games, schedule_of
from plyground.arena.tournaments.pairing import Pairing
from plyground.arena.tournaments.schedules import Outcome
from plyground.envs import BoardGameEnv
from tests.arena.test_arena import without_times
from tests.arena.test_schedules import rounds_of


class Fragile(Random):
    """Fails in some games, by their seed: when they begin, or at its move."""

    def __init__(self, share: float, early: bool = False) -> None:
        super().__init__()
        self.share, self.early, self.fails = share, early, False

    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self.fails = (seed or 0) / 2**32 < self.share
        if self.fails and self.early:
            raise RuntimeError("no\n  more  memory")

    def act(self, observation: Any, info: Any = None) -> int:
        if self.fails:
            raise ConnectionResetError
        return super().act(observation, info)


class TestBandit:
    @staticmethod
    def variances(points: np.ndarray) -> np.ndarray:
        """Return the covariances of the strengths, from the second derivatives of the likelihood as it is written."""
        strengths, n = likely_strengths(points), len(points)

        def log_posterior(given: np.ndarray) -> float:
            wins = sum(points[i, j] * -np.log1p(np.exp(given[j] - given[i])) for i in range(n) for j in range(n))
            return float(wins - (given**2).sum() / 8)

        step, basis = 1e-3, np.eye(n)
        curvature = np.zeros((n, n))
        for i, j in itertools.product(range(n), repeat=2):
            ends = [(a, b) for a in (1, -1) for b in (1, -1)]
            curvature[i, j] = -sum(
                a * b * log_posterior(strengths + step * (a * basis[i] + b * basis[j])) for a, b in ends
            ) / (4 * step**2)
        return np.linalg.inv(curvature)

    def test_it_plays_where_it_tells_most(self) -> None:
        schedule, points = schedule_of("bandit(pairings=9)", 4), np.zeros((4, 4))
        upcoming = next(schedule)
        for results in ([(1.5, 0.5), (1.0, 1.0)], [(2.0, 0.0), (1.5, 0.5)], [(0.5, 1.5), (1.0, 1.0)]):
            for (one, other), (own, opposite) in zip(upcoming, results, strict=True):
                points[one, other] += own
                points[other, one] += opposite
            upcoming = schedule.send(Outcome(results, set()))

        def after(pairing: Pairing) -> float:  # as if it ended as expected
            strengths = likely_strengths(points)
            more = points.copy()
            more[pairing] += 2 / (1 + np.exp(strengths[pairing[1]] - strengths[pairing[0]]))
            more[pairing[::-1]] += 2 / (1 + np.exp(strengths[pairing[0]] - strengths[pairing[1]]))
            return float(np.trace(self.variances(more)))

        sums = {pairing: after(pairing) for pairing in itertools.combinations(range(4), 2)}
        assert max(sums.values()) > min(sums.values()) + 1e-3
        assert sums[upcoming[0]] == pytest.approx(min(sums.values()), abs=1e-5)

    def test_how_many(self) -> None:
        assert planned_games("bandit", 5, 4) == 40
        assert planned_games("bandit(pairings=7)", 5, 2) == 14
        assert len(list(itertools.chain(*rounds_of("bandit(pairings=3)", 2)))) == 3
        met = set(itertools.chain(*rounds_of("bandit(pairings=30)", 4, gone={3})[1:]))
        assert met == {(0, 1), (0, 2), (1, 2)}


class TestFailures:
    def test_who_fails_loses(self) -> None:
        env = BoardGameEnv("tictactoe")
        lost = play(env, [Random(), Fragile(1)], 0, failures=Exception, names=["a", "b"])
        assert (lost.ending, lost.outcome, lost.reason) == ("failed", [1, -1], "ConnectionResetError")
        assert len(lost.moves) == len(lost.seconds) == 1
        lost = play(env, [Fragile(1, early=True), Random()], 0, failures=RuntimeError, options={"moves": [4]})
        assert (lost.outcome, lost.moves, lost.movers) == ([-1, 1], [4], [-1])
        assert lost.reason == "RuntimeError: no more memory"
        assert GameRecord.from_json(lost.to_json()) == lost
        nonsense = play(env, [lambda *_: "x", Random()], failures=ValueError)
        assert nonsense.reason is not None
        assert nonsense.reason.startswith("ValueError: <lambda> answered 'x'")

    def test_who_leaves_python_fails(self) -> None:
        """All games ended, without a word."""

        def leaving(observation: Any, info: Any) -> int:
            sys.exit(3)

        lost = match("tictactoe", ["random", leaving], 2, failures=Exception)
        assert [record.ending for record in lost] == ["failed", "failed"]
        assert lost[0].reason == "RuntimeError: the player called sys.exit(3), expected an answer"
        with pytest.raises(RuntimeError, match=r"the player called sys\.exit"):
            match("tictactoe", ["random", leaving], 2)

    def test_other_errors_are_raised(self) -> None:
        for failures in ((), RuntimeError):
            with pytest.raises(ConnectionResetError):
                play(BoardGameEnv("tictactoe"), [Random(), Fragile(1)], 0, failures=failures)
        with pytest.raises(ConnectionResetError):
            match("tictactoe", ["random", Fragile(1)], 2)

    def test_who_fails_after_the_game_has_not_lost_it(self) -> None:
        class Watching(Random):
            count = 0

            def watch(self, action: int) -> None:
                self.count += 1
                if self.count == 3:
                    raise RuntimeError

        env = BoardGameEnv("mnk(m=1, n=3, k=1)")
        assert play(env, [Watching(), Random()], 0, failures=Exception).ending == "finished"
        env = BoardGameEnv("tictactoe")
        record = play(env, [Random(), Watching()], 0, failures=Exception)
        assert (record.ending, record.outcome, len(record.moves)) == ("failed", [1, -1], 3)

    @pytest.mark.parametrize(
        ("format", "every"),  # after so many games it is taken up again
        [
            ("swiss", 6),
            *(pytest.param(name, 1, marks=pytest.mark.slow) for name in ("swiss", "round_robin", "knockout")),
        ],
    )
    def test_the_tournament_goes_on_and_who_fails_too_often_is_withdrawn(
        self, format: str, every: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        players = [Fragile(0.5), "random", "mcts(simulations=5)", Fragile(0.6, early=True), "minimax(depth=1)"]

        def played(**options: Any) -> list[GameRecord]:
            names = list("abcde")
            return tournament(
                *("tictactoe", players, 6, 3),
                format=format,
                names=names,
                failures=Exception,
                max_failures=2,
                **options,
            )

        with caplog.at_level(logging.WARNING, "plyground"):
            records = played()
        failed = Counter(one.players[one.outcome.index(-1)] for one in records if one.ending == "failed")
        assert failed == {"a": 2, "d": 2}
        for name in "ad":
            last = max(number for number, one in enumerate(records) if name in one.players)
            assert records[last].ending == "failed"
            assert f"{name} has failed too often: it is withdrawn" in caplog.text
        assert "fails in game" in caplog.text
        assert "and loses it: RuntimeError: no more memory" in caplog.text
        for done in range(0, len(records) + 1, every):  # as if it had been interrupted then
            assert without_times(played(after=records[:done])) == without_times(records[done:])


@pytest.mark.parametrize(
    "format", ["bandit", *(pytest.param(one, marks=pytest.mark.slow) for one in ("swiss", "knockout"))]
)
def test_the_games_are_the_same_for_any_number_of_processes(format: str) -> None:
    players = ["random", "mcts(simulations=5)", "minimax(depth=1)", Random()]
    one = tournament("tictactoe", players, 4, format=format, seed=2)
    assert without_times(tournament("tictactoe", players, 4, format=format, seed=2, jobs=2)) == without_times(one)
    pairings = Counter(frozenset(record.players) for record in one)
    assert all(count % 4 == 0 for count in pairings.values())


def test_a_pairing_that_comes_again_has_other_openings() -> None:
    records = tournament("connect_four", ["random", "minimax(depth=1)"], 4, format="swiss(rounds=2)", opening_plies=3)
    assert len(records) == 8
    assert len({tuple(record.moves[:3]) for record in records}) == 4


def test_more_games_than_the_tournament_has() -> None:
    players = ["random", "minimax(depth=1)"]
    records = match("tictactoe", players, 4)
    with pytest.raises(ValueError, match=r"4 games of random v minimax\(depth=1\) were played before, and .* has 2"):
        iter_match("tictactoe", players, games=2, after=records)


class TestConditionsOfEarlierGames:
    """A tournament goes on after games that may have been played under its conditions, as far as records tell."""

    PLAYERS = ("random", "minimax(depth=1)")
    FLAG = "random took 2 s, and had 1 s left of 60+0.5"
    RESIGNED = "the second player resigns: -0.95 or less for 3 moves"
    OWN = (
        {},
        {"ending": "time", "reason": FLAG},
        {"ending": "time"},
        {"ending": "adjudicated", "reason": RESIGNED},
        {"ending": "adjudicated", "reason": "both players see at most 0.02 for 8 moves: a draw"},
        {"ending": "adjudicated", "reason": "solver knows the result"},
        {"slow": 59.0},
    )

    @staticmethod
    def earlier(slow: float = 0.0, **changed: Any) -> list[GameRecord]:
        """Return a game as it may stand in a file; with ``slow``, the seconds of its first own move."""
        (record, _) = match("tictactoe", TestConditionsOfEarlierGames.PLAYERS, 2, opening_plies=2)
        return [replace(record, seconds=[0.0, 0.0, slow, *record.seconds[3:]], **changed)]

    def going_on(self, after: list[GameRecord], **conditions: Any) -> None:
        iter_match("tictactoe", self.PLAYERS, 2, opening_plies=2, after=after, **conditions)

    @pytest.mark.parametrize("changed", OWN)
    def test_their_own_are_no_fault(self, changed: dict[str, Any]) -> None:
        self.going_on(self.earlier(**changed), time="60+0.5", adjudication=["resign", "draw", "exact"])

    @pytest.mark.parametrize(
        ("changed", "conditions", "message"),
        [
            (OWN[1], {}, f"its end by time is '{FLAG}', expected none"),
            (OWN[2], {}, "its end by time is None, expected none"),
            (OWN[1], {"time": "60"}, "had 1 s left of 60+0.5', expected one by 60;"),
            (OWN[1], {"time": "60+0.5 cpu"}, "expected one by 60+0.5 cpu"),
            (OWN[1], {"time": "0.5/move"}, "expected one by 0.5/move"),
            ({"ending": "time", "reason": "a took 2 s, and had 1 s for a move"}, {"time": "0.5/move"}, "by 0.5/move"),
            (OWN[3], {}, f"its adjudication is '{RESIGNED}', expected none"),
            (OWN[3], {"adjudication": ["resign(score=0.9)"]}, "expected one by resign(score=0.9, moves=3)"),
            (OWN[3], {"adjudication": ["resign(moves=2)", "draw"]}, "moves=2), draw(score=0.02, moves=8, after=40)"),
            (OWN[4], {"adjudication": "draw(score=0.1)"}, "expected one by draw(score=0.1"),
            (OWN[5], {"adjudication": "exact(judge='minimax')"}, "is 'solver knows the result', expected one by exact"),
            ({"slow": 59.0}, {"time": "20"}, "another one, in which random took 59 s, and had 20 s left of 20"),
            ({"slow": 2.0}, {"time": "1/move"}, "in which random took 2 s, and had 1 s for a move, expected 1/move"),
        ],
    )
    def test_others_are_refused(self, changed: dict[str, Any], conditions: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=f"^game 1 is of another match: .*{re.escape(message)}"):
            self.going_on(self.earlier(**changed), **conditions)

    def test_so_is_another_limit_after_which_players_are_withdrawn(self) -> None:
        arguments, names = ("tictactoe", [Fragile(1), "random", "minimax(depth=1)"], 4), list("abc")
        for limits in ((1, 3), (3, 1)):
            played = tournament(*arguments, names=names, failures=Exception, max_failures=limits[0])
            with pytest.raises(ValueError, match="is of another match: its players are"):
                iter_match(*arguments, names=names, failures=Exception, max_failures=limits[1], after=played)

    @pytest.mark.parametrize("own", [{"time": "0.01/move"}, {"adjudication": "draw(moves=1, after=0)"}])
    def test_real_ones_go_on_and_others_do_not(self, own: dict[str, Any]) -> None:
        class Slow(Minimax):
            def act(self, observation: Any, info: Any = None) -> int:
                time.sleep(0.1 if "time" in own else 0.0)  # longer than the move has, with its margin
                return super().act(observation, info)

        arguments: Any = ("tictactoe", [Slow("tictactoe"), Slow("tictactoe")], 2, 0)
        options: Any = {"opening_plies": 0}
        whole = match(*arguments, **options, **own)
        assert whole[0].ending in ("time", "adjudicated")
        rest = match(*arguments, **options, **own, after=whole[:1])
        assert without_times(rest) == without_times(whole[1:])
        with pytest.raises(ValueError, match="game 1 is of another match"):
            iter_match(*arguments, **options, after=whole[:1])


def test_records_of_failures_are_read_again(tmp_path: Any) -> None:
    records = match("tictactoe", ["random", Fragile(1)], 2, failures=Exception)
    write_records(tmp_path / "games.jsonl", records)
    assert list(read_records(tmp_path / "games.jsonl")) == records
