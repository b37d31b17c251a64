"""Payoffs, circles, α-rank and Nash averaging: by hand, and against OpenSpiel and a general solver."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from plyground.arena.ratings import alpha_rank, cycles, elo_difference, nash_average, payoff_matrix
from plyground.arena.report.pairs import in_pairs, player_share
from tests.arena.test_rating_lists import GAMES, game

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def circle(pairs: int = 30, share: float = 0.8) -> list[Any]:
    """Return games in which a beats b, b beats c, and c beats a, and all beat d."""
    records, rng = [], np.random.default_rng(1)
    for first, second in ("ab", "bc", "ca", "ad", "bd", "cd"):
        for opening in range(pairs):
            for one, other in ((first, second), (second, first)):
                won = (rng.random() < share) == (one == first)
                records.append(game(one, other, 0 if won else 2, opening))
    return records


def antisymmetric(rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield random log-odds, which have one equilibrium, and coarse ones, which may have many."""
    for count in (2, 3, 4, 5, 6, 8):
        for is_coarse in (False, True):
            matrix = rng.normal(size=(count, count))
            yield np.round(matrix - matrix.T) if is_coarse else matrix - matrix.T


class TestPayoffs:
    def test_scores_and_intervals_are_those_of_the_pairs(self) -> None:
        found = payoff_matrix(GAMES)
        i, j = found.names.index("a"), found.names.index("c")
        points = [
            sum((1 + record.outcome[record.players.index("a")]) / 2 for record in GAMES[k : k + 2])
            for k in range(0, len(GAMES), 2)
            if set(GAMES[k].players) == {"a", "c"}
        ]
        expected = elo_difference(points)
        assert found.games[i, j] == found.games[j, i] == 30
        assert found.scores[i, j] == pytest.approx(expected.score) == 1 - found.scores[j, i]
        low, high = (1 / (1 + 10 ** (-elo / 400)) for elo in (expected.low, expected.high))
        assert (found.low[i, j], found.high[i, j]) == pytest.approx((low, high))
        assert (found.low[j, i], found.high[j, i]) == pytest.approx((1 - high, 1 - low))
        assert (np.diag(found.scores) == 0.5).all()
        odds = found.log_odds()
        np.testing.assert_allclose(odds, -odds.T)

    def test_a_share_is_in_its_interval(self) -> None:
        """Where lone games had other results than pairs it could be outside: these had half the weight in the one."""
        rng = np.random.default_rng(3)
        for _ in range(300):
            chances = rng.dirichlet([0.3] * 3, size=2)  # of lone games, and of pairs
            records = [
                game(one, other, int(rng.choice(3, p=chances[kind])), 1000 * kind + number)
                for kind, sides in enumerate((("ab",), ("ab", "ba")))
                for number in range(rng.integers(1, 40))
                for one, other in sides
            ]
            found = payoff_matrix(records)
            assert found.low[0, 1] <= found.scores[0, 1] <= found.high[0, 1]
            share = player_share(in_pairs(records), "a")
            assert (share.low, share.high) == pytest.approx((found.low[0, 1], found.high[0, 1]))
            assert share.share == pytest.approx(found.scores[0, 1])

    def test_of_lone_games_and_pairs_by_hand(self) -> None:
        pairs = [game(one, other, 1, number) for number in range(40) for one, other in ("ab", "ba")]
        lone = [game("a", "b", 0, 100 + number) for number in range(40)]
        found = payoff_matrix([*pairs, *lone])
        assert found.scores[0, 1] == pytest.approx(2 / 3)
        # A game and a half are added that are won, and as many that are lost; 1.98969 is Student's for 81.
        middle = (80 + 1.5) / (120 + 3)
        spread = math.sqrt(
            40 * (1 - middle) ** 2 + 40 * (1 - 2 * middle) ** 2 + 1.5**2 * (middle**2 + (1 - middle) ** 2)
        )
        half = 1.98969 * spread * math.sqrt(82 / 81) / 123
        assert (found.low[0, 1], found.high[0, 1]) == pytest.approx((middle - half, middle + half), abs=1e-5)

    def test_who_has_not_met(self) -> None:
        found = payoff_matrix([game("a", "b", 0), game("b", "c", 1)])
        assert math.isnan(found.scores[0, 2])
        with pytest.raises(ValueError, match="a and c have not met"):
            found.log_odds()


class TestCycles:
    def test_a_circle_is_found_once(self) -> None:
        found = cycles(payoff_matrix(circle()))
        assert len(found) == 1
        assert "".join(found[0]) in ("abc", "bca", "cab")

    def test_what_games_do_not_prove_is_no_circle(self) -> None:
        assert cycles(payoff_matrix(circle(pairs=2))) == []
        assert cycles(payoff_matrix(GAMES)) == []


