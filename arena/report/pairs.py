"""Shares of points with intervals that count a pair of games, one opening from both sides, as one observation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..ratings.difference import share_interval
from ..ratings.paired import Counterparts
from ..records.record import GameRecord

__all__ = ["Beginning", "Pair", "Points", "first_share", "in_pairs", "player_share"]

Pair = tuple[GameRecord, ...]  # of one or two games
Beginning = tuple[str | None, tuple[int, ...]]  # the start and the opening


class Points(NamedTuple):
    """Points gained in some games, and the 95 % interval of their share; NaN if there are no games."""

    gained: float
    games: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of the points."""
        return self.gained / self.games if self.games else math.nan

    @property
    def rest(self) -> Points:
        """What the other side gained in these games."""
        return Points(self.games - self.gained, self.games, 1 - self.high, 1 - self.low)


def in_pairs(records: Iterable[GameRecord]) -> list[Pair]:
    """Return games of the same opening and players, from both sides, together; others are alone.

    Games that were broken off have no result, and are left out.
    """
    pairs: list[list[GameRecord]] = []
    waiting = Counterparts[list[GameRecord]]()
    for record in records:
        if not record.has_result:
            continue
        pair = [record]
        earlier = waiting.take(record, pair)
        if earlier is None:
            pairs.append(pair)
        else:
            earlier.append(record)
    return [tuple(pair) for pair in pairs]


def first_share(pairs: Sequence[Pair]) -> Points:
    """Return the share of the points that went to whoever began."""
    return _share([[record.points[0] for record in pair] for pair in pairs])


def player_share(pairs: Sequence[Pair], name: str, against: str | None = None) -> Points:
    """Return the share of the points that a player got, in all of its games, or against one other.

    In games against itself it got those of both sides, as in the table of results.
    """
    gained = []
    for pair in pairs:
        first, second = pair[0].players
        if name in (first, second) and (against is None or {name, against} == {first, second}):
            gained.append([points for record in pair for points in _points_of(record, name)])
    return _share(gained)


def _points_of(record: GameRecord, name: str) -> list[float]:
    """Return the points of a player from each side that it played."""
    return [points for points, player in zip(record.points, record.players, strict=True) if player == name]


def _share(pairs: Sequence[Sequence[float]]) -> Points:
    """Return the share of points in some pairs, with the interval of `share_interval`; lone games are pairs of one."""
    if not pairs:
        return Points(0, 0, math.nan, math.nan)
    points, games = (np.array([float(measure(pair)) for pair in pairs]) for measure in (sum, len))
    return Points(float(points.sum()), int(games.sum()), *share_interval(points, games))
