"""How much more likely results are by one difference in strength than by another.

One observation is a pair of games with the same opening, each player once in each seat: it has one of five scores, 0 to
2 points in halves, so the counts are *pentanomial*. How often each occurs is not known, and only the mean, or the mean
in units of the standard deviation, is what is asked about. So of all distributions over the five scores that have what
a hypothesis says the most likely one is taken: the *generalised* likelihood ratio.

Source: M. Van den Bergh, "The generalized sequential probability ratio test" and "Normalized Elo" (fishtest's notes).
In logistic Elo a difference d is a mean score of ``1 / (1 + 10^(-d / 400))`` a game; in normalised Elo it is
``(mean - 1/2) / σ = d · ln(10) / 800``, where σ is the standard deviation of a game's score, of the pair's mean score
times √2. Normalised Elo says how many games it takes to see a difference, whatever the share of draws.

The same likelihoods give intervals: of the differences by which the results are not much less likely than by the
likeliest one (S. S. Wilks, "The large-sample distribution of the likelihood ratio for testing composite hypotheses",
Annals of Mathematical Statistics 9, 1938). They know that σ is estimated too, and are open where nothing bounds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.spec import nearest
from ..ratings import elo_of_score

__all__ = [
    "ELO_PER_SIGMA",
    "REACHES",
    "Model",
    "checked_model",
    "difference_at",
    "likeliest",
    "log_likelihood_ratio",
    "walk_at",
]

Model = Literal["logistic", "normalized"]
REACHES: dict[Model, float] = {"logistic": 4000, "normalized": 10_000}  # Elo, beyond which an interval is open

_SCORES = np.linspace(0, 1, 5)  # the mean scores of a pair, of which there are five
_ABOVE = tuple((_SCORES - 0.5).tolist())
ELO_PER_SIGMA = 800 / math.log(10)  # normalised Elo of a player whose mean score is one standard deviation above 1/2
_LEAST = 1e-3  # what counts for results that did not occur, as in fishtest and OpenBench
_FARTHEST, _FARTHEST_NORMALIZED = 4000, 500  # Elo, beyond which nearly all pairs have one score, and tell nothing
_PLACES = 20  # deviations that are tried to find the most likely one
_MARGIN = 1e-9
_STEPS, _CLOSE = 100, 1e-15  # of an equation that takes about five: at most, and how near two of them are at its end


def checked_model(model: str) -> Model:
    """Return the name of a model.

    Raises:
        ValueError: there is none of that name.
    """
    if model == "logistic" or model == "normalized":
        return model
    raise ValueError(f"unknown model {model!r}: {nearest(model, ('logistic', 'normalized'))}")


def score_of(elo: float) -> float:
    """Return the mean score of a game at a difference in logistic Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def likeliest(counts: Sequence[float] | NDArray[np.floating], model: Model) -> float:
    """Return the difference by which the results are most likely.

    It is infinite if all pairs have the same score, so that nothing says how far ahead the winner is: that of two wins
    or two losses in logistic Elo, any but one point in normalised Elo, as there is no deviation either.
    """
    mean, deviation = _mean_and_deviation(_shares(counts))
    if np.count_nonzero(counts) == 1 and (counts[0] or counts[4] or (model == "normalized" and not counts[2])):
        return math.copysign(math.inf, mean - 0.5)
    return elo_of_score(mean) if model == "logistic" else (mean - 0.5) / deviation * ELO_PER_SIGMA / math.sqrt(2)


def difference_at(counts: Sequence[float] | NDArray[np.floating], deviations: float, model: Model) -> float:
    """Return the difference that is so many standard deviations above the likeliest one, by the likelihood of results.

    It is that by which the logarithm of the likelihood is ``deviations² / 2`` lower, and infinite where none is so
    unlikely.

    Args:
        counts: how many pairs of games scored 0, 1/2, 1, 3/2 and 2 points; there is one at least.
        deviations: how many standard deviations, below 0 for differences below the likeliest one.
        model: the Elo in which the difference is counted, logistic or normalised.
    """
    from scipy.optimize import brentq

    shares, reach, best = _shares(counts), REACHES[model], likeliest(counts, model)
    if deviations == 0:
        return best
    begin, end = min(max(best, -reach), reach), math.copysign(reach, deviations)

    def excess(elo: float) -> float:
        lost = shares @ np.log(shares / _most_likely(shares, elo, model))
        return 2 * float(sum(counts) * lost) - deviations**2

    if begin == end or excess(end) <= 0:
        return math.copysign(math.inf, deviations)
    return begin if excess(begin) >= 0 else float(brentq(excess, begin, end, xtol=1e-3))  # pyright: ignore[reportArgumentType]


