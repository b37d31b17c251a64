"""A test that stops by itself: the sequential probability ratio test, on pairs of games.

A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

from ...envs.outside.arguments import is_between, is_list, is_positive
from ...envs.outside.messages import shown
from ..ratings import pair_scores
from ..ratings.difference import check_confidence
from ..records.record import GameRecord
from .likelihood import REACHES, Model, checked_model, difference_at, likeliest, log_likelihood_ratio, walk_at
from .passage import chance_of_upper_by

__all__ = ["Estimate", "Sprt", "until_decided"]

_MOST = 2**53  # pairs of one score: beyond it, floating-point numbers leave some out


class Estimate(NamedTuple):
    """How much stronger the first player is, in the test's Elo, by what a test has seen when it stopped.

    What nothing bounds is infinite: if the first player has won all pairs, they only say how strong it is at least.
    """

    elo: float  # median-unbiased: as likely too high as too low
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval


class Sprt:
    """Is the first player stronger by ``elo1`` (H1), rather than by ``elo0`` (H0)?

    Add the points of each opening, and play until `decision` says something.

    Args:
        elo0: the difference in strength by H0, between -500 and 500 in normalised, -4000 and 4000 in logistic Elo.
        elo1: the difference by H1, which is larger, in the same range.
        alpha: the chance to accept H1 where H0 is true, above 0 and below 0.5.
        beta: the chance to accept H0 where H1 is true, above 0 and below 0.5.
        model: whether Elo are normalised or logistic, see `likelihood`.
        counts: pairs that were played before, see ``counts`` below.

    Attributes:
        counts: how many pairs scored 0, 1/2, 1, 3/2 and 2 points.
        lower: H0 is accepted where the log-likelihood ratio falls to it.
        upper: H1 is accepted where the log-likelihood ratio rises to it.

    Raises:
        ValueError: an argument is out of its range, or the counts are not five whole numbers up to 2**53.
    """

    def __init__(
        self,
        elo0: float = 0.0,
        elo1: float = 20.0,
        alpha: float = 0.05,
        beta: float = 0.05,
        model: str = "normalized",
        counts: Sequence[int] = (0, 0, 0, 0, 0),
    ) -> None:
        if not (is_between(elo0, -math.inf) and is_between(elo1, -math.inf) and -math.inf < elo0 < elo1):
            raise ValueError(f"elo1 must be above elo0, both finite, got elo0={elo0!r} and elo1={elo1!r}")
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not (is_positive(value) and value < 0.5):
                raise ValueError(f"{name} must be above 0 and below 0.5, got {value!r}")
        self.elo0, self.elo1, self.alpha, self.beta = float(elo0), float(elo1), float(alpha), float(beta)
        self.model: Model = checked_model(model)
        pairs = list(counts) if is_list(counts) else []
        if len(pairs) != 5 or not all(is_between(count, 0, _MOST) and count % 1 == 0 for count in pairs):
            raise ValueError(f"counts must be five whole numbers of pairs, each from 0 to 2**53, got {shown(counts)}")
        self.counts = [int(count) for count in pairs]
        self.lower, self.upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
        log_likelihood_ratio(self.counts, elo0, elo1, self.model)  # says what is out of reach

    def add(self, points: Iterable[float]) -> None:
        """Add pairs by the first player's points in both games, each of 0, 1/2, 1, 3/2 and 2.

        Raises:
            ValueError: it is another number. No pair is added then.
        """
        places = []
        for one in points:
            if not is_between(one, 0, 2) or 2 * one % 1:
                raise ValueError(f"the points of a pair of games are 0, 0.5, 1, 1.5 or 2, got {one!r}")
            places.append(int(2 * one))
        for place in places:
            self.counts[place] += 1

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return sum(self.counts)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of H1 to H0."""
        return log_likelihood_ratio(self.counts, self.elo0, self.elo1, self.model)

    @property
    def decision(self) -> Literal["H0", "H1"] | None:
        """What is accepted; None while the games do not tell."""
        llr = self.llr
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else None

    @property
    def has_run_on(self) -> bool:
        """Whether the ratio is farther beyond a bound than the bounds are apart, and not by one pair that is large.

        Where pairs come in batches a test stops somewhat late, but not so late.
        """
        if self.lower - (width := self.upper - self.lower) <= self.llr <= self.upper + width:
            return False
        before = ([count - (i == place) for i, count in enumerate(self.counts)] for place in range(5))
        earlier = (one for one in before if min(one) >= 0)
        ratios = (log_likelihood_ratio(one, self.elo0, self.elo1, self.model) for one in earlier)
        return not any(self.lower < ratio < self.upper for ratio in ratios)

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """Return the difference in strength, knowing that the test stops at its bounds.

        Stopping when one side is ahead overstates the difference on average. So outcomes are put in an order, from
        "H0 at once" over "H0 late", "no decision" and "H1 late" to "H1 at once", and the ends of the interval are those
        differences at which as extreme an outcome as this one has a chance of half of what the interval leaves out. The
        walk of the log-likelihood ratio is taken for Brownian motion with drift, which is that of the distribution that
        makes the results most likely at a difference (`walk_at`). Before the test has stopped, it is the interval of as
        many pairs without a test (`difference_at`), with Student's quantiles, as the pairs may be few; so it is of
        results that no test stopped, as those of a match of a given length: see `has_run_on`.

        Args:
            confidence: the chance that the interval is to have, above 0 and below 1.

        Raises:
            ValueError: there are no pairs yet, or the confidence is out of its range.
        """
        check_confidence(confidence)
        if self.pairs == 0:
            raise ValueError("there is nothing to estimate before the first pair of games: all five counts are 0")
        tail = (1 - confidence) / 2
        if self.decision is None or self.has_run_on:
            from scipy.special import stdtrit

            deviations = (-float(stdtrit(self.pairs, chance)) for chance in (0.5, 1 - tail, tail))
            return Estimate(*(difference_at(self.counts, one, self.model) for one in deviations))
        walk = cache(lambda elo: walk_at(self.counts, elo, self.elo0, self.elo1, self.model))
        return Estimate(*(self._elo_at(chance, walk) for chance in (0.5, 1 - tail, tail)))

    def _elo_at(self, chance: float, walk: Callable[[float], tuple[float, float]]) -> float:
        """Return the difference at which lower outcomes than what was seen have this chance, of a test that stopped.

        Args:
            chance: the chance.
            walk: the mean and the variance of what a pair changes the log-likelihood ratio by, at a difference.
        """
        from scipy.optimize import brentq

        llr, decision, reach = self.llr, self.decision, REACHES[self.model]
        best = likeliest(self.counts, self.model)
        if math.isinf(best) and (chance <= 0.5 if best > 0 else chance >= 0.5):  # nothing lies beyond
            return best
        lower, upper = min(self.lower, llr), max(self.upper, llr)  # the ratio has gone beyond by a step, at most

        def excess(elo: float) -> float:
            drift, variance = walk(elo)
            if decision == "H1":
                return 1 - chance_of_upper_by(self.pairs, drift, variance, lower, upper) - chance
            return chance_of_upper_by(self.pairs, -drift, variance, -upper, -lower) - chance

        near = far = min(max(best, -reach), reach)
        is_above = excess(near) > 0
        side, step = 1 if is_above else -1, self.elo1 - self.elo0
        while (excess(far) > 0) == is_above:  # in ever longer steps: mostly it is near to the likeliest difference
            if far == side * reach:
                return side * math.inf
            near, far, step = far, min(max(far + side * step, -reach), reach), 2 * step
        return float(brentq(excess, near, far, xtol=1e-3))  # pyright: ignore[reportArgumentType]


def until_decided(test: Sprt, records: Iterable[GameRecord]) -> Iterator[GameRecord]:
    """Yield the games of a match until the test has its answer, or there are no more.

    Args:
        test: the test, to which each pair of games is added when it is finished.
        records: the games of two players in order, as from `plyground.arena.iter_match`.
    """
    pair: list[GameRecord] = []
    for record in records:
        pair.append(record)
        if len(pair) == 2:
            test.add(pair_scores(pair))
            pair = []
        yield record
        if not pair and test.decision is not None:
            return
