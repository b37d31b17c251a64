"""Bandits: their scores by hand, what they converge to, and their regret against proven bounds."""

from __future__ import annotations

import math
import runpy
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from plyground.agents.teaching.bandits import (
    UCB1,
    Bandit,
    EpsilonGreedy,
    ThompsonSampling,
    UCB1Tuned,
    lai_robbins_bound,
    regret,
    ucb1_bound,
)

ALL: list[tuple[type[Bandit], dict[str, Any]]] = [
    (EpsilonGreedy, {"seed": 0}),
    (EpsilonGreedy, {"decay": 5.0, "seed": 0}),
    (UCB1, {}),
    (UCB1Tuned, {}),
    (ThompsonSampling, {"seed": 0}),
]


def fed(bandit: Bandit, wins: list[int], visits: list[int]) -> Bandit:
    """Return the bandit after each arm has won so many of its pulls."""
    for arm, (won, total) in enumerate(zip(wins, visits, strict=True)):
        for i in range(total):
            bandit.update(arm, float(i < won))
    return bandit


def scores(bandit: Bandit) -> list[float]:
    rng = np.random.default_rng(0)
    return bandit.scores(bandit.counts[None], bandit.sums[None], bandit.squares[None], rng)[0].tolist()


class TestScores:
    def test_ucb1_has_the_numbers_of_the_text(self, textbook: Any) -> None:
        children = textbook["ucb"]["worked_example"]["root_children"]  # of 21 visits, with c = 1
        bandit = fed(UCB1(3, c=1.0), [c["wins"] for c in children], [c["visits"] for c in children])
        assert bandit.counts.tolist() == [10, 8, 3]
        assert bandit.means.tolist() == pytest.approx([7 / 10, 5 / 8, 0])
        assert scores(bandit) == pytest.approx([child["ucb"] for child in children], abs=6e-4)
        assert bandit.select() == 0

    def test_ucb1_as_published(self) -> None:
        # 4 pulls, one of arm 0 that paid, 3 of arm 1 with 2 payments: 1 + sqrt(2 ln 4 / 1), 2/3 + sqrt(2 ln 4 / 3);
        # ln 4 = 1.386294, so the roots are 1.665109 and 0.961352.
        assert scores(fed(UCB1(2), [1, 2], [1, 3])) == pytest.approx([2.665109, 1.628018], abs=1e-6)

    def test_ucb1_tuned(self) -> None:
        # Arm 0: 16 pulls, 8 payments: mean 1/2, variance 1/4, the most there can be: 1/2 + sqrt(ln 32 / 16 / 4),
        # ln 32 = 3.465736: the root is 0.232706.
        # Arm 1: 16 pulls that all paid 1/2: variance 0, plus sqrt(2 ln 32 / 16) = 0.658192, above 1/4: the same.
        bandit = fed(UCB1Tuned(2), [8, 0], [16, 0])
        for _ in range(16):
            bandit.update(1, 0.5)
        assert scores(bandit) == pytest.approx([0.732706, 0.732706], abs=1e-6)
        # Arm 1 after 1000 more of these, 1032 pulls in all: ln 1032 / 1016 = 6.939254 / 1016 = 0.006829973; the term
        # sqrt(2 · 0.006829973) = 0.1168758 is below 1/4: 1/2 + sqrt(0.006829973 · 0.1168758) = 1/2 + 0.0282534.
        for _ in range(1000):
            bandit.update(1, 0.5)
        assert scores(bandit)[1] == pytest.approx(0.5282534, abs=1e-7)

    def test_thompson_draws_from_the_posterior(self) -> None:
        bandit = fed(ThompsonSampling(2, prior=(2, 3)), [7, 0], [10, 4])  # Beta(9, 6), Beta(2, 7)
        rows = np.broadcast_to
        draws = bandit.scores(
            rows(bandit.counts, (20_000, 2)),
            rows(bandit.sums, (20_000, 2)),
            rows(bandit.squares, (20_000, 2)),
            np.random.default_rng(0),
        )
        assert draws.mean(axis=0) == pytest.approx([9 / 15, 2 / 9], abs=0.005)
        assert draws.var(axis=0) == pytest.approx([9 * 6 / (15**2 * 16), 2 * 7 / (9**2 * 10)], rel=0.05)

    def test_epsilon_greedy_explores_as_often_as_it_says(self) -> None:
        bandit = fed(EpsilonGreedy(4, epsilon=0.2, seed=1), [1, 3, 2, 0], [4, 4, 4, 4])
        chosen = np.bincount([bandit.select() for _ in range(10_000)], minlength=4) / 10_000
        assert chosen == pytest.approx([0.05, 0.85, 0.05, 0.05], abs=0.01)
        assert {fed(EpsilonGreedy(3, epsilon=0), [0, 1, 0], [2, 2, 2]).select() for _ in range(50)} == {1}

    def test_decay(self) -> None:
        # After 99 pulls ε is min(1, 10 · 2 / 100) = 0.2, and the worse arm is chosen half of that often.
        bandit = fed(EpsilonGreedy(2, epsilon=1.0, decay=10.0, seed=2), [49, 0], [49, 50])
        assert np.mean([bandit.select() for _ in range(10_000)]) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(("kind", "options"), ALL)
