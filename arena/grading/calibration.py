"""Whether a player's values mean what they say: expected scores compared with what came true.

A value v from -1 to 1 is read as an expected score (v + 1) / 2, a win being one point and a draw half of one. Values
out of this range are clipped. The predictions are sorted into bins of equal width; a calibrated player's mean
prediction in a bin is the mean score of the positions there. The expected calibration error is the mean distance of the
two over all positions (M. P. Naeini, G. F. Cooper and M. Hauskrecht, AAAI 2015), the Brier score the mean squared error
of single predictions (G. W. Brier, Monthly Weather Review 78, 1950).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Bin", "Calibration", "calibrate"]


class Bin(NamedTuple):
    """Predictions from ``low`` to ``high``, and what came true. All are expected scores, 0 to 1."""

    low: float
    high: float
    positions: int
    predicted: float  # mean prediction
    score: float  # mean score


@dataclass(frozen=True)
class Calibration:
    """How far predictions are from what came true.

    Attributes:
        against: what came true: ``"exact values"`` or ``"outcomes"``.
        positions: the number of positions.
        bins: the bins that are not empty.
        error: the expected calibration error, 0 to 1.
        brier: the Brier score, 0 to 1.
        brier_of_mean: the Brier score of always predicting the mean score.
    """

    against: str
    positions: int
    bins: tuple[Bin, ...]
    error: float
    brier: float
    brier_of_mean: float


def calibrate(predicted: ArrayLike, true: ArrayLike, against: str = "exact values", bins: int = 10) -> Calibration:
    """Compare predicted values [positions] with true ones, both from -1 to 1 for the player to move.

    Raises:
        ValueError: there are no values, not as many predicted as true ones, one is not finite, or there is no bin.
    """
    values, truth = np.asarray(predicted, float), np.asarray(true, float)
    if values.shape != truth.shape or values.ndim != 1 or not values.size:
        raise ValueError(f"expected as many predicted as true values, got {values.shape} and {truth.shape}")
    if not (np.isfinite(values).all() and np.isfinite(truth).all()):
        raise ValueError("values must be finite numbers")
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    expected, scores = (np.clip(values, -1, 1) + 1) / 2, (truth + 1) / 2
    places = np.minimum((expected * bins).astype(int), bins - 1)
    found = []
    for i in np.unique(places):
        own = places == i
        found.append(
            Bin(i / bins, (i + 1) / bins, int(own.sum()), float(expected[own].mean()), float(scores[own].mean()))
        )
    return Calibration(
        against=against,
        positions=values.size,
        bins=tuple(found),
        error=sum(one.positions * abs(one.predicted - one.score) for one in found) / values.size,
        brier=float(((expected - scores) ** 2).mean()),
        brier_of_mean=float(scores.var()),
    )
