"""The rating list of many players: who is how strong, how sure that is, and what the first move is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.html import html_table
from ...envs.outside.spec import nearest
from ..records.record import GameRecord
from ..wording import counted, interval_of, told_ends
from .certainty import Certainty
from .difference import ELO_PER_LOGIT, check_confidence
from .model import Model, Point
from .paired import PairedGames, paired_games

__all__ = ["Advantage", "Lead", "Rating", "RatingList", "lead_of", "rate_games", "rating_list"]

_FARTHEST = 1e5  # Elo of an anchor


class Rating(NamedTuple):
    """One player's strength."""

    name: str
    elo: float
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval
    games: int
    score: float  # share of the points, 0 to 1


class Advantage(NamedTuple):
    """What the first move is worth, in Elo that are added to the rating of the player who has it."""

    elo: float
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval


class Lead(NamedTuple):
    """By how many Elo the best player is above the next."""

    name: str
    elo: float
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval


@dataclass(frozen=True)
class RatingList:
    """Ratings of players by all their games.

    **Intervals** are those of a player's lead on the mean of all players, which is 0; or, with anchors, of its lead on
    the anchors, whose own ratings are exact. So two intervals that overlap do not say that two players may be equal:
    `superiority` says that.

    Attributes:
        game: the game.
        ratings: the ratings, best first.
        first_move: what the first move is worth, with its interval; 0 where it was not to be estimated.
        draw_parameter: Davidson's ν: equal players draw ``ν / (2 + ν)`` of their games if the first move is worth
            nothing; 0 where no game was drawn.
        anchors: fixed ratings, by name; where there are none, the mean of the ratings is 0.
        confidence: the probability that each interval is to have.
        games: the number of games.
        pairs: how many of them were pairs, of one opening from both sides.
        broken_off: how many other games were broken off; they have no result, and do not count.
    """

    game: str
    ratings: list[Rating]
    first_move: Advantage
    draw_parameter: float
    anchors: Mapping[str, float]
    confidence: float
    games: int
    pairs: int
    broken_off: int
    _fit: tuple[PairedGames, Model, Point] = field(repr=False, compare=False)

    def __repr__(self) -> str:
        best, players = self.ratings[0], len(self.ratings)
        return f"<RatingList: {players} players, {counted(self.games, 'game')}, {best.name} leads with {best.elo:+.0f}>"

    def _repr_html_(self) -> str:
        """Return the ratings as a table, for notebooks."""
        rows = [
            (one.name, f"{one.elo:+.0f}", interval, str(one.games), f"{one.score:.1%}")
            for one in self.ratings
            for interval in (interval_of(*told_ends(one.elo, one.low, one.high), "{:+.0f}".format),)
        ]
        return html_table(rows, ("player", "Elo", f"{self.confidence:.0%} interval", "games", "score"), self.game)

    @cached_property
    def superiority(self) -> NDArray[np.float64]:
        """How likely player i is stronger than player j, as the array [i, j], in the order of `ratings`.

        It is Student's distribution of the signed root of how far the likelihood falls where the two are equal,
        corrected for pairs as intervals are. Of a player and itself it is 1/2.
        """
        count = len(self.ratings)
        chances = np.full((count, count), 0.5)
        for row in range(count):
            for column in range(row):
                chance = self._chance(row, column)
                chances[row, column], chances[column, row] = chance, 1 - chance
        return chances

    @cached_property
    def superior_to_next(self) -> list[float]:
        """How likely each player but the last is stronger than the next: what `superiority` says beside its diagonal.

        The whole of that takes as many times as long as there are players.
        """
        return [1 - self._chance(row + 1, row) for row in range(len(self.ratings) - 1)]

    @cached_property
    def _certainty(self) -> Certainty:
        return Certainty(*self._fit)

    def _chance(self, row: int, column: int) -> float:
        """Return how likely one of two players is stronger, by their places."""
        games, model, best = self._fit
        i, j = (games.names.index(self.ratings[place].name) for place in (row, column))
        contrast, lead = model.contrast({i: 1.0, j: -1.0}), float(best.values[i] - best.values[j])
        if contrast.any():
            return self._certainty.chance_above_zero(contrast, lead)
        return (math.copysign(1.0, lead) + 1) / 2 if lead else 0.5  # both are anchors


def rating_list(
    records: Iterable[GameRecord],
    *,
    anchors: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    first_move: bool = True,
    prior: float = 1.0,
) -> RatingList:
    """Return the ratings under which the games are the most likely, with intervals that know of pairs of games.

    The model is that of Bradley and Terry with draws and the advantage of the first move, see
    `plyground.arena.ratings.model`; the intervals are those of `plyground.arena.ratings.certainty`. Where no game was
    drawn and the first move is worth nothing, a player who is d Elo above another is expected to score
    ``1 / (1 + 10^(-d / 400))``. Where it is worth much, the same difference of ratings gives a smaller score, and
    `plyground.arena.elo_difference`, which reads the score alone, is smaller: `docs/report.md` says by how much.

    Args:
        records: games of one game; those of an opening from both sides are found by their players and opening moves.
        anchors: fixed ratings, from -100000 to 100000 Elo, by name. Default: none, and the mean of all ratings is 0.
        confidence: the probability that the intervals are to have, between 0 and 1.
        first_move: whether the first move may be worth something.
        prior: how much is added to each player's games so that a player who won or lost all has a finite rating: 1
            stands for half a game, or three quarters where games are drawn. Above 0.

    Raises:
        ValueError: there are no games, or of more than one game; some players have never met the others, not even
            through third ones; an anchor has no games; a number is out of range.
    """
    return rate_games(paired_games(records), anchors=anchors, confidence=confidence, first_move=first_move, prior=prior)


