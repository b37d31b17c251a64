"""Elo differences and ratings: against arithmetic by hand, and against matches whose truth is known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plyground.arena import match
from plyground.arena.ratings import Ratings, elo_difference, elo_of_score, fit_ratings, game_results, pair_scores
from plyground.arena.records.record import GameRecord

RECORD = GameRecord("tictactoe", ["a", "b"], [], 0, [0.0, 0.0], "finished", [], [], None)


def elo_of(score: float) -> float:
    return -400 * math.log10(1 / score - 1)


class TestDifference:
    def test_by_hand(self) -> None:
        # 30 of 48 points. With a pair of 2 points and one of 0 added, 26 pairs have shares of 1 (9 of them), 1/2 (14)
        # and 0 (3): their sum is 16, that of their squares 12.5.
        found = elo_difference([2.0] * 8 + [1.0] * 14 + [0.0] * 2)
        mean, variance = 16 / 26, (12.5 - 16**2 / 26) / 25
        half = 2.0595 * math.sqrt(variance / 26)  # Student's quantile for 25 degrees of freedom
        assert (found.score, found.games) == (30 / 48, 48)
        assert found.elo == pytest.approx(elo_of(30 / 48)) == pytest.approx(88.74, abs=0.01)
        assert found.low == pytest.approx(elo_of(mean - half), abs=0.02)
        assert found.high == pytest.approx(elo_of(mean + half), abs=0.02)

    def test_of_a_score(self) -> None:
        assert [elo_of_score(score) for score in (0.5, 0.75)] == pytest.approx([0, elo_of(0.75)])
        assert [elo_of_score(score) for score in (0, 1)] == [-math.inf, math.inf]

    def test_sides_are_opposite(self) -> None:
        pairs = [2.0, 1.5, 1.0, 2.0, 0.5, 1.0]
        one, other = elo_difference(pairs), elo_difference([2 - points for points in pairs])
        assert (other.elo, other.low, other.high) == pytest.approx((-one.elo, -one.high, -one.low))

    def test_all_won(self) -> None:
        found = elo_difference([2.0] * 100)
        assert (found.elo, found.high, found.score) == (math.inf, math.inf, 1)
        # Who loses 1 pair in 20 wins 100 in a row in 6 of 1000 matches; who loses 1 in 100, in 366.
        assert elo_of(0.95) < found.low < elo_of(0.99)
        lost = elo_difference([0.0] * 100)
        assert (lost.elo, lost.low, lost.high) == (-math.inf, -math.inf, pytest.approx(-found.low))

    def test_all_pairs_alike_prove_little(self) -> None:
        few, many = elo_difference([1.0] * 10), elo_difference([1.0] * 1000)
        assert few.elo == many.elo == 0
        assert few.high > 50
        assert 0 < many.high < 2

    def test_a_lopsided_opening_is_no_uncertainty(self) -> None:
        # The first seat wins, but for 10 of 100 openings that the better player wins from both sides: 110 of 200
        # points, which would prove nothing if games were independent.
        found = elo_difference([1.0] * 90 + [2.0] * 10)
        by_games = 1.96 * math.sqrt(0.55 * 0.45 / 200)
        assert found.low > 0 > elo_of(0.55 - by_games)

    def test_confidence(self) -> None:
        pairs = [2.0, 1.0, 1.0, 0.0, 1.5] * 8
        wide, narrow = elo_difference(pairs, 0.99), elo_difference(pairs, 0.5)
        assert wide.low < narrow.low < narrow.elo < narrow.high < wide.high

    @pytest.mark.parametrize("pairs", [24, 100])
    @pytest.mark.parametrize(
        "chances",  # of 0, 1/2, 1, 3/2 and 2 points
        [
            [0.1, 0.15, 0.5, 0.15, 0.1],
            [0.25, 0, 0.5, 0, 0.25],
            [0.02, 0.03, 0.1, 0.6, 0.25],
            [0.01, 0.04, 0.2, 0.25, 0.5],
        ],
        ids=["even", "decisive", "better", "much better"],
    )
    def test_95_of_100_intervals_hold_the_truth(self, chances: list[float], pairs: int) -> None:
        rng, trials = np.random.default_rng(7), 1000
        values = np.array([0, 0.5, 1, 1.5, 2])
        truth = elo_of(float(values @ chances) / 2)
        found = [elo_difference(row) for row in rng.choice(values, (trials, pairs), p=chances)]
        held = sum(one.low <= truth <= one.high for one in found) / trials
        assert (
            0.93 < held < 0.995
        )  # 0.95 has a standard error of 0.007; short and lopsided matches are on the safe side

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (([],), "no pairs of games"),
            (([1.0, 2.5],), r"from 0 to 2, got \[2.5\]"),
            (([math.nan],), "from 0 to 2"),
            (([1.0], 1.0), "confidence must be between 0 and 1, got 1.0"),
        ],
    )
    def test_bad_arguments(self, arguments: tuple[Any, ...], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            elo_difference(*arguments)

    def test_shown(self) -> None:
        assert str(elo_difference([2.0] * 100)) == "+608 or more"
        assert str(elo_difference([2.0, 2.0])) == "not known yet"  # it was "+inf (-inf to +inf)"
        # Shares of 1/2 and 3/4: a mean of 0.6226 ± 1.984 · 0.1439 / √102 with the two added, from 0.594 to 0.651.
        assert str(elo_difference([1.0, 1.5] * 50)) == "+89 (+66 to +108)"

    @pytest.mark.parametrize("pairs", [[RECORD], ["1"], [None]])
    def test_what_are_no_points(self, pairs: Any) -> None:
        with pytest.raises(TypeError, match=r"must be a number, as `pair_scores\(records\)` returns them, got "):
            elo_difference(pairs)


class TestPairs:
    def test_of_a_match(self) -> None:
        records = match("tictactoe", ["alphabeta(depth=9)", "random"], games=20, seed=1)
        pairs = pair_scores(records)
        assert len(pairs) == 10
        assert sum(pairs) == sum((record.outcome[i % 2] + 1) / 2 for i, record in enumerate(records))
        assert elo_difference(pairs).low > 0
        assert pair_scores([*records[:4]]) == pairs[:2]

    def test_what_is_no_pair(self) -> None:
        records = match("tictactoe", ["random", "mcts(simulations=5)"], games=6, seed=1)
        with pytest.raises(ValueError, match="got 5 games"):
            pair_scores(records[:5])
        with pytest.raises(ValueError, match="games 0 and 1 are not one opening"):
            pair_scores(records[1:5])
        other = replace(records[3], players=["somebody", records[3].players[1]])
        with pytest.raises(ValueError, match="games 2 and 3 are not one opening"):
            pair_scores([*records[:3], other])

    def test_results(self) -> None:
        records = [
            GameRecord("tictactoe", ["a", "b"], [], 0, outcome, "finished", [], [], None)
            for outcome in ([1.0, -1.0], [0.0, 0.0], [-1.0, 0.0])  # the last: an illegal move
        ]
        assert list(game_results(records)) == [("a", "b", 1), ("a", "b", 0.5), ("a", "b", 0)]


class TestRatings:
    def test_two_players_by_hand(self) -> None:
        # 7.5 of 10 points: the difference is that of the score, 400 log10 3, and the mean is 0. Fisher's information
        # about the difference is n p (1 - p).
        found = fit_ratings([("a", "b", 1.0)] * 7 + [("b", "a", 0.5)] + [("b", "a", 1.0)] * 2)
        assert found.elo["a"] - found.elo["b"] == pytest.approx(400 * math.log10(3)) == pytest.approx(190.85, abs=0.01)
        assert found.elo["a"] == pytest.approx(-found.elo["b"])
        error = 400 / math.log(10) / math.sqrt(10 * 0.75 * 0.25)  # of the difference; each of the two moves half of it
        assert list(found.errors.values()) == pytest.approx([error / 2, error / 2])

    def test_everybody_gets_as_many_points_as_expected(self) -> None:
        # That is what makes the results the most likely.
        rng = np.random.default_rng(3)
        names = "abcde"
        results = [(*rng.choice(list(names), 2, replace=False), rng.choice([0, 0.5, 1])) for _ in range(200)]
        found = fit_ratings(results)
        balance = dict.fromkeys(names, 0.0)
        for first, second, points in results:
            expected = 1 / (1 + 10 ** ((found.elo[second] - found.elo[first]) / 400))
            balance[first] += points - expected
            balance[second] -= points - expected
        assert max(map(abs, balance.values())) < 1e-9
        assert sum(found.elo.values()) == pytest.approx(0, abs=1e-9)

    def test_finds_known_ratings(self) -> None:
        rng = np.random.default_rng(5)
        truth = {"a": -300.0, "b": -100.0, "c": 50.0, "d": 350.0}
        distances = []
        for _ in range(40):
            results = [
                (first, second, float(rng.random() < 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))))
                for first in truth
                for second in truth
                if first < second
                for _ in range(100)
            ]
            found = fit_ratings(results)
            distances += [(found.elo[name] - truth[name]) / found.errors[name] for name in truth]
        # In units of the standard error: a standard normal variable, of which 160 have been drawn.
        assert 0.8 < np.std(distances) < 1.2
        assert abs(np.mean(distances)) < 0.2

    def test_differences_far_apart(self) -> None:
        chain = [(a, b, points) for a, b in ("ab", "bc", "cd") for points in [1.0] * 999 + [0.0]]
        found = fit_ratings(chain)
        steps = np.diff([found.elo[name] for name in "dcba"])
        np.testing.assert_allclose(steps, 400 * math.log10(999))

    def test_who_never_lost_needs_a_prior(self) -> None:
        results = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "b", 1.0)]
        with pytest.raises(ValueError, match="the groups a; b, c"):
            fit_ratings(results)
        found = fit_ratings(results, prior=1)
        # a: 1.5 of 2 points against b, that is 400 log10 3; c as good as b.
        assert found.elo["a"] - found.elo["b"] == pytest.approx(400 * math.log10(3))
        assert found.elo["c"] == pytest.approx(found.elo["b"])

    @pytest.mark.parametrize(
        ("results", "prior", "message"),
        [
            ([], 0, "no games"),
            ([("a", "b", 0.5), ("c", "d", 0.5)], 0, "the groups a, b; c, d"),
            ([("a", "b", 0.5), ("c", "d", 0.5)], 2, "the groups a, b; c, d"),
            ([("a", "a", 0.5)], 0, r"got \('a', 'a', 0.5\)"),
            ([("a", "b", 2.0)], 0, "points from 0 to 1"),
            ([("a", "b", 0.5)], -1, "prior must be a number of games, at least 0, got -1"),
        ],
    )
    def test_bad_arguments(self, results: Any, prior: float, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            fit_ratings(results, prior)

    @pytest.mark.parametrize("result", [RECORD, ("a", "b"), ("a", "b", "1"), (0, 1, 1.0), "abc", None])
    def test_what_is_no_result(self, result: Any) -> None:
        with pytest.raises(TypeError, match=r"as `game_results\(records\)` yields them, got "):
            fit_ratings([("a", "b", 0.5), result])

    def test_of_a_tournament(self) -> None:
        records = match("connect_four", ["alphabeta(depth=4)", "random"], games=10, seed=2)
        found = fit_ratings(game_results(records), prior=2)
        assert isinstance(found, Ratings)
        assert found.elo["alphabeta(depth=4)"] > 100 > found.elo["random"]
