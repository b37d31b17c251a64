"""The likelihood of results: Bradley and Terry's model with draws and the advantage of the first move, and its maximum.

If η is the lead of the player who moves first, in log-odds, its win, a draw and its loss have probabilities in the
proportion of ``exp(η / 2)``, ``ν`` and ``exp(-η / 2)``: R. R. Davidson, "On extending the Bradley–Terry model to
accommodate ties in paired comparison experiments", Journal of the American Statistical Association 65 (1970). The lead
is the difference of the ratings and, as in R. R. Davidson and R. J. Beaver, "On extending the Bradley–Terry model to
incorporate within-pair order effects", Biometrics 33 (1977), what the first move is worth.

**Scale.** Where half of the games are drawn, a lead of η moves the score only half as far as where none are. Ratings
here are of such a unit that a small difference gives the score of Elo's formula however many games are drawn: η is the
lead on Elo's scale times ``(2 + ν) / 2``. (BayesElo scales its ratings for the same reason.)

**A little is added to the games** so that no rating is infinite: for each player three quarters of a game, which is
won, drawn and lost in equal parts, shared between its opponents as its games are. Where no game is drawn, it is half of
a game, won and lost in equal parts. For two players these are the half counts of Jeffreys' prior.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .difference import ELO_PER_LOGIT
from .paired import PairedGames

__all__ = ["Model", "Point", "moments", "points_of", "times"]

_STEPS, _HALVINGS = 200, 40  # of Fisher's scoring, which takes some five
_FASTER = 10.0  # each step promises so many times less than the one before, or the information is computed anew
_SMALL = 1e-9  # where a step adds less to the log-likelihood, it is the last
_STRIDE = 4.0  # in log-odds, of one step: where nearly all is known, the information far away promises too much
_LEAST_PRIOR = 1e-12  # with less, what no game has shown is too rare to be counted with
_RIDGE = 1e-13  # of the largest information, added to all: rounding may leave nothing of what is little
_MOST_DRAWS = 100.0  # log ν, beyond which nothing is left but draws

Vector = NDArray[np.float64]


class Point(NamedTuple):
    """Values of all parameters, and what follows from them. A kind is an ordered pair of players: who moves first."""

    values: Vector  # [players + 2]: ratings and the first move's advantage, in log-odds; log ν, -inf without draws
    log_likelihood: float
    slope: Vector  # [players + 2]
    lead: Vector  # [kinds]: rating of the first, and the first move, above the rating of the second
    chances: Vector  # [3, kinds]: of a win, a draw and a loss of the first
    gain: float  # (2 + ν) / 2, by which a lead is multiplied
    gain_slope: float  # its derivative by log ν


class Model:
    """The likelihood of games, with the parameters that are free.

    Args:
        games: the games.
        anchors: fixed ratings in Elo, by the player's number.
        first_move: whether the first move may be worth something.
        prior: how many times what the head of this file says is added.

    Attributes:
        prior: how many times what the head of this file says was added.
        free: the numbers of the parameters that are estimated. Without anchors the last player's rating is 0.
        counts: games of each outcome and kind [3, kinds], with what is added.
        played: the same without.
        first: the number of the player who moves first, of each kind.
        second: the number of the other.
    """

    def __init__(
        self, games: PairedGames, anchors: Mapping[int, float], first_move: bool = True, prior: float = 1.0
    ) -> None:
        self.players = len(games.names)
        self.first = games.pairings.reshape(-1)  # kinds 2q and 2q + 1: the one of pairing q begins, and the other
        self.second = games.pairings[:, ::-1].reshape(-1)
        self.played = np.ascontiguousarray(games.totals.reshape(-1, 3).T)  # rows as long as this are summed fast
        drawn = self.played[1].sum()
        self.prior = max(prior, _LEAST_PRIOR)
        self.counts = self.played + self.prior * self._added(drawn > 0)
        self.start = np.zeros(self.players + 2)
        for player, elo in anchors.items():
            self.start[player] = elo / ELO_PER_LOGIT
        self.start[-1] = math.log(2 * drawn / self.counts[::2].sum()) if drawn else -math.inf
        fixed = set(anchors) or {self.players - 1}
        if not first_move:
            fixed.add(self.players)
        if not drawn:
            fixed.add(self.players + 1)
        self.free = np.array([i for i in range(self.players + 2) if i not in fixed], np.int64)

    def _added(self, with_draws: bool) -> Vector:
        """Return what is added to the games [3, kinds] where the prior is 1."""
        met = self.played.sum(axis=0).reshape(-1, 2).sum(axis=1)
        ends = np.stack([self.first[::2], self.second[::2]])
        each = np.bincount(ends.reshape(-1), np.tile(met, 2), self.players)
        shared = met / each[ends[0]] + met / each[ends[1]]  # of two players with each other alone: 2
        parts = np.array([1.0, 1.0, 1.0] if with_draws else [1.0, 0.0, 1.0]) / 8
        return parts[:, None] * np.repeat(shared, 2)

    def at(self, values: Vector) -> Point:
        """Return what follows from these values of all parameters."""
        draw = math.exp(min(values[-1], _MOST_DRAWS))
        gain, gain_slope = (2 + draw) / 2, draw / 2
        lead = values[self.first] - values[self.second] + values[-2]
        half = gain * lead / 2
        top = np.abs(half) if draw <= 1 else np.maximum(np.abs(half), values[-1])
        heights = np.stack([half, np.full_like(half, values[-1]), -half]) - top
        chances = np.exp(heights)
        sums = chances.sum(axis=0)
        chances /= sums
        log_chances = heights - np.log(sums)
        counts = self.counts
        likelihood = float((counts * np.where(counts > 0, log_chances, 0.0)).sum())
        total = counts.sum(axis=0)
        left = points_of(counts) - total * points_of(chances)
        by_lead: Vector = gain * left
        ratings = self._by_player(by_lead)
        by_draw = float((counts[1] - total * chances[1] + lead * gain_slope * left).sum())
        slope = np.concatenate([ratings, [by_lead.sum(), by_draw]])
        return Point(values, likelihood, slope, lead, chances, gain, gain_slope)

    def _by_player(self, each: Vector) -> Vector:
        """Return the sums [players] of what each kind counts: for the first player, and against the second."""
        each = each[::2] - each[1::2]  # of a pairing: its second kind is the first with the players changed over
        first, second = self.first[::2], self.second[::2]
        sums = np.bincount(first, each, self.players) - np.bincount(second, each, self.players)
        return sums.astype(np.float64, copy=False)

    def information(self, point: Point, counts: Vector) -> Vector:
        """Return Fisher's information [free, free] that so many games [kinds] have about the free parameters."""
        of_points, of_both, of_draws = moments(point.chances)
        by_lead = counts * point.gain**2 * of_points
        full = np.zeros((self.players + 2, self.players + 2))
        full[self.first, self.second] = -by_lead
        full += full.T
        np.fill_diagonal(full, -full.sum(axis=1))
        turn = point.lead * point.gain_slope  # by which η grows with log ν
        mixed = counts * point.gain * (of_points * turn + of_both)
        for place, each in ((-2, by_lead), (-1, mixed)):
            full[:-2, place] = full[place, :-2] = self._by_player(each)
        full[-2, -2] = by_lead.sum()
        full[-2, -1] = full[-1, -2] = mixed.sum()
        full[-1, -1] = (counts * (of_points * turn**2 + 2 * of_both * turn + of_draws)).sum()
        return full[np.ix_(self.free, self.free)]

    def inverse_information(self, point: Point) -> Vector:
        """Return the inverse [free, free] of the information that all games have, those added among them."""
        information = self.information(point, self.counts.sum(axis=0))
        ridge = _RIDGE * float(information.max(initial=1.0)) * np.eye(len(information))
        return np.asarray(np.linalg.inv(information + ridge), np.float64)

    def most_likely(self) -> Point:
        """Return the parameters that make the games the most likely, by Fisher's scoring."""
        return self._climbed(self.at(self.start))

    def most_likely_where(self, contrast: Vector, near: Point, inverse: Vector) -> Point:
        """Return the same among those parameters where a contrast [free] of them is as it is near by.

        Args:
            contrast: of the parameters.
            near: where to begin.
            inverse: of the information [free, free] at some point not far away, which serves as long as steps with it
                lead on: to invert one takes longer than many steps.
        """
        return self._climbed(near, contrast, inverse)

    def _climbed(self, point: Point, contrast: Vector | None = None, inverse: Vector | None = None) -> Point:
        promised = math.inf  # what the step before promised to add to the log-likelihood
        for _ in range(_STEPS):
            slope = point.slope[self.free]
            step = None if inverse is None else _step(inverse, slope, contrast)
            if step is None or float(slope @ step) > promised / _FASTER:
                newest = self.inverse_information(point)
                step = _step(newest, slope, contrast)
                inverse = None if contrast is None else newest  # the maximum of all is found to the last digits
            promised = float(slope @ step)
            step *= _STRIDE / float(np.abs(step).max(initial=_STRIDE))
            is_last = float(slope @ step) < _SMALL
            for _ in range(1 if is_last else _HALVINGS):  # parts of a last step drown in rounding
                upper = self.at(self.moved(point, step))
                if upper.log_likelihood > point.log_likelihood:
                    break
                step = step / 2
            else:
                break  # there is nothing above but rounding
            point = upper
            if is_last:
                break
        return point

    def moved(self, point: Point, step: Vector) -> Vector:
        """Return the parameters of a point after a step [free]."""
        values = point.values.copy()
        values[self.free] += step
        return values

    def contrast(self, weights: Mapping[int, float] | Sequence[tuple[int, float]]) -> Vector:
        """Return a weighted sum of parameters as a vector [free]; those that are fixed have no part in it."""
        full = np.zeros(self.players + 2)
        for place, weight in dict(weights).items():
            full[place] += weight
        return full[self.free]


def points_of(outcomes: Vector) -> Vector:
    """Return for each kind the points above a half of each game, from numbers or chances of outcomes [3, kinds]."""
    return (outcomes[0] - outcomes[2]) / 2


def times(matrix: Vector, vector: Vector) -> Vector:
    """Return the product of a matrix [n, n] and a vector [n].

    Without BLAS, which starts threads for a hundred players: they wait for each other where other programs run.
    """
    return np.einsum("ij,j->i", matrix, vector)


def moments(chances: Vector) -> tuple[Vector, Vector, Vector]:
    """Return for each kind the variance of the points, their covariance with a draw, and the variance of a draw."""
    mean = points_of(chances)
    drawn = chances[1]
    return (1 - drawn) / 4 - mean**2, -mean * drawn, drawn * (1 - drawn)


def _step(inverse: Vector, slope: Vector, contrast: Vector | None) -> Vector:
    """Return the step of Fisher's scoring, along which ``contrast`` does not change."""
    step = times(inverse, slope)
    if contrast is None:
        return step
    moved = times(inverse, contrast)
    return step - moved * (contrast @ step) / (contrast @ moved)