def walk_at(
    counts: Sequence[float] | NDArray[np.floating], elo: float, elo0: float, elo1: float, model: Model
) -> tuple[float, float]:
    """Return the mean and the variance of what one pair changes the log-likelihood ratio by, if this is the difference.

    Of all distributions that have this difference, it is the one by which the results are most likely. The ratio is
    taken for linear in the counts: what it compares are maxima, which small changes of the counts do not move.

    Args:
        counts: how many pairs of games scored 0, 1/2, 1, 3/2 and 2 points.
        elo: how much stronger the first player is.
        elo0: the difference by H0.
        elo1: the difference by H1.
        model: the Elo in which these are counted, logistic or normalised.
    """
    true = _most_likely(_shares(counts), elo, model)
    changes = np.log(_most_likely(true, elo1, model) / _most_likely(true, elo0, model))
    mean = float(true @ changes)
    return mean, float(true @ (changes - mean) ** 2)


def log_likelihood_ratio(
    counts: Sequence[float] | NDArray[np.floating], elo0: float, elo1: float, model: Model = "normalized"
) -> float:
    """Return the logarithm of how much more likely the results are by ``elo1`` than by ``elo0``.

    Args:
        counts: how many pairs of games scored 0, 1/2, 1, 3/2 and 2 points.
        elo0: a difference in strength,
        elo1: and another.
        model: the Elo in which these are counted, logistic or normalised.

    Raises:
        ValueError: the counts are not five numbers of at least 0, or a difference is not between -500 and 500 in
            normalised Elo, -4000 and 4000 in logistic Elo.
    """
    shares = _shares(counts)
    _check_reach(checked_model(model), elo0=elo0, elo1=elo1)
    likely = [_most_likely(shares, elo, model) for elo in (elo0, elo1)]
    return float(max(sum(counts), 5 * _LEAST) * (shares @ np.log(likely[1] / likely[0])))


