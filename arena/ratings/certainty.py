"""How certain a rating is: profile likelihood, corrected for what the two games of a pair have in common.

The likelihood takes games for independent. Twice the fall of its profile would then be distributed as the square of
Student's t. Where games are correlated, it is that times φ, the variance that the pairs show (the "sandwich") over the
one that independent games have: R. E. Chandler and S. Bate, "Inference for clustered data using the independence
loglikelihood", Biometrika 94 (2007). φ is below 1 where openings suit one side, and above 1 where one of the players
does not understand some of them.

Few pairs say little of φ. So it is drawn towards 1, in the manner of G. K. Smyth, "Linear models and empirical Bayes
methods for assessing differential expression in microarray experiments", Statistical Applications in Genetics and
Molecular Biology 3 (2004): what the model adds to the games counts among them, as lone games. It counts by its share in
all that is seen to scatter: for little where many games were decided, and in full where all were drawn. Drawn games
alone would scatter by nothing, as if openings suited one side; the fit makes what is added to them scatter as much as
is expected of all. Where less is added than usual, a φ of 1 counts for as many degrees of freedom as that lacks.

How many degrees of freedom the pairs have follows from the fourth moments under the model (F. E. Satterthwaite, 1946):
a player who wins nearly every game has few. That the pairs were used to fit the ratings is corrected for, though not
for what was added to them, as by R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear
regression with multi-stage samples", Survey Methodology 28 (2002).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .model import Model, Point, moments, points_of, times
from .paired import PairedGames

__all__ = ["Certainty", "Spread"]

# Both were chosen by simulation: `python -m benchmarks.faults.rating_coverage` shows what comes of them.
_PRIOR = 1.0  # degrees of freedom, of what is known of φ without a pair
_TAILS = 3.0  # the results of games are bounded, so Student's t has tails as if there were this many times the freedom
_POINTS = np.array([0.5, 0.0, -0.5])
_FARTHEST = 50.0  # in log-odds, beyond which no end of an interval is looked for
_LOOKS, _NEAR = 60, 1e-4  # at the profile, to find where it has fallen far enough; how exactly

Vector = NDArray[np.float64]


class Spread(NamedTuple):
    """How a contrast of parameters scatters."""

    variance: float  # if games were independent
    dispersion: float  # φ: times as much as they do
    freedom: float  # the degrees of freedom behind φ

    @property
    def deviation(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance * self.dispersion)


class Certainty:
    """What is known of the parameters of a model at its maximum.

    Args:
        games: the games of the model.
        model: the model.
        best: its maximum.
    """

    def __init__(self, games: PairedGames, model: Model, best: Point) -> None:
        self._model, self._best = model, best
        # Outcomes first, for rows as long as there are pairings or kinds are summed fast.
        self._pairs = np.ascontiguousarray(games.pairs.transpose(1, 2, 0))  # [3, 3, pairings]
        self._singles = np.ascontiguousarray(games.singles.reshape(-1, 3).T)  # [3, kinds]
        self._inverse = model.inverse_information(best)

    def spread(self, contrast: Vector) -> Spread:
        """Return how a contrast [free] scatters."""
        best = self._best
        influence = np.zeros(self._model.players + 2)
        influence[self._model.free] = times(self._inverse, contrast)
        first, second = self._model.first, self._model.second
        turn = best.lead * best.gain_slope
        by_lead = best.gain * (influence[first] - influence[second] + influence[-2]) + turn * influence[-1]
        drawn, by_draw = best.chances[1], influence[-1]
        # What one game moves the contrast by, up to the first order [3, kinds].
        moves = by_lead * (_POINTS[:, None] - points_of(best.chances))
        moves += by_draw * (np.array([0.0, 1.0, 0.0])[:, None] - drawn)
        ones, others = moves[:, ::2], moves[:, 1::2]
        squares = moves**2
        seen = float((self._pairs * (ones[:, None] + others) ** 2).sum() + (self._singles * squares).sum())
        added = self._model.counts - self._model.played
        from_added = float((added * squares).sum())
        added *= from_added / (seen + from_added) if from_added else 0.0
        seen += float((added * squares).sum())
        second_moment = (best.chances * squares).sum(axis=0)
        fourth_moment = (best.chances * squares**2).sum(axis=0)
        pairs, alone = self._clusters
        alone, counted = alone + added.sum(axis=0), (self._model.played + added).sum(axis=0)
        two, four = second_moment.reshape(-1, 2), fourth_moment.reshape(-1, 2)
        of_pairs = four.sum(axis=1) + 6 * two.prod(axis=1) - two.sum(axis=1) ** 2
        scatter = _total(pairs, of_pairs) + _total(alone, fourth_moment - second_moment**2)
        expected = _total(counted, second_moment) - self._used(by_lead, by_draw)
        variance = float(contrast @ times(self._inverse, contrast))
        if expected <= 1e-6 * variance:  # nearly all is known by what was added to the games
            return Spread(variance, 1.0, _PRIOR)
        # Games that are won as often as lost, each counted alone, always show the same variance: nothing scatters.
        freedom = 2 * expected**2 / max(scatter, 1e-6 * expected**2)
        dispersion, lacking = seen / expected, _PRIOR * max(0.0, 1 - self._model.prior)
        dispersion += lacking * (1 - dispersion) / (freedom + lacking)
        return Spread(variance, dispersion, freedom + _PRIOR)

    @cached_property
    def _clusters(self) -> tuple[Vector, Vector]:
        """The number of pairs [pairings], and of games without counterpart [kinds]."""
        return self._pairs.sum(axis=(0, 1)), self._singles.sum(axis=0)

    @cached_property
    def _blocks(self) -> tuple[Vector, Vector]:
        """The inverse information of the four parameters that a pairing [pairings, 4, 4] and a kind depend on."""
        full = np.zeros((self._model.players + 2,) * 2)
        full[np.ix_(self._model.free, self._model.free)] = self._inverse
        places = np.stack([self._model.first, self._model.second], axis=1)
        last = np.full_like(places, self._model.players) + np.arange(2)
        places = np.concatenate([places, last], axis=1)
        kinds = full[places[:, :, None], places[:, None, :]]
        return kinds[::2], kinds

    def _used(self, by_lead: Vector, by_draw: float) -> float:
        """Return by how much the fit takes off what the pairs show."""
        best = self._best
        of_points, of_both, of_draws = moments(best.chances)
        lead = of_points * by_lead + of_both * by_draw
        draw = of_both * by_lead + of_draws * by_draw
        turn = best.lead * best.gain_slope
        first, all_draw = best.gain * lead, turn * lead + draw
        own = np.stack([first, -first, first, all_draw], axis=1)  # [kinds, 4]
        # The players of an odd kind are those of the even one before it, the other way round.
        pair = own[::2] + own[1::2][:, [1, 0, 2, 3]]
        of_pairings, of_kinds = self._blocks
        pairs, singles = self._clusters
        used = _total(pairs, np.einsum("pi,pij,pj->p", pair, of_pairings, pair))
        return used + _total(singles, np.einsum("pi,pij,pj->p", own, of_kinds, own))

    def interval(self, contrast: Vector, confidence: float) -> tuple[float, float]:
        """Return by how much a contrast [free] may be below and above its estimate: a number below 0, and one above."""
        from scipy.special import stdtrit

        spread = self.spread(contrast)
        quantile = float(stdtrit(_TAILS * spread.freedom, (1 + confidence) / 2))
        if math.isinf(quantile):  # the confidence differs from 1 by less than rounding
            return -math.inf, math.inf
        if quantile == 0:  # or from 0
            return 0.0, 0.0
        wanted = quantile * math.sqrt(spread.dispersion)
        return -self._distance(contrast, spread, wanted, -1.0), self._distance(contrast, spread, wanted, 1.0)

    def _distance(self, contrast: Vector, spread: Spread, wanted: float, side: float) -> float:
        """Return how far from its estimate a contrast is where the root of twice the likelihood's fall is ``wanted``.

        The root is nearly linear in the distance, so a secant finds it in some three steps.
        """
        direction = side * times(self._inverse, contrast) / spread.variance  # along which the contrast moves by as much
        point, at = self._best, 0.0
        low, high = (0.0, 0.0), (math.inf, math.inf)  # distances, with their roots
        distance = wanted * math.sqrt(spread.variance)
        for _ in range(_LOOKS):
            start = self._model.at(self._model.moved(point, (distance - at) * direction))
            point, at = self._model.most_likely_where(contrast, start, self._inverse), distance
            root = math.sqrt(max(0.0, 2 * (self._best.log_likelihood - point.log_likelihood)))
            if abs(root - wanted) < _NEAR * wanted:
                break
            if root < wanted:
                low = distance, root
            else:
                high = distance, root
            if math.isinf(high[0]):
                distance = distance * min(2.0, 1.02 * wanted / max(root, 1e-9))
                if distance > _FARTHEST:
                    return math.inf
            else:
                distance = low[0] + (high[0] - low[0]) * (wanted - low[1]) / (high[1] - low[1])
        return distance

    def chance_above_zero(self, contrast: Vector, estimate: float) -> float:
        """Return how likely a contrast [free] with this estimate is to be above 0."""
        from scipy.special import stdtr

        spread = self.spread(contrast)
        start = self._model.moved(self._best, -estimate * times(self._inverse, contrast) / spread.variance)
        point = self._model.most_likely_where(contrast, self._model.at(start), self._inverse)
        fall = max(0.0, 2 * (self._best.log_likelihood - point.log_likelihood))
        return float(stdtr(_TAILS * spread.freedom, math.copysign(math.sqrt(fall / spread.dispersion), estimate)))


def _total(counts: Vector, each: Vector) -> float:
    """Return a sum, each counted so many times: as `times`, without BLAS and its threads."""
    return float((counts * each).sum())