class TestAlphaRank:
    @pytest.mark.parametrize(("alpha", "population"), [(0.1, 10), (1.0, 50), (5.0, 20), (10.0, 50)])
    def test_as_openspiel_has_it(self, alpha: float, population: int) -> None:
        from open_spiel.python.egt import alpharank

        options: Any = {"m": population, "alpha": alpha}
        rng = np.random.default_rng(3)
        for count in (2, 3, 6):
            scores = rng.random((count, count))
            _, _, theirs, *_ = alpharank.compute([scores], **options)
            np.testing.assert_allclose(alpha_rank(scores, alpha, population), theirs, atol=1e-8)

    def test_of_a_circle_and_of_a_champion(self) -> None:
        np.testing.assert_allclose(alpha_rank(ROCK_PAPER_SCISSORS), 1 / 3)
        found = payoff_matrix(circle())
        shares = alpha_rank(found.scores)
        assert shares[found.names.index("d")] < 1e-9
        champion = np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.7], [0.1, 0.3, 0.5]])
        np.testing.assert_allclose(alpha_rank(champion), [1, 0, 0], atol=1e-9)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((np.zeros((2, 3)),), "square matrix"),
            ((np.full((2, 2), math.nan),), "gaps"),
            ((np.zeros((2, 2)), 0.0), "alpha must be a number above 0, got 0.0"),
            ((np.zeros((2, 2)), 1.0, 1), "population must be a whole number, at least 2, got 1"),
        ],
    )
    def test_bad_arguments(self, arguments: tuple[Any, ...], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            alpha_rank(*arguments)


class TestNashAverage:
    def test_by_hand(self) -> None:
        found = nash_average(ROCK_PAPER_SCISSORS)
        np.testing.assert_allclose(found.shares, 1 / 3, atol=1e-6)
        np.testing.assert_allclose(found.elo, 0, atol=1e-3)
        # Balduzzi et al., section 3: what one gets is divided between copies of it, and all others keep theirs.
        copied = np.block(
            [[ROCK_PAPER_SCISSORS, ROCK_PAPER_SCISSORS[:, 2:]], [ROCK_PAPER_SCISSORS[2:], np.zeros((1, 1))]]
        )
        np.testing.assert_allclose(nash_average(copied).shares, [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=1e-6)

    def test_a_champion_has_all(self) -> None:
        ladder = np.array([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]], float)
        found = nash_average(ladder)
        np.testing.assert_allclose(found.shares, [1, 0, 0], atol=1e-6)
        assert found.elo == pytest.approx(np.array([0, -1, -2]) * 400 / math.log(10), abs=1e-3)

    def test_equals_share(self) -> None:
        np.testing.assert_allclose(nash_average(np.zeros((4, 4))).shares, 1 / 4, atol=1e-6)

    def test_of_all_equilibria_it_is_the_most_even(self) -> None:
        """Proved by SciPy's solvers, since OpenSpiel's Nash averaging needs cvxpy, which nothing else here does.

        Linear programs say who may have a share at all. The shares have the largest entropy if prices for what the
        players gain fulfil the conditions of Karush, Kuhn and Tucker, which suffice where entropy is concave.
        """
        from scipy.optimize import linprog, lsq_linear

        for odds in antisymmetric(np.random.default_rng(8)):
            count, found = len(odds), nash_average(odds)
            assert found.shares.sum() == pytest.approx(1)
            gains = odds @ found.shares
            assert gains.max() < 1e-6  # nobody beats it
            equilibria: dict[str, Any] = {"A_ub": odds, "b_ub": np.zeros(count), "A_eq": [[1.0] * count], "b_eq": [1.0]}
            most = np.array([-linprog(-np.eye(count)[i], **equilibria).fun for i in range(count)])
            members = most > 1e-6
            assert ((found.shares > 1e-7) == members).all()
            priced = gains > -1e-6  # who does not lose against it
            columns = np.vstack([odds[priced][:, members], np.ones(members.sum())]).T
            bounds = [0.0] * int(priced.sum()) + [-math.inf], math.inf
            prices = lsq_linear(columns, -np.log(found.shares[members]), bounds, tol=1e-14)
            assert abs(prices.fun).max() < 1e-4

    def test_as_a_general_solver_has_it(self) -> None:
        from scipy.optimize import minimize

        rng, compared = np.random.default_rng(5), 0
        for count in (3, 4, 5, 7):
            for is_coarse in (False, True):
                matrix = rng.normal(size=(count, count))
                odds = np.round(matrix - matrix.T) if is_coarse else matrix - matrix.T  # many equilibria, or one
                found = nash_average(odds)
                assert found.shares.sum() == pytest.approx(1)
                assert (odds @ found.shares).max() < 1e-5  # nobody beats it

                def loss(x: Any) -> float:
                    return float((x * np.log(np.maximum(x, 1e-12))).sum())

                slow = minimize(
                    loss,
                    found.shares * 0.9 + 0.1 / count,
                    method="SLSQP",
                    bounds=[(0, 1)] * count,
                    constraints=[
                        {"type": "eq", "fun": lambda x: x.sum() - 1},
                        {"type": "ineq", "fun": lambda x, odds=odds: -odds @ x},
                    ],
                    options={"ftol": 1e-12, "maxiter": 1000},
                )
                if (odds @ slow.x).max() < 1e-6:
                    compared += 1
                    assert loss(found.shares) <= slow.fun + 1e-4  # as even as any that it finds
        assert compared >= 6

    def test_of_games(self) -> None:
        found = payoff_matrix(circle())
        average = nash_average(found.log_odds())
        assert average.shares[found.names.index("d")] == pytest.approx(0, abs=1e-6)
        assert average.elo[found.names.index("d")] < -100

    def test_bad_arguments(self) -> None:
        with pytest.raises(ValueError, match="antisymmetric"):
            nash_average(np.ones((2, 2)))
