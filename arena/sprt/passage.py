"""When a random walk with drift first leaves an interval, and on which side: Brownian motion between two bounds.

Source: D. R. Cox, H. D. Miller, "The theory of stochastic processes" (1965), section 5.7; the sum over k is that of the
eigenfunctions of the interval, and converges fast but for short times.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["chance_of_upper", "chance_of_upper_by"]

_TERMS = 40  # the last is e^-150 of the first
_SHORT = 0.02  # of the squared width of the interval: before it, images converge faster


def chance_of_upper(drift: float, variance: float, lower: float, upper: float) -> float:
    """Return the chance that the walk from 0 leaves at the upper bound first.

    Args:
        drift: what it rises by in a unit of time, on average.
        variance: the variance of its changes in a unit of time, above 0.
        lower: the lower bound, below 0.
        upper: the upper bound, above 0.
    """
    rate = 2 * drift / variance
    if abs(rate) * (upper - lower) < 1e-9:
        return -lower / (upper - lower)
    if rate > 0:
        return math.expm1(rate * lower) / math.expm1(rate * (lower - upper))
    # The same with no large exponents.
    return math.exp(rate * upper) * math.expm1(-rate * lower) / math.expm1(-rate * (lower - upper))


def chance_of_upper_by(time: float, drift: float, variance: float, lower: float, upper: float) -> float:
    """Return the chance that the walk has left at the upper bound first, by this time.

    Args:
        time: the time, above 0.
        drift: what the walk rises by in a unit of time, on average.
        variance: the variance of its changes in a unit of time, above 0.
        lower: the lower bound, below 0.
        upper: the upper bound, above 0.
    """
    if variance * time < _SHORT * (upper - lower) ** 2:
        return _by_images(time, drift, variance, lower, upper)
    width, k = upper - lower, np.arange(1, _TERMS)
    rates = drift**2 / (2 * variance) + k**2 * math.pi**2 * variance / (2 * width**2)
    weights = np.exp(drift * upper / variance - rates * time)  # apart, the one may be too large and the other 0
    terms = k * -((-1.0) ** k) * np.sin(k * math.pi * -lower / width) * weights / rates
    later = math.pi * variance / width**2 * float(terms.sum())
    return min(1.0, max(0.0, chance_of_upper(drift, variance, lower, upper) - later))


def _by_images(time: float, drift: float, variance: float, lower: float, upper: float) -> float:
    """Return the same as a sum of passages of one bound, each mirrored at both bounds: for short times."""
    from scipy.special import ndtr

    width, deviation, total = upper - lower, math.sqrt(variance * time), 0.0
    for k in range(-6, 7):
        # The density of first reaching `a` without drift is a / sqrt(2π v t³) · exp(-a² / 2vt); with drift it is
        # weighted by exp(drift · upper / v - drift² t / 2v). Integrated over time it is a sum of two normal tails.
        a = upper + 2 * k * width
        sign, a = math.copysign(1.0, a), abs(a)
        shift = drift * upper / variance
        lift = abs(drift) * a / variance
        with np.errstate(over="ignore", invalid="ignore"):
            near = math.exp(min(700.0, shift - lift)) * ndtr((abs(drift) * time - a) / deviation)
            far = math.exp(min(700.0, shift + lift)) * ndtr((-abs(drift) * time - a) / deviation)
        total += sign * (near + far)
    return min(1.0, max(0.0, float(total)))
