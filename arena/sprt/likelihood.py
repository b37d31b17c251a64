"""How much more likely results are by one difference in strength than by another.

One observation is a pair of games with the same opening, each player once in each seat: it has one of five scores, 0 to
2 points in halves, so the counts are *pentanomial*. How often each occurs is not known, and only the mean, or the mean
in units of the standard deviation, is what is asked about. So of all distributions over the five scores that have what
a hypothesis says the most likely one is taken: the *generalised* likelihood ratio.

Source: M. Van den Bergh, "The generalized sequential probability ratio test" and "Normalized Elo" (fishtest's notes).
In logistic Elo a difference d is a mean score of ``1 / (1 + 10^(-d / 400))`` a game; in normalised Elo it is
``(mean - 1/2) / σ = d · ln(10) / 800``, where σ is the standard deviation of a game's score, of the pair's mean score
times √2. Normalised Elo says how many games it takes to see a difference, whatever the share of draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ...envs.outside.spec import nearest

__all__ = ["ELO_PER_SIGMA", "Model", "checked_model", "log_likelihood_ratio", "mean_and_deviation", "score_of"]

Model = Literal["logistic", "normalized"]

_SCORES = np.linspace(0, 1, 5)  # the mean scores of a pair, of which there are five
ELO_PER_SIGMA = 800 / math.log(10)  # normalised Elo of a player whose mean score is one standard deviation above 1/2
_LEAST = 1e-3  # what counts for results that did not occur, as in fishtest and OpenBench
_FARTHEST, _FARTHEST_NORMALIZED = 4000, 500  # Elo, beyond which nearly all pairs have one score, and tell nothing
_PLACES = 24  # deviations that are tried to find the most likely one
_MARGIN = 1e-9


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


def mean_and_deviation(counts: Sequence[float] | NDArray[np.floating]) -> tuple[float, float]:
    """Return the mean score of pairs [five counts] and its standard deviation, both of the mean of two games."""
    return _mean_and_deviation(_shares(counts))


def _mean_and_deviation(shares: NDArray[np.float64]) -> tuple[float, float]:
    mean = float(shares @ _SCORES)
    return mean, math.sqrt(float(shares @ (_SCORES - mean) ** 2))


def log_likelihood_ratio(
    counts: Sequence[float] | NDArray[np.floating], elo0: float, elo1: float, model: Model = "normalized"
) -> float:
    """Return the logarithm of how much more likely the results are by ``elo1`` than by ``elo0``.

    Args:
        counts: how many pairs of games scored 0, 1/2, 1, 3/2 and 2 points.
        elo0: a difference in strength,
        elo1: and another.
        model: in which Elo these are counted, logistic or normalised.

    Raises:
        ValueError: the counts are not five numbers of at least 0, or a difference is not between -500 and 500 in
            normalised Elo, -4000 and 4000 in logistic Elo.
    """
    shares = _shares(counts)
    _check_reach(checked_model(model), elo0=elo0, elo1=elo1)
    likely = [_most_likely(shares, elo, model) for elo in (elo0, elo1)]
    return float(max(sum(counts), 5 * _LEAST) * (shares @ np.log(likely[1] / likely[0])))


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
        return _balanced(shares, _SCORES - score_of(elo))
    if elo < 0:
        return _most_likely(shares[::-1], -elo, model)[::-1]
    t, above = math.sqrt(2) * elo / ELO_PER_SIGMA, _SCORES - 0.5
    square = 1 + t * t  # the mean of the square of ``above`` is so many squared deviations
    root = math.sqrt(square)

    def likely(deviation: float) -> NDArray[np.float64]:
        return _balanced(shares, square * above - t * (above**2 / deviation + square * deviation) / 2)

    def excess(deviation: float) -> float:
        return math.sqrt(float(likely(deviation) @ above**2)) / root - deviation

    # At the least deviation only the score 3/4 is left, with a greater one; at the greatest only the score 1.
    least, greatest = t / (4 * root * (root + 1)), min(1.0, (root + 1) / (2 * root * t))
    mean, deviation = _mean_and_deviation(shares)
    count = 2 if mean - 0.5 >= t * deviation else _PLACES  # there is but one where the results are beyond it
    places = np.geomspace(least * (1 + _MARGIN), greatest * (1 - _MARGIN), count).tolist()
    signs = [excess(place) > 0 for place in places]
    found = [likely(_root(excess, places[i], places[i + 1])) for i in range(count - 1) if signs[i] and not signs[i + 1]]
    return max(found, key=lambda one: float(shares @ np.log(one)))


def _balanced(shares: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p that maximise Σ shares · ln p, where Σ p = 1 and Σ p · weights = 0, of which some are above 0.

    By Lagrange these are ``shares / (1 + θ · weights)``, where θ solves one equation that falls from +∞ to -∞ between
    the two poles next to 0. It is often so near to one of them that a difference from it would be lost in rounding: so
    what is solved for is the divisor of that weight, which is 1 where θ is 0, and no less than its share, for no p is
    above 1.
    """
    pole = int(weights.argmin() if shares @ weights > 0 else weights.argmax())
    ratios = weights / weights[pole]
    if shares @ ratios >= 0:
        return shares
    rest = 1 - ratios
    terms = list(zip((shares * ratios).tolist(), rest.tolist(), ratios.tolist(), strict=True))  # quicker than arrays
    divisor = _root(lambda one: sum([a / (b + one * c) for a, b, c in terms]), float(shares[pole]) / 2, 1.0)
    return shares / (rest + divisor * ratios)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function is 0 that has two signs at the ends of a range, to the last digits."""
    root: Any = brentq(function, low, high, xtol=1e-300, rtol=1e-15)  # pyright: ignore[reportArgumentType]
    return root