def _mean_and_deviation(shares: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean score of pairs and its standard deviation, both of the mean of two games."""
    mean = float(shares @ _SCORES)
    return mean, math.sqrt(float(shares @ (_SCORES - mean) ** 2))


def _shares(counts: Sequence[float] | NDArray[np.floating]) -> NDArray[np.float64]:
    numbers = np.asarray(counts, np.float64)
    if numbers.shape != (5,) or not (numbers >= 0).all() or not np.isfinite(numbers).all():
        raise ValueError(f"counts must be five numbers of pairs, those of 0, 1/2, 1, 3/2 and 2 points, got {counts!r}")
    numbers = np.maximum(numbers, _LEAST)
    return numbers / numbers.sum()


def _check_reach(model: Model, **differences: float) -> None:
    """Raise `ValueError` for the first of some differences in Elo, by name, of which results tell nothing."""
    kind, reach = ("logistic", _FARTHEST) if model == "logistic" else ("normalised", _FARTHEST_NORMALIZED)
    for name, elo in differences.items():
        if not -reach <= elo <= reach:
            raise ValueError(f"{name} is out of reach: give {kind} Elo between -{reach} and {reach}, got {elo!r}")


def _most_likely(shares: NDArray[np.float64], elo: float, model: Model) -> NDArray[np.float64]:
    """Return the distribution that makes the results most likely, of those with this difference in strength.

    In normalised Elo, what must be 0 in the mean depends on the deviation of what is looked for: it is the derivative
    of ``(mean - 1/2) - t · deviation`` by each share, where the mean is as far above 1/2 as the difference says. So a
    deviation is looked for that is that of the distribution to which it leads. Of nearly equal results there may be
    several, of which the most likely one counts; between the ends of the range there is always one.
    """
    if model == "logistic" or elo == 0:
        return np.array(_balanced(shares.tolist(), (_SCORES - score_of(elo)).tolist()))
    if elo < 0:
        return _most_likely(shares[::-1], -elo, model)[::-1]
    t, numbers = math.sqrt(2) * elo / ELO_PER_SIGMA, shares.tolist()
    square = 1 + t * t  # the mean of the square of what is above 1/2 is so many squared deviations
    root = math.sqrt(square)

    def likely(deviation: float) -> list[float]:
        twice, rest = -t / (2 * deviation), -t * square * deviation / 2
        return _balanced(numbers, [(square + twice * above) * above + rest for above in _ABOVE])

    def excess(deviation: float) -> float:
        found = likely(deviation)
        return math.sqrt(sum([p * above * above for p, above in zip(found, _ABOVE, strict=True)])) / root - deviation

    # What is above 1/2 has a mean square of 1/4 at most, and of a quarter of its mean at least, for no score but 1/2 is
    # nearer to 1/2 than 1/4: so the deviation lies between these two. Above t = √8 no score but 3/4 or 1 can gain on
    # the others, never both: one up to a deviation, the other from another on. There the range is in two parts.
    low, high = (1 - _MARGIN) * t / (4 * square), (1 + _MARGIN) / (2 * root)
    up_to, from_on = (1 - _MARGIN) * (root + 1) / (4 * root * t), (1 + _MARGIN) * t / (2 * root * (root + 1))
    ranges = [(low, high)] if root <= 3 else [(low, up_to), (from_on, high)]
    mean, deviation = _mean_and_deviation(shares)
    count = 2 if mean - 0.5 >= t * deviation else _PLACES  # there is but one where the results are beyond it
    found: list[NDArray[np.float64]] = []
    for first, last in ranges:
        places = [first * (last / first) ** (i / (count - 1)) for i in range(count)]
        signs = [excess(place) > 0 for place in places]
        falls = [i for i in range(count - 1) if signs[i] and not signs[i + 1]]
        found += [np.array(likely(_root(excess, places[i], places[i + 1]))) for i in falls]
    return max(found, key=lambda one: float(shares @ np.log(one)))


def _balanced(shares: list[float], weights: list[float]) -> list[float]:
    """Return the p that maximise Σ shares · ln p, where Σ p = 1 and Σ p · weights = 0, of which some are above 0.

    By Lagrange these are ``shares / (1 + θ · weights)``, where θ solves one equation that falls from +∞ to -∞ between
    the two poles next to 0. It is often so near to one of them that a difference from it would be lost in rounding: so
    what is solved for is the divisor of that weight, which is 1 where θ is 0, and no less than its share, for no p is
    above 1. Each step solves the equation with this pole as it is and the rest as a straight line, as those who look
    for eigenvalues do (R.-C. Li, "Solving secular equations stably and efficiently", 1993); where that leads out of
    what is left of the range, it halves it. Of five numbers, lists are quicker than arrays.
    """
    slope = sum([share * weight for share, weight in zip(shares, weights, strict=True)])
    farthest = min(weights) if slope > 0 else max(weights)
    if slope / farthest >= 0:
        return shares
    pole, ratios = weights.index(farthest), [weight / farthest for weight in weights]
    terms = [(share * ratio, 1 - ratio, ratio) for share, ratio in zip(shares, ratios, strict=True)]
    mass = terms.pop(pole)[0]
    divisor, low, high = 1.0, mass / 2, 1.0
    for _ in range(_STEPS):
        value = slope = 0.0
        for above, constant, ratio in terms:
            below = constant + divisor * ratio
            term = above / below
            value += term
            slope -= term * ratio / below
        if mass / divisor + value > 0:
            low = divisor
        else:
            high = divisor
        # mass / x + at_zero + slope · x = 0 is solved by one x above 0, for the slope is below it.
        at_zero = value - slope * divisor
        size = math.sqrt(at_zero * at_zero - 4 * slope * mass)
        following = 2 * mass / (size - at_zero) if at_zero < 0 else (at_zero + size) / (-2 * slope)
        if abs(following - divisor) <= _CLOSE * divisor:
            break
        divisor = following if low < following < high else (low + high) / 2
    return [share / (1 - ratio + divisor * ratio) for share, ratio in zip(shares, ratios, strict=True)]


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function is 0 that has two signs at the ends of a range, to the last digits."""
    from scipy.optimize import brentq

    root: Any = brentq(function, low, high, xtol=1e-300, rtol=1e-15)  # pyright: ignore[reportArgumentType]
    return root
