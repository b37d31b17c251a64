"""Games where they tell most: pairings chosen by what they would add to what is known of the players' strength.

A player's rating is worth knowing as exactly as any other's, so the pairing is played that lowers the sum of the
variances of all ratings the most (A-optimal design: K. Chaloner and I. Verdinelli, "Bayesian experimental design",
Statistical Science 10, 1995). Players of about the same strength tell more of each other than a strong and a weak one,
and those who have played little more than those who have played much.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.arguments import checked_whole
from .pairing import Pairing
from .schedules import Schedule

__all__ = ["after_games", "bandit", "likely_strengths", "weight_of"]

_SPREAD = 2.0  # of strengths before any game, in log-odds: 350 Elo
_STEPS = 50  # of Newton's method; some five are enough


def bandit(players: int, pairings: int | None = None) -> Schedule:
    """Rounds of the pairings that tell most about all ratings, by the results so far.

    Args:
        players: how many there are.
        pairings: how many pairings in all. Default: as many as a round robin has.

    Raises:
        ValueError: ``pairings`` is below 1.
    """
    left = players * (players - 1) // 2 if pairings is None else checked_whole("pairings", pairings, 1)
    points = np.zeros((players, players))  # [player, opponent]
    playing, games = set(range(players)), 2.0  # of a pairing
    while left and len(playing) > 1:
        chosen = _chosen(points, sorted(playing), min(left, max(1, players // 2)), games)
        left -= len(chosen)
        outcome = yield chosen
        games = max(map(sum, outcome.points)) or games  # who is withdrawn plays fewer
        for (one, other), (own, opposite) in zip(chosen, outcome.points, strict=True):
            points[one, other] += own
            points[other, one] += opposite
        playing -= outcome.withdrawn
    return None


def _chosen(points: NDArray[np.float64], playing: list[int], count: int, games: float) -> list[Pairing]:
    """Return the pairings of a round, each at most once and of so many games: each as if those before were played."""
    strengths = likely_strengths(points)
    variances: NDArray[np.float64] = np.linalg.inv(_information(points + points.T, strengths)).astype(np.float64)
    chosen: list[Pairing] = []
    open_pairings = list(itertools.combinations(playing, 2))
    while open_pairings and len(chosen) < count:
        gains = [_gain(variances, pairing, weight_of(strengths, pairing) * games) for pairing in open_pairings]
        best = open_pairings.pop(int(np.argmax(gains)))
        chosen.append(best)
        variances = after_games(variances, best, weight_of(strengths, best) * games)
    return chosen


def likely_strengths(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the most likely strengths [players] in log-odds, which are normally distributed before any game.

    Args:
        points: [player, opponent] points of the first against the second.
    """
    games, strengths = points + points.T, np.zeros(len(points))
    for _ in range(_STEPS):
        expected = games / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        slope = (points - expected).sum(axis=1) - strengths / _SPREAD**2
        step = np.linalg.solve(_information(games, strengths), slope)
        strengths = strengths + step
        if np.abs(step).max() < 1e-9:
            break
    return strengths


def _information(games: NDArray[np.float64], strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Fisher's information [players, players] of so many games, and of what is known before."""
    weights = games / (2 + 2 * np.cosh(strengths[:, None] - strengths[None, :]))  # games · p (1 - p)
    return np.diag(weights.sum(axis=1) + 1 / _SPREAD**2) - weights


def weight_of(strengths: NDArray[np.float64], pairing: Pairing) -> float:
    """Return the information of one game."""
    return float(1 / (2 + 2 * np.cosh(strengths[pairing[0]] - strengths[pairing[1]])))


def _gain(variances: NDArray[np.float64], pairing: Pairing, weight: float) -> float:
    """Return by how much these games lower the sum of the variances (Sherman and Morrison)."""
    column = variances[:, pairing[0]] - variances[:, pairing[1]]
    return weight * float(column @ column) / (1 + weight * float(column[pairing[0]] - column[pairing[1]]))


def after_games(variances: NDArray[np.float64], pairing: Pairing, weight: float) -> NDArray[np.float64]:
    """Return the covariances of the strengths after these games."""
    column = variances[:, pairing[0]] - variances[:, pairing[1]]
    return variances - weight * np.outer(column, column) / (1 + weight * (column[pairing[0]] - column[pairing[1]]))
