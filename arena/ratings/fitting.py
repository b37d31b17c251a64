"""Ratings of many players by their points: those that make all results the most likely.

R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952). A drawn game counts as
half a game won and half a game lost, and who moves first as nothing; `lists` knows of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.messages import shown
from .difference import ELO_PER_LOGIT

__all__ = ["Ratings", "fit_ratings", "information"]


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
        TypeError: a result is of another kind; games, as `match` returns them, go through `game_results`.
        ValueError: there are no games, somebody plays against himself, points or ``prior`` are out of range, or no
            ratings are most likely: some players never lost a point to any of the others, or never met them.
    """
    if not 0 <= prior < math.inf:
        raise ValueError(f"prior must be a number of games, at least 0, got {prior!r}")
    played = [_checked(result) for result in results]
    names = sorted({name for first, second, _ in played for name in (first, second)})
    if not names:
        raise ValueError("there are no games to rate anybody by")
    index = {name: i for i, name in enumerate(names)}
    points = np.zeros((len(names), len(names)))  # [player, opponent]
    for first, second, gained in played:
        points[index[first], index[second]] += gained
        points[index[second], index[first]] += 1 - gained
    points += prior / 2 * (points + points.T > 0)
    _check_connected(names, points > 0)
    logits = _most_likely(points)
    errors = np.sqrt(np.diag(np.linalg.pinv(information(points + points.T, logits))))
    elo, spread = (dict(zip(names, (ELO_PER_LOGIT * one).tolist(), strict=True)) for one in (logits, errors))
    return Ratings(elo, spread)


def _checked(result: Any) -> tuple[str, str, float]:
    """Return a result of a game.

    Raises:
        TypeError: it is of another kind.
        ValueError: it is out of range.
    """
    match result:
        case (str(first), str(second), float() | int() | np.number() as gained):
            if first == second or not 0 <= gained <= 1:
                raise ValueError(f"expected two players and points from 0 to 1, got {(first, second, gained)}")
            return first, second, float(gained)
    raise TypeError(
        "a result must be both players' names and the points of the first, as `game_results(records)` yields them, "
        f"got {shown(result)}"
    )


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
        hess=lambda free: information(games, all_of(free))[:-1, :-1],
        method="trust-exact",
        tol=1e-10,
    )
    logits = all_of(found.x)
    return logits - logits.mean()


def information(games: NDArray[np.float64], logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Fisher's information [players, players] about ratings in log-odds that games [player, opponent] have."""
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