class TestInterface:
    def test_finds_the_best_arm(self, kind: type[Bandit], options: dict[str, Any]) -> None:
        bandit, rng = kind(3, **options), np.random.default_rng(5)
        assert np.isnan(bandit.means).all()
        for _ in range(3000):
            arm = bandit.select()
            bandit.update(arm, float(rng.random() < (0.2, 0.5, 0.8)[arm]))
        assert bandit.counts.sum() == 3000
        assert bandit.counts.argmax() == 2
        assert bandit.counts[2] > 2000
        assert bandit.means[2] == pytest.approx(0.8, abs=0.05)

    def test_one_arm(self, kind: type[Bandit], options: dict[str, Any]) -> None:
        bandit = kind(1, **options)
        assert bandit.select() == 0
        bandit.update(0, 0.0)
        assert bandit.select() == 0
        assert (regret(bandit, [0.3], 20, runs=2) == 0).all()

    def test_wrong_arguments(self, kind: type[Bandit], options: dict[str, Any]) -> None:
        wrong: list[Any] = [0, -1, 2.0, True]
        for arms in wrong:
            with pytest.raises(ValueError, match="arms must be a whole number of at least 1"):
                kind(arms, **options)
        bandit = kind(2, **options)
        wrong = [-1, 2, 1.5, True]
        for arm in wrong:
            with pytest.raises(ValueError, match=f"arm must be a whole number, from 0 to 1, got {arm}"):
                bandit.update(arm, 1.0)
        for reward in (-0.1, 1.1, math.nan):
            with pytest.raises(ValueError, match="a reward must be between 0 and 1"):
                bandit.update(0, reward)
        assert bandit.counts.sum() == 0

    def test_regret_is_reproducible_and_leaves_the_bandit(self, kind: type[Bandit], options: dict[str, Any]) -> None:
        bandit = kind(3, **options)
        curves = regret(bandit, [0.2, 0.5, 0.8], 200, runs=7, seed=3)
        assert curves.shape == (7, 200)
        assert (np.diff(curves, axis=1) >= 0).all()
        assert (curves == regret(bandit, [0.2, 0.5, 0.8], 200, runs=7, seed=3)).all()
        assert (curves != regret(bandit, [0.2, 0.5, 0.8], 200, runs=7, seed=4)).any()
        assert bandit.counts.sum() == 0
        # Each pull costs one of the gaps.
        costs = np.diff(curves, axis=1)
        assert np.isclose(costs[..., None], [0.6, 0.3, 0.0]).any(axis=-1).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EpsilonGreedy(2, epsilon=1.5), "epsilon must be a probability, 0 to 1, got 1.5"),
        (lambda: EpsilonGreedy(2, decay=0), "decay must be a number above 0, or None, got 0"),
        (lambda: UCB1(2, c=-1), "c must be a number of at least 0, got -1"),
        (lambda: ThompsonSampling(2, prior=(0, 1)), r"prior must be two numbers above 0, got \(0, 1\)"),
        (lambda: ThompsonSampling(2, prior=(1,)), r"prior must be two numbers above 0, got \(1,\)"),
        (lambda: regret(UCB1(2), [0.5], 10), r"means must be 2 probabilities, one for each arm, got \[0.5\]"),
        (lambda: regret(UCB1(2), [0.5, 1.5], 10), "means must be probabilities, one for each arm"),
        (lambda: ucb1_bound([0.2, 1.8], 10), "means must be probabilities, one for each arm"),
        (lambda: regret(UCB1(2), [0.5, 0.6], 0), "pulls must be a whole number, at least 1, got 0"),
        (lambda: regret(UCB1(2), [0.5, 0.6], cast(Any, 10.0)), r"pulls must be a whole number, at least 1, got 10\.0"),
        (lambda: regret(UCB1(2), [0.5, 0.6], 5, runs=0), "runs must be a whole number, at least 1, got 0"),
        (lambda: lai_robbins_bound([0.5, 1.0], 10), "means must lie between 0 and 1"),
    ],
)
def test_wrong_options(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


class TestRegret:
    MEANS = (0.9, 0.6)  # Auer et al. 2002, section 4, distribution 1
    PULLS = 5000

    def curve(self, bandit: Bandit) -> Any:
        return regret(bandit, self.MEANS, self.PULLS, runs=200, seed=1).mean(axis=0)

    def test_linear_for_a_constant_epsilon(self) -> None:
        # In the long run each pull is wrong with probability ε / 2, and costs 0.3.
        curve = self.curve(EpsilonGreedy(2, epsilon=0.1))
        assert (curve[-1] - curve[999]) / 4000 == pytest.approx(0.1 / 2 * 0.3, rel=0.05)

    @pytest.mark.parametrize(
        "bandit",
        [UCB1(2), UCB1Tuned(2), ThompsonSampling(2), EpsilonGreedy(2, decay=5.0)],
        ids=lambda b: type(b).__name__,
    )
    def test_logarithmic_for_the_others(self, bandit: Bandit) -> None:
        curve = self.curve(bandit)
        # A logarithm grows as much from 500 to 5000 as from 50 to 500; a line grows ten times as much.
        assert curve[4999] - curve[499] < 2 * (curve[499] - curve[49]) + 1
        assert curve[-1] < self.curve(EpsilonGreedy(2, epsilon=0.1))[-1]

    def test_order_and_bounds(self) -> None:
        pulls = np.arange(1, self.PULLS + 1)
        curves = {bandit: self.curve(bandit(2)) for bandit in (UCB1, UCB1Tuned, ThompsonSampling)}
        assert max(curves[UCB1Tuned][-1], curves[ThompsonSampling][-1]) < curves[UCB1][-1] / 2
        assert (curves[UCB1] <= ucb1_bound(self.MEANS, pulls)).all()
        # KL(0.6, 0.9) = 0.6 ln(0.6 / 0.9) + 0.4 ln(0.4 / 0.1) = -0.243279 + 0.554518 = 0.311239
        assert lai_robbins_bound(self.MEANS, math.e) == pytest.approx(0.3 / 0.311239, abs=1e-5)
        assert curves[UCB1][-1] > lai_robbins_bound(self.MEANS, self.PULLS)

    def test_bound_of_theorem_1_by_hand(self) -> None:
        # Gaps 0.3 and 0.1: 8 ln n (1 / 0.3 + 1 / 0.1) + (1 + 3.289868) · 0.4, at n = e: 106.666667 + 1.715947.
        assert ucb1_bound([0.5, 0.8, 0.7], math.e) == pytest.approx(108.382614, abs=1e-6)

    def test_a_run_is_what_select_and_update_do(self) -> None:
        # UCB1 has no chance in it, and arms that pay always or never none either.
        bandit, paid, lost = UCB1(3), (0.0, 1.0, 0.0), []
        for _ in range(300):
            arm = bandit.select()
            bandit.update(arm, paid[arm])
            lost.append(1.0 - paid[arm])
        assert (regret(UCB1(3), paid, 300, runs=2) == np.cumsum(lost)).all()


def test_example_prints_its_table(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    example = Path(__file__).parents[2] / "examples" / "bandits.py"
    monkeypatch.setattr("sys.argv", [str(example), "--pulls", "300", "--runs", "5"])
    runpy.run_path(str(example), run_name="__main__")
    printed = capsys.readouterr().out
    assert "UCB1-Tuned" in printed
    assert "300" in printed