def rate_games(
    games: PairedGames,
    *,
    anchors: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    first_move: bool = True,
    prior: float = 1.0,
) -> RatingList:
    """Return what `rating_list` does of games that are counted already."""
    check_confidence(confidence)
    if not 0 < prior < math.inf:
        raise ValueError(f"prior must be a number above 0, however small, got {prior!r}")
    anchors = dict(anchors or {})
    for name, elo in anchors.items():
        if name not in games.names:
            raise ValueError(f"the anchor {name!r} has no games: {nearest(name, games.names)}")
        if not -_FARTHEST <= elo <= _FARTHEST:
            raise ValueError(
                f"the anchor {name!r} must have a rating between {-_FARTHEST:.0f} and {_FARTHEST:.0f}, got {elo!r}"
            )
    numbers = {name: i for i, name in enumerate(games.names)}
    fixed = {numbers[name]: float(elo) for name, elo in anchors.items()}
    check_met(games, list(fixed))
    model = Model(games, fixed, first_move, prior)
    best = model.most_likely()
    certainty = Certainty(games, model, best)
    mean = 0.0 if fixed else float(best.values[:-2].mean())
    count = len(games.names)
    share = 0.0 if fixed else 1 / count
    played, scores = _scores(games)
    ratings = []
    for name, i in numbers.items():
        elo = ELO_PER_LOGIT * (float(best.values[i]) - mean)
        contrast = model.contrast({j: (i == j) - share for j in range(count)})
        low, high = certainty.interval(contrast, confidence) if i not in fixed else (0.0, 0.0)
        low, high = elo + ELO_PER_LOGIT * low, elo + ELO_PER_LOGIT * high
        ratings.append(Rating(name, elo, low, high, int(played[i]), float(scores[i] / played[i])))
    ratings.sort(key=lambda one: -one.elo)
    worth, below, above = float(best.values[-2]), 0.0, 0.0
    if first_move:
        below, above = certainty.interval(model.contrast({count: 1.0}), confidence)
    advantage = Advantage(*(ELO_PER_LOGIT * value for value in (worth, worth + below, worth + above)))
    return RatingList(
        game=games.game,
        ratings=ratings,
        first_move=advantage,
        draw_parameter=math.exp(best.values[-1]),
        anchors=anchors,
        confidence=confidence,
        games=int(played.sum()) // 2,
        pairs=int(games.pairs.sum()),
        broken_off=games.broken_off,
        _fit=(games, model, best),
    )


def lead_of(games: PairedGames, confidence: float = 0.95) -> Lead:
    """Return who is rated highest, and by how much, with an interval: the work of one player of `rate_games`."""
    check_met(games, [])
    model = Model(games, {})
    best = model.most_likely()
    first, second = np.argsort(-best.values[:-2], kind="stable")[:2].tolist()
    lead = float(best.values[first] - best.values[second])
    low, high = Certainty(games, model, best).interval(model.contrast({first: 1.0, second: -1.0}), confidence)
    return Lead(games.names[first], *(ELO_PER_LOGIT * value for value in (lead, lead + low, lead + high)))


def check_met(games: PairedGames, fixed: list[int] | None) -> None:
    """Check that every player is bound to every other by games and anchors, so that their difference is known.

    Args:
        games: the games.
        fixed: the numbers of the players who are anchors; None where there can be none.

    Raises:
        ValueError: some are not.
    """
    from scipy.sparse.csgraph import connected_components

    links = np.zeros((len(games.names),) * 2, np.bool_)
    links[games.pairings[:, 0], games.pairings[:, 1]] = True
    links[np.ix_(fixed or [], fixed or [])] = True
    _, parts = connected_components(links, directed=False)
    if parts.any():
        groups = [", ".join(games.names[i] for i in np.flatnonzero(parts == part)) for part in np.unique(parts)]
        ways = "or rate each alone" if fixed is None else "rate each alone, or give each group an anchor"
        raise ValueError(
            f"these groups of players have never met: {'; '.join(groups)}: play games between them, {ways}"
        )


def _scores(games: PairedGames) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the number of games [players], and the points [players]."""
    totals, count = games.totals, len(games.names)
    points = totals @ np.array([1.0, 0.5, 0.0])
    number = totals.sum(axis=2)
    played, scores = np.zeros(count), np.zeros(count)
    for side, (own, other) in enumerate(((0, 1), (1, 0))):
        for seat, gained in ((own, points[:, side]), (other, number[:, side] - points[:, side])):
            played += np.bincount(games.pairings[:, seat], number[:, side], count)
            scores += np.bincount(games.pairings[:, seat], gained, count)
    return played, scores
