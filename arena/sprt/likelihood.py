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
from collections.abc import Sequence
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
_STEPS, _CLOSE = 100, 1e-12


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
    shares = _shares(counts)
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
        ValueError: the counts are not five numbers of at least 0, or a difference is out of reach.
    """
    shares = _shares(counts)
    likely = [_most_likely(shares, elo, checked_model(model)) for elo in (elo0, elo1)]
    return float(max(sum(counts), 5 * _LEAST) * (shares @ np.log(likely[1] / likely[0])))


def _shares(counts: Sequence[float] | NDArray[np.floating]) -> NDArray[np.float64]:
    numbers = np.asarray(counts, np.float64)
    if numbers.shape != (5,) or not (numbers >= 0).all() or not np.isfinite(numbers).all():
        raise ValueError(f"counts must be five numbers of pairs, those of 0, 1/2, 1, 3/2 and 2 points, got {counts!r}")
    numbers = np.maximum(numbers, _LEAST)
    return numbers / numbers.sum()


def _most_likely(shares: NDArray[np.float64], elo: float, model: Model) -> NDArray[np.float64]:
    """Return the distribution that makes the results most likely, of those with this difference in strength."""
    if model == "logistic":
        return _balanced(shares, _SCORES - score_of(elo))
    # In normalised Elo what must be 0 in the mean depends on mean and deviation of what is looked for: it is the
    # derivative of (mean - 1/2) - t · deviation by each share.
    t, found = math.sqrt(2) * elo / ELO_PER_SIGMA, np.full(5, 0.2)
    for _ in range(_STEPS):
        mean = found @ _SCORES
        deviation = math.sqrt(found @ (_SCORES - mean) ** 2)
        weights = _SCORES - 0.5 - t * deviation * (1 + ((_SCORES - mean) / deviation) ** 2) / 2
        before, found = found, _balanced(shares, weights)
        if np.abs(found - before).max() < _CLOSE:
            return found
    raise ValueError(f"a difference of {elo:g} normalised Elo is out of reach: give one between -500 and 500")


def _balanced(shares: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p that maximise Σ shares · ln p, where Σ p = 1 and Σ p · weights = 0.

    By Lagrange these are ``shares / (1 + θ · weights)``, where θ solves one equation that falls from +∞ to -∞ between
    the two poles next to 0.
    """
    low, high = -1 / weights.max(), -1 / weights.min()
    if not low < 0 < high:
        raise ValueError("the difference in Elo is out of reach: no results have such a mean")
    margin = 1e-9 * (high - low)

    def mean(theta: float) -> float:
        return float((shares * weights / (1 + theta * weights)).sum())

    theta: Any = brentq(mean, low + margin, high - margin, xtol=1e-15)
    found = shares / (1 + theta * weights)
    return found / found.sum()
