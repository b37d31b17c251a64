"""Strength on Elo's scale: the difference of two players with its confidence interval, and ratings of many.

A player who is d Elo above another is expected to score ``1 / (1 + 10^(-d / 400))`` of the points, a draw being half of
one. Two players' difference is read off their score; ratings of many are those that make all results the most likely
(R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952).

The two games of an opening are not independent: an opening that is won for the first player gives each side a win. So
one observation is the *pair* of games, whose score takes one of five values (the "pentanomial" of chess programmers).
Where openings are lopsided, this interval is narrower than one that counts single games, and is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .records.record import GameRecord

__all__ = [
    "Difference",
    "Ratings",
    "elo_difference",
    "elo_of_score",
    "fit_ratings",
    "game_results",
    "pair_scores",
    "rate_against",
]

_PER_LOGIT = 400 / math.log(10)  # Elo for one unit of log-odds


class Difference(NamedTuple):
    """How much stronger the first player is. Infinite where the score is 0 or 1, or its interval reaches that far."""

    elo: float
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval
    score: float  # share of the points, 0 to 1
    games: int

    def __str__(self) -> str:
        return f"{self.elo:+.0f} ({self.low:+.0f} to {self.high:+.0f})"


def elo_difference(pairs: Iterable[float], confidence: float = 0.95) -> Difference:
    """Return the Elo difference that a match shows, with its confidence interval.

    The interval is Student's for the mean of the pairs, after one pair that is won and one that is lost have been
    added, in the manner of A. Agresti and B. A. Coull ("Approximate is better than 'exact' for interval estimation of
    binomial proportions", The American Statistician 52, 1998). So it is sound for short matches and lopsided scores,
    and has a finite end even if all games of three openings or more were won. The estimate itself has no such pairs.

    Args:
        pairs: the first player's points in both games of each opening, from 0 to 2; see `pair_scores`.
        confidence: the probability that the interval is to have, between 0 and 1.

    Raises:
        ValueError: there is no pair, or a score or ``confidence`` is out of range.
    """
    scores = np.array(list(pairs), float) / 2
    if not scores.size:
        raise ValueError("there are no pairs of games: play at least one opening from both sides")
    if (wrong := scores[~((scores >= 0) & (scores <= 1))]).size:
        raise ValueError(f"the points of a pair must be from 0 to 2, got {(2 * wrong).tolist()}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    from scipy.stats import t

    padded = np.append(scores, (0.0, 1.0))
    half = float(t.ppf((1 + confidence) / 2, padded.size - 1)) * padded.std(ddof=1) / math.sqrt(padded.size)
    middle, score = float(padded.mean()), float(scores.mean())
    return Difference(
        elo_of_score(score), elo_of_score(middle - half), elo_of_score(middle + half), score, 2 * scores.size
    )


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
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    if missing := sorted(set(pairs) - set(anchors)):
        raise ValueError(f"there is no rating of {', '.join(missing)}: expected one of each opponent")
    scores = np.array([points / 2 for name in pairs for points in pairs[name]], float)
    others = np.array([anchors[name] / _PER_LOGIT for name in pairs for _ in pairs[name]], float)
    if not scores.size:
        raise ValueError("there are no pairs of games: play at least one opening from both sides")
    if not (np.isfinite(others).all() and ((scores >= 0) & (scores <= 1)).all()):
        raise ValueError("ratings must be finite, and the points of a pair from 0 to 2")
    from scipy.stats import t

    logit = _logit_of(float(scores.sum()), others)
    nearest = others[np.abs(others - np.clip(logit, others.min(), others.max())).argmin()]
    padded, about = np.append(scores, (0.0, 1.0)), np.append(others, (nearest, nearest))
    residuals = padded - _expected(_logit_of(float(padded.sum()), about), about)
    spread = math.sqrt(float((residuals**2).sum()) * padded.size / (padded.size - 1))
    reach = float(t.ppf((1 + confidence) / 2, padded.size - 1)) * spread
    low, high = (_PER_LOGIT * _logit_of(float(padded.sum()) + change, about) for change in (-reach, reach))
    return Difference(_PER_LOGIT * logit, low, high, float(scores.mean()), 2 * scores.size)


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


def pair_scores(records: Sequence[GameRecord]) -> list[float]:
    """Return the points, 0 to 2, that the first player of a match got in each pair of games.

    Raises:
        ValueError: these are not all the games of one match, in order.
    """
    if len(records) % 2:
        raise ValueError(f"expected every opening to be played from both sides, got {len(records)} games")
    results, pairs = list(game_results(records)), []
    for i in range(0, len(records), 2):
        (first, second, points), (other_first, other_second, other_points) = results[i : i + 2]
        openings = [record.moves[: record.opening] for record in records[i : i + 2]]
        if {(first, second), (other_second, other_first)} != {results[0][:2]} or openings[0] != openings[1]:
            raise ValueError(f"games {i} and {i + 1} are not one opening played from both sides by {results[0][:2]}")
        pairs.append(points + 1 - other_points)
    return pairs


def game_results(records: Iterable[GameRecord]) -> Iterator[tuple[str, str, float]]:
    """Yield the two players of each game, and the points of the first: 1 for a win, half for a draw, or 0."""
    for record in records:
        own, other = record.outcome
        yield record.players[0], record.players[1], (own > other) + (own == other) / 2


class Ratings(NamedTuple):
    """Ratings of players, by name. Their mean is 0."""

    elo: Mapping[str, float]
    errors: Mapping[str, float]  # standard errors, as if games were independent and had no draws


def fit_ratings(results: Iterable[tuple[str, str, float]], prior: float = 0.0) -> Ratings:
    """Return the ratings under which the results are the most likely.

    Args:
        results: for each game the two players and the first one's points, from 0 to 1; see `game_results`.
        prior: the number of drawn games to add between any two who have met: with 1 or 2 of them, a player who won (or
            lost) everything has a finite rating.

    Raises:
        ValueError: there are no games, somebody plays against himself, points or ``prior`` are out of range, or no
            ratings are most likely: some players never lost a point to any of the others, or never met them.
    """
    if not 0 <= prior < math.inf:
        raise ValueError(f"prior must be a number of games, at least 0, got {prior!r}")
    played = list(results)
    names = sorted({name for first, second, _ in played for name in (first, second)})
    if not names:
        raise ValueError("there are no games to rate anybody by")
    index = {name: i for i, name in enumerate(names)}
    points = np.zeros((len(names), len(names)))  # [player, opponent]
    for first, second, gained in played:
        if first == second or not 0 <= gained <= 1:
            raise ValueError(f"expected two players and points from 0 to 1, got {(first, second, gained)}")
        points[index[first], index[second]] += gained
        points[index[second], index[first]] += 1 - gained
    points += prior / 2 * (points + points.T > 0)
    _check_connected(names, points > 0)
    logits = _most_likely(points)
    errors = np.sqrt(np.diag(np.linalg.pinv(_information(points, logits))))
    elo, spread = (dict(zip(names, (_PER_LOGIT * one).tolist(), strict=True)) for one in (logits, errors))
    return Ratings(elo, spread)


def _most_likely(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds ratings [players] that maximize the likelihood, which is concave."""
    from scipy.optimize import minimize

    games = points + points.T

    # Only differences count. The last player is held at 0, or the information would be singular, over which the trust
    # region of SciPy 1.15 turns in circles.
    def all_of(free: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(free, 0.0)

    def loss(free: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        lead = all_of(free)[:, None] - all_of(free)[None, :]
        slopes = (games / (1 + np.exp(-lead)) - points).sum(axis=1)
        return float((points * np.logaddexp(0, -lead)).sum()), slopes[:-1]

    found = minimize(
        loss,
        np.zeros(len(points) - 1),
        jac=True,
        hess=lambda free: _information(points, all_of(free))[:-1, :-1],
        method="trust-exact",
        tol=1e-10,
    )
    logits = all_of(found.x)
    return logits - logits.mean()


def _information(points: NDArray[np.float64], logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Fisher's information [players, players] about the ratings."""
    games = points + points.T
    weights = games / (2 + 2 * np.cosh(logits[None, :] - logits[:, None]))  # games · p (1 - p)
    return np.diag(weights.sum(axis=1)) - weights


def _check_connected(names: list[str], beats: NDArray[np.bool_]) -> None:
    """Check that every player can be reached from every other by points won (L. R. Ford, 1957)."""
    from scipy.sparse.csgraph import connected_components

    _, parts = connected_components(beats, connection="strong")
    if parts.any():
        groups = [[name for name, part in zip(names, parts, strict=True) if part == one] for one in np.unique(parts)]
        groups = "; ".join(", ".join(group) for group in sorted(groups))
        raise ValueError(
            f"no ratings are most likely: between the groups {groups} points went one way only, or not at all: play "
            "more games, or give a prior of 1 or 2 drawn games where players have met"
        )


def elo_of_score(score: float) -> float:
    """Return the difference at which this score is expected; infinite from 1 on, and down from 0."""
    if 0 < score < 1:
        return _PER_LOGIT * math.log(score / (1 - score))
    return math.inf if score >= 1 else -math.inf
