"""Two players' difference on Elo's scale, and one player's rating against players of known ratings.

A player who is d Elo above another is expected to score ``1 / (1 + 10^(-d / 400))`` of the points, a draw being half of
one. The difference is read off the score.

The two games of an opening are not independent: an opening that is won for the first player gives each side a win. So
one observation is the *pair* of games, whose score takes one of five values (the "pentanomial" of chess programmers).
Where openings are lopsided, this interval is narrower than one that counts single games, and is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.messages import shown
from ..wording import estimated

__all__ = [
    "ELO_PER_LOGIT",
    "Difference",
    "check_confidence",
    "elo_difference",
    "elo_of_score",
    "rate_against",
    "share_interval",
]

ELO_PER_LOGIT = 400 / math.log(10)  # Elo for one unit of log-odds


def check_confidence(confidence: float) -> None:
    """Raise `ValueError` if this cannot be the probability that an interval is to have."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")


class Difference(NamedTuple):
    """How much stronger the first player is. Infinite where the score is 0 or 1, or its interval reaches that far."""

    elo: float
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval
    score: float  # share of the points, 0 to 1
    games: int

    def __str__(self) -> str:
        return estimated(self.elo, self.low, self.high, "{:+.0f}".format)


def elo_difference(pairs: Iterable[float], confidence: float = 0.95) -> Difference:
    """Return the Elo difference that a match shows, with its confidence interval.

    The interval is Student's for the mean of the pairs, after one pair that is won and one that is lost have been
    added, in the manner of A. Agresti and B. A. Coull ("Approximate is better than 'exact' for interval estimation of
    binomial proportions", The American Statistician 52, 1998). So it is sound for short matches and lopsided scores,
    and has a finite end even if all games of three openings or more were won. The estimate itself has no such pairs.

    Args:
        pairs: the first player's points in both games of each opening, from 0 to 2; see `plyground.arena.pair_scores`.
        confidence: the probability that the interval is to have, between 0 and 1.

    Raises:
        TypeError: a pair's points are no number; games, as `match` returns them, go through `pair_scores`.
        ValueError: there is no pair, or a score or ``confidence`` is out of range.
    """
    points = list(pairs)
    for one in points:
        if not isinstance(one, (float, int, np.number)):
            raise TypeError(
                f"the points of a pair must be a number, as `pair_scores(records)` returns them, got {shown(one)}"
            )
    scores = np.array(points, float) / 2
    if not scores.size:
        raise ValueError("there are no pairs of games: play at least one opening from both sides")
    if (wrong := scores[~((scores >= 0) & (scores <= 1))]).size:
        raise ValueError(f"the points of a pair must be from 0 to 2, got {(2 * wrong).tolist()}")
    low, high = share_interval(2 * scores, np.full(scores.size, 2.0), confidence)
    score = float(scores.mean())
    return Difference(elo_of_score(score), elo_of_score(low), elo_of_score(high), score, 2 * scores.size)


def share_interval(
    points: NDArray[np.float64], games: NDArray[np.float64], confidence: float = 0.95
) -> tuple[float, float]:
    """Return the ends of the interval of a share of points, in which pairs of games and lone games are observations.

    Of pairs alone, or lone games alone, it is that of `elo_difference`. Where they are mixed, the share is a ratio,
    points to games, and its interval is that of a ratio (W. G. Cochran, "Sampling techniques", 1977, chapter 6): an
    observation deviates by the points that it has beyond the share of its games. The two that are added have as many
    games as the others in the mean.

    Args:
        points: those of each observation, from 0 to its games.
        games: how many games each observation is.
        confidence: the probability that the interval is to have, between 0 and 1.

    Raises:
        ValueError: ``confidence`` is out of range.
    """
    check_confidence(confidence)
    from scipy.special import stdtrit

    mean = games.mean()
    points, games = np.append(points, (0.0, mean)), np.append(games, (mean, mean))
    middle = points.sum() / games.sum()
    spread = math.sqrt(float(((points - middle * games) ** 2).sum()) * games.size / (games.size - 1))
    half = float(stdtrit(games.size - 1, (1 + confidence) / 2)) * spread / float(games.sum())
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def rate_against(
    anchors: Mapping[str, float], pairs: Mapping[str, Sequence[float]], confidence: float = 0.95
) -> Difference:
    """Return the rating of one player that has met players of known ratings, with its confidence interval.

    The rating is the most likely one. As in `elo_difference`, one observation is a pair of games, and for the interval
    a pair that is won and one that is lost are added: against the player whose rating is nearest, where they say least.
    The ends of the interval are the ratings at which the points are as far from the expected ones as the quantile of
    Student's distribution allows. The spread of the pairs about their expectation is the observed one, so results that
    no single rating explains widen the interval. The anchors are taken as exact. Against one opponent this is
    `elo_difference`.

    Args:
        anchors: finite ratings of the opponents, by name.
        pairs: for each opponent the player's points, from 0 to 2, in both games of each opening.
        confidence: the probability that the interval is to have, between 0 and 1.

    Raises:
        ValueError: there is no pair, somebody has no rating, or a number is out of range.
    """
    check_confidence(confidence)
    if missing := sorted(set(pairs) - set(anchors)):
        raise ValueError(f"there is no rating of {', '.join(missing)}: expected one of each opponent")
    scores = np.array([points / 2 for name in pairs for points in pairs[name]], float)
    others = np.array([anchors[name] / ELO_PER_LOGIT for name in pairs for _ in pairs[name]], float)
    if not scores.size:
        raise ValueError("there are no pairs of games: play at least one opening from both sides")
    if not (np.isfinite(others).all() and ((scores >= 0) & (scores <= 1)).all()):
        raise ValueError("ratings must be finite, and the points of a pair from 0 to 2")
    from scipy.special import stdtrit

    logit = _logit_of(float(scores.sum()), others)
    nearest = others[np.abs(others - np.clip(logit, others.min(), others.max())).argmin()]
    padded, about = np.append(scores, (0.0, 1.0)), np.append(others, (nearest, nearest))
    residuals = padded - _expected(_logit_of(float(padded.sum()), about), about)
    spread = math.sqrt(float((residuals**2).sum()) * padded.size / (padded.size - 1))
    reach = float(stdtrit(padded.size - 1, (1 + confidence) / 2)) * spread
    low, high = (ELO_PER_LOGIT * _logit_of(float(padded.sum()) + change, about) for change in (-reach, reach))
    return Difference(ELO_PER_LOGIT * logit, low, high, float(scores.mean()), 2 * scores.size)


def _expected(logit: float, others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected score [opponents] of a player with this rating, all in units of log-odds."""
    from scipy.special import expit

    return expit(logit - others)


def _logit_of(points: float, others: NDArray[np.float64]) -> float:
    """Return the rating at which so many points are expected from these games, which is the most likely one.

    It is infinite for all of the points, and for none.
    """
    if not 0 < points < others.size:
        return math.inf if points > 0 else -math.inf
    from scipy.optimize import brentq

    share = math.log(points / (others.size - points))  # the answer if all were rated 0
    low, high = share + float(others.min()) - 1e-6, share + float(others.max()) + 1e-6
    found: Any = brentq(lambda logit: float(_expected(logit, others).sum()) - points, low, high, xtol=1e-10)
    return float(found)


def elo_of_score(score: float) -> float:
    """Return the difference at which this score is expected; infinite from 1 on, and down from 0."""
    if 0 < score < 1:
        return ELO_PER_LOGIT * math.log(score / (1 - score))
    return math.inf if score >= 1 else -math.inf
