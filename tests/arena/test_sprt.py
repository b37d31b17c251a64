"""The sequential probability ratio test: its likelihood ratio, its bounds, and what it says after it has stopped."""

from __future__ import annotations

import inspect
import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from plyground.arena import Sprt, iter_match, match, pair_scores, until_decided
from plyground.arena.cli.sprt import sprt
from plyground.arena.sprt import Estimate, log_likelihood_ratio
from plyground.arena.sprt.likelihood import ELO_PER_SIGMA, _balanced, _most_likely
from plyground.arena.sprt.passage import chance_of_upper, chance_of_upper_by

OPEN_BENCH = (39, 8843, 26675, 9240, 44)
SCORES = np.linspace(0, 1, 5)


def most_likely(shares: NDArray[np.float64], elo: float, model: str) -> NDArray[np.float64]:
    """The distribution that makes results most likely, of those with this difference, by a general optimiser."""

    def too_strong(p: NDArray[np.float64]) -> float:
        mean = float(p @ SCORES)
        if model == "logistic":
            return mean - 1 / (1 + 10 ** (-elo / 400))
        deviation = math.sqrt(float(p @ (SCORES - mean) ** 2))
        return (mean - 0.5) / (math.sqrt(2) * deviation) - elo / ELO_PER_SIGMA

    constraints: Any = [{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": too_strong}]
    found = minimize(
        lambda p: -(shares @ np.log(p)),
        np.full(5, 0.2),
        method="SLSQP",
        bounds=[(1e-9, 1)] * 5,
        constraints=constraints,
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.success
    return found.x


class TestLikelihood:
    def test_is_that_of_openbench(self) -> None:
        """OpenBench's own example, ``PentanomialSPRT((39, 8843, 26675, 9240, 44), 0.5, 2.5)``."""
        assert log_likelihood_ratio(OPEN_BENCH, 0.5, 2.5) == pytest.approx(2.941675, abs=5e-7)

    @pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SciPy 1.15 says so of its own steps
    @pytest.mark.parametrize("model", ["logistic", "normalized"])
    @pytest.mark.parametrize("counts", [OPEN_BENCH, (3, 10, 20, 12, 9), (40, 0, 1, 0, 59), (1, 2, 3, 4, 5)])
    def test_is_that_of_a_general_optimiser(self, model: Any, counts: tuple[int, ...]) -> None:
        shares = np.maximum(counts, 1e-3)
        total, shares = shares.sum(), shares / shares.sum()
        for elo0, elo1 in ((0, 5), (-30, 40), (10, 100)):
            likely = [most_likely(shares, elo, model) for elo in (elo0, elo1)]
            expected = total * (shares @ np.log(likely[1] / likely[0]))
            assert log_likelihood_ratio(counts, elo0, elo1, model) == pytest.approx(expected, rel=2e-3, abs=2e-4)

    def test_adds_up_and_changes_sign(self) -> None:
        for model in ("logistic", "normalized"):
            one, other = log_likelihood_ratio(OPEN_BENCH, 0, 5, model), log_likelihood_ratio(OPEN_BENCH, 5, 9, model)
            assert log_likelihood_ratio(OPEN_BENCH, 0, 9, model) == pytest.approx(one + other)
            assert log_likelihood_ratio(OPEN_BENCH[::-1], -9, 0, model) == pytest.approx(-one - other)
            assert log_likelihood_ratio((0, 0, 0, 0, 0), -5, 5, model) == pytest.approx(0)

    @pytest.mark.parametrize(
        ("counts", "elo"),
        [
            *[((0, 0, 0, 0, 43), elo) for elo in (-500, -5, 2, 5, 10, 240, 500)],  # a rounding cycle was once its end
            *[((0, 3, 0, 1, 0), 200), ((2, 0, 5, 1, 0), 300), ((10**9, 0, 0, 0, 0), 5)],
            *[
                ((1, 0, 3, 4, 12), 690),
                ((1, 0, 3, 4, 12), 2000),
                ((0, 0, 0, 1, 4), -10_000),
            ],  # only intervals ask so far
        ],
    )
    def test_is_found_for_every_difference(self, counts: tuple[int, ...], elo: float) -> None:
        """What is taken for the most likely has the difference, and answers to the condition for an extreme."""
        shares = np.maximum(counts, 1e-3) / np.maximum(counts, 1e-3).sum()
        found = _most_likely(shares, elo, "normalized")
        mean = float(found @ SCORES)
        deviation = math.sqrt(float(found @ (SCORES - mean) ** 2))
        t = (mean - 0.5) / deviation
        assert found.sum() == pytest.approx(1, abs=1e-12)
        assert t / math.sqrt(2) * ELO_PER_SIGMA == pytest.approx(elo, rel=1e-9)
        weights = SCORES - 0.5 - t * deviation * (1 + ((SCORES - mean) / deviation) ** 2) / 2
        theta = (shares / found - 1) / weights
        assert theta == pytest.approx(np.full(5, theta[0]), rel=1e-6)

    def test_shares_of_any_size_are_balanced(self, rng: np.random.Generator) -> None:
        for _ in range(500):
            shares = rng.dirichlet(np.full(5, 10.0 ** rng.uniform(-2, 1))) + 10.0 ** rng.uniform(-12, -3, 5)
            shares /= shares.sum()
            weights = rng.normal(size=5) * 10.0 ** rng.uniform(-3, 3, 5)
            one, other = rng.permutation(5)[:2]
            weights[one], weights[other] = abs(weights[one]), -abs(weights[other])
            found = np.array(_balanced(shares.tolist(), weights.tolist()))
            assert (found > 0).all()
            assert found.sum() == pytest.approx(1, abs=1e-9)
            assert abs(found @ weights) <= 1e-9 * (found @ abs(weights))
            # By Lagrange all quotients of these are the same.
            products = np.outer(shares / found - 1, weights)
            assert abs(products - products.T).max() <= 1e-9 * abs(products).max() + 1e-12 * abs(weights).max()

    def test_of_several_extremes_the_highest_counts(self) -> None:
        """The general optimiser finds 11.94 from some beginnings, 12.21 from others."""
        shares = np.maximum((0, 1, 3, 3, 0), 1e-3)
        found = _most_likely(shares / shares.sum(), -220, "normalized")
        assert shares @ np.log(found) == pytest.approx(-11.955, abs=0.02)

    @pytest.mark.parametrize("counts", [(1, 2, 3), (1, 2, 3, 4, -1), (1, 2, 3, 4, math.nan), (math.inf, 0, 0, 0, 0)])
    def test_counts_that_are_none_are_refused(self, counts: tuple[float, ...]) -> None:
        with pytest.raises(ValueError, match="counts must be five numbers"):
            log_likelihood_ratio(counts, 0, 5)


class TestPassage:
    @pytest.mark.parametrize("drift", [-0.7, 0.0, 0.4, 3.0])
    def test_is_that_of_simulated_walks(self, drift: float) -> None:
        rng, steps, time = np.random.default_rng(0), 2000, 1.5
        variance, lower, upper, walks = 0.8, -1.0, 1.4, 4000
        changes = rng.normal(drift * time / steps, math.sqrt(variance * time / steps), (walks, steps))
        # Between two looks a walk goes beyond a bound unseen, by 0.5826 of a step's deviation in the mean (Chernoff).
        unseen = 0.5826 * math.sqrt(variance * time / steps)
        paths = np.cumsum(changes, axis=1)
        above, below = paths >= upper - unseen, paths <= lower + unseen
        first_above = np.where(above.any(1), above.argmax(1), steps)
        first_below = np.where(below.any(1), below.argmax(1), steps)
        share = (first_above < first_below).mean()
        assert chance_of_upper_by(time, drift, variance, lower, upper) == pytest.approx(share, abs=0.025)

    @pytest.mark.parametrize("drift", [-20.0, -2.0, -1e-12, 0.0, 1.0, 15.0])
    def test_goes_to_the_chance_of_ever_leaving_there(self, drift: float) -> None:
        ever = chance_of_upper(drift, 0.5, -1, 2)
        assert 0 <= ever <= 1
        assert ever + chance_of_upper(-drift, 0.5, -2, 1) == pytest.approx(1)
        assert chance_of_upper_by(1000, drift, 0.5, -1, 2) == pytest.approx(ever)
        times = np.geomspace(0.01, 100, 60)
        found = [chance_of_upper_by(time, drift, 0.5, -1, 2) for time in times]
        assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(found))
        # Both series meet where one takes over from the other.
        assert max(abs(b - a) for a, b in itertools.pairwise(found)) < 0.7

    @pytest.mark.parametrize(("lower", "upper"), [(-1.0, 2.0), (-3.0, 0.01), (-0.01, 3.0)])
    def test_is_found_for_every_drift(self, lower: float, upper: float) -> None:
        for size in np.geomspace(1e-6, 1e4, 21):
            for drift in (size, -size):
                times = (upper - lower) ** 2 * np.geomspace(0.01, 100, 50)
                found = [chance_of_upper_by(time, drift, 0.5, lower, upper) for time in times]
                assert all(later >= earlier - 1e-12 for earlier, later in itertools.pairwise(found))


def true_elo(shares: tuple[float, ...]) -> float:
    """The difference in normalised Elo between players whose pairs score as these shares say."""
    mean = float(np.array(shares) @ SCORES)
    return (mean - 0.5) / math.sqrt(2 * np.array(shares) @ (SCORES - mean) ** 2) * ELO_PER_SIGMA


@pytest.mark.parametrize(
    ("elo1", "chance", "counts"),
    [
        (10, 0.05, (348, 836, 6252, 1093, 311)),
        (50, 0.01, (125, 604, 1984, 533, 337)),
        (10, 0.05, (140, 1072, 5723, 796, 309)),
    ],
)
def test_a_long_test_is_estimated(elo1: float, chance: float, counts: tuple[int, ...]) -> None:
    """At differences far from what was seen the walk has a large drift: an `OverflowError` came."""
    sprt = Sprt(0, elo1, chance, chance, counts=counts)
    assert sprt.decision is not None
    found = sprt.estimate()
    assert -20 < found.low < found.elo < found.high < 60


def test_a_pair_counts_when_its_second_game_is_there() -> None:
    """It did when the next one was asked for: whoever stopped between the two lost it."""
    test = Sprt(0, 5)
    games = match("tictactoe", ["random", "random"], 4)
    assert [test.pairs for _ in until_decided(test, games)] == [0, 1, 1, 2]


class TestInterval:
    """The interval of a player who is far stronger knows that the deviation, too, is not known."""

    STRONG = (0.02, 0.03, 0.1, 0.15, 0.7), (0.0, 0.0, 0.05, 0.05, 0.9)  # 390 and 953 Elo

    @pytest.mark.parametrize("shares", [pytest.param(STRONG[0], marks=pytest.mark.slow), *STRONG[1:]])
    @pytest.mark.parametrize("pairs", [20, pytest.param(50, marks=pytest.mark.slow)])
    def test_covers_without_a_test(self, shares: tuple[float, ...], pairs: int) -> None:
        """It covered half for the first, and a quarter for the second."""
        rng, true, times = np.random.default_rng(0), true_elo(shares), 40
        played = Counter(map(tuple, rng.multinomial(pairs, shares, times).tolist()))
        tests = {counts: Sprt(0, 20, 1e-300, 1e-300, counts=counts) for counts in played}
        assert {test.decision for test in tests.values()} == {None}
        ends = {counts: test.estimate()[1:] for counts, test in tests.items()}
        covered = sum(times for counts, times in played.items() if ends[counts][0] <= true <= ends[counts][1])
        assert covered / times > 0.95 - 3 * math.sqrt(0.05 * 0.95 / times)

    @pytest.mark.parametrize(
        ("shares", "times"), [(STRONG[1], 10), *(pytest.param(one, 40, marks=pytest.mark.slow) for one in STRONG)]
    )
    def test_covers_after_a_test(self, shares: tuple[float, ...], times: int) -> None:
        """It covered a fifth for the first, and a tenth for the second."""
        rng, true = np.random.default_rng(0), true_elo(shares)
        covered, known = 0, dict[tuple[int, ...], Estimate]()
        for _ in range(times):
            test = Sprt(0, 100)
            while test.decision is None:
                test.add(2 * rng.choice(SCORES, 1, p=shares))
            found = known.get(tuple(test.counts)) or test.estimate()
            known[tuple(test.counts)] = found
            assert found.low < found.elo <= found.high
            covered += found.low <= true <= found.high
        assert covered / times > 0.95 - 3 * math.sqrt(0.05 * 0.95 / times)

    def test_is_open_where_nothing_bounds_it(self) -> None:
        for model in ("normalized", "logistic"):
            few, decided = (Sprt(0, 100, model=model, counts=(0, 0, 0, 0, count)) for count in (5, 15))
            assert (few.decision, decided.decision) == (None, "H1")
            for test in (few, decided):
                elo, low, high = test.estimate()
                assert (elo, high) == (math.inf, math.inf)
                assert -100 < low < 300
            assert few.estimate().low < decided.estimate().low
            lost = Sprt(-100, 0, model=model, counts=(15, 0, 0, 0, 0))
            assert lost.estimate()[:2] == (-math.inf, -math.inf)
            assert lost.estimate().high == pytest.approx(-decided.estimate().low, abs=0.01)
            assert Sprt(model=model, counts=(0, 0, 0, 0, 1)).estimate() == (math.inf, -math.inf, math.inf)
        assert Sprt(counts=(0, 0, 0, 5, 0)).estimate().elo == math.inf  # there is no deviation
        assert Sprt(counts=(0, 0, 0, 5, 0), model="logistic").estimate().elo == pytest.approx(190.6, abs=0.1)
        assert Sprt(counts=(0, 0, 5, 0, 0)).estimate().elo == pytest.approx(0)

    @pytest.mark.parametrize("model", ["normalized", "logistic"])
    def test_is_that_of_the_mean_for_many_pairs(self, model: Any) -> None:
        shares = np.array(OPEN_BENCH) / sum(OPEN_BENCH)
        mean = float(shares @ SCORES)
        deviation = math.sqrt(shares @ (SCORES - mean) ** 2)
        elo = (math.sqrt(0.5) if model == "normalized" else 2 * deviation) * ELO_PER_SIGMA / deviation
        ends = [(mean - 0.5 + sign * 1.96 * deviation / math.sqrt(sum(OPEN_BENCH))) * elo for sign in (0, -1, 1)]
        assert Sprt(0.5, 2.5, model=model, counts=OPEN_BENCH).estimate() == pytest.approx(ends, abs=0.02)


def simulated(test: Sprt, elo: float, rng: np.random.Generator) -> Sprt:
    """Add pairs of players with this difference in normalised Elo, until the test is decided."""
    shares = np.array([0.1, 0.15, 0.5, 0.15, 0.1])
    deviation = math.sqrt(shares @ (SCORES - 0.5) ** 2)
    shift = elo / ELO_PER_SIGMA * math.sqrt(2) * deviation
    shares = shares * (1 + shift * (SCORES - 0.5) / deviation**2)  # the mean rises by the shift
    while test.decision is None:
        test.add(rng.choice([0, 0.5, 1, 1.5, 2], p=shares / shares.sum(), size=1))
    return test


class TestSprt:
    @pytest.mark.slow
    @pytest.mark.parametrize("true", [0.0, 100.0])
    def test_errs_as_seldom_as_it_says_and_its_interval_holds(self, true: float) -> None:
        rng, tests = np.random.default_rng(1), 250
        ended = [simulated(Sprt(0, 100, 0.1, 0.1), true, rng) for _ in range(tests)]
        wrong = sum(one.decision == ("H1" if true == 0 else "H0") for one in ended) / tests
        assert wrong < 0.1 + 3 * math.sqrt(0.09 / tests)
        found = [one.estimate() for one in ended]
        assert np.mean([one.low <= true <= one.high for one in found]) > 0.95 - 3 * math.sqrt(0.05 * 0.95 / tests)
        assert np.mean([one.elo > true for one in found]) == pytest.approx(0.5, abs=3 * math.sqrt(0.25 / tests))

    def test_it_is_that_of_the_terminal(self) -> None:
        """Counts of a test there gave another decision here: H1 was four times as far away."""
        defaults = {name: one.default for name, one in inspect.signature(Sprt).parameters.items()}
        told = {name: one.default for name, one in inspect.signature(sprt).parameters.items() if name in defaults}
        assert told == {name: defaults[name] for name in ("elo0", "elo1", "alpha", "beta", "model")}

    def test_stops_at_its_bounds(self) -> None:
        test = Sprt(0, 50, 0.05, 0.1)
        assert (test.lower, test.upper) == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))
        assert test.decision is None
        while test.decision is None:
            test.add([1.5, 1])
        assert test.decision == "H1"
        assert test.llr >= test.upper
        found = test.estimate()
        assert 0 < found.low < found.elo < found.high
        other = Sprt(0, 50, counts=test.counts[::-1], model="logistic")
        assert other.decision == "H0"
        assert other.estimate().high < 0

    def test_who_stops_early_is_not_taken_at_his_word(self) -> None:
        """The estimate knows that a test stops when one side is ahead: it is nearer to H0 than the score is."""
        test = Sprt(0, 50, counts=(9, 1, 27, 6, 22))
        assert test.decision == "H1"
        fixed = Sprt(0, 50, 1e-12, 1e-12, counts=test.counts)  # bounds that are never reached
        assert fixed.decision is None
        assert test.estimate().elo < fixed.estimate().elo
        assert test.estimate(0.5).high < test.estimate(0.99).high

    def test_who_did_not_stop_is_taken_at_his_word(self) -> None:
        """A match of 44,841 pairs was estimated as if a test had stopped it, at -2.5 to 5.8 normalised Elo."""
        counts = (39, 8843, 26675, 9240, 44)
        scores, pairs = np.repeat(np.linspace(0, 1, 5), counts), sum(counts)
        scale = ELO_PER_SIGMA / math.sqrt(2)  # and for many pairs, the error of mean / deviation is one over the root
        elo, error = scale * (scores.mean() - 0.5) / scores.std(), scale / math.sqrt(pairs)
        found = Sprt(0, 20, counts=counts).estimate()
        assert found == pytest.approx((elo, elo - 1.96 * error, elo + 1.96 * error), abs=0.02)
        assert not Sprt(0, 20, counts=[count * 4000 // pairs for count in counts]).has_run_on  # some pairs too many
        sudden = Sprt(0, 500, 0.45, 0.45, counts=(0, 0, 0, 0, 1))  # one pair is enough, and goes far
        assert sudden.llr > 3 * sudden.upper
        assert not sudden.has_run_on

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"elo0": 20}, "elo1 must be above elo0"),
            ({"elo1": math.nan}, "elo1 must be above elo0"),
            ({"alpha": 0.5}, "alpha must be above 0 and below 0.5, got 0.5"),
            ({"beta": 0}, "beta must be above 0"),
            ({"model": "normalised"}, "unknown model 'normalised': did you mean 'normalized'"),
            ({"counts": (1, 2, 3, 4)}, "five whole numbers"),
            ({"counts": (1, 2, 3, 4, 0.5)}, "five whole numbers"),
            ({"counts": "12345"}, "five whole numbers of pairs, each from 0 to 2.*, got '12345'"),
            ({"elo0": "a"}, "elo1 must be above elo0, both finite, got elo0='a'"),
            ({"alpha": "5 %"}, "alpha must be above 0 and below 0.5, got '5 %'"),
            ({"elo1": 501}, "elo1 is out of reach: give normalised Elo between -500 and 500, got 501"),
            ({"elo0": -1e6, "model": "logistic"}, "elo0 is out of reach: give logistic Elo between -4000 and 4000"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, arguments: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Sprt(**arguments)

    def test_points_and_estimates_that_make_no_sense_are_refused(self) -> None:
        test = Sprt()
        others: tuple[Any, ...] = (0.25, 2.5, -0.5, math.nan, math.inf, None, "1")
        for points in others:
            with pytest.raises(ValueError, match="points of a pair"):
                test.add([1, points])
        assert test.pairs == 0
        with pytest.raises(ValueError, match="before the first pair"):
            test.estimate()
        test.add([1])
        with pytest.raises(ValueError, match="confidence"):
            test.estimate(1)

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_match_goes_on_until_it_is_decided(self, jobs: int) -> None:
        test = Sprt(0, 100)
        match = iter_match("tictactoe", ["minimax", "random"], 400, opening_plies=1, jobs=jobs)
        records = list(until_decided(test, match))
        assert test.decision == "H1"
        assert len(records) == 2 * test.pairs < 100
        again = Sprt(0, 100)
        again.add(pair_scores(records))
        assert again.counts == test.counts
        assert again.decision == "H1"
        again = Sprt(0, 100, counts=test.counts)
        assert again.llr == test.llr
