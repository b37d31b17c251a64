"""How well moves do against exact solving: shares of good moves, value lost, and the blunders.

A move *preserves the value* if a win stays a win and a draw a draw. That is counted twice: over all positions, and, as
*keeping* it, over the positions in which some move loses value, since elsewhere nobody could do wrong. A move is
*optimal* if it also wins soonest, or loses or draws latest; that is counted over all positions. Shares have Wilson's
intervals (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927). The
mean value lost has Student's, after one move that loses nothing and one that loses all have been added, so that few
positions without a mistake prove little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .positions import SolvedPositions

__all__ = ["Blunder", "Grade", "Grades", "Mean", "Share", "grade", "share_of"]

CONFIDENCE = 0.95


class Share(NamedTuple):
    """How many of how many, with the interval of the share; NaN if there are none."""

    hits: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share itself."""
        return self.hits / self.total if self.total else math.nan

    @property
    def rest(self) -> Share:
        """The share of all others."""
        return Share(self.total - self.hits, self.total, 1 - self.high, 1 - self.low)


class Mean(NamedTuple):
    """A mean with its interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Grade:
    """The marks in the positions of one ply, or in all.

    Attributes:
        ply: the ply of the positions; None for all plies.
        positions: the number of positions.
        optimal: the share of moves that keep the value and win soonest, or lose or draw latest.
        preserving: the share of moves that keep the value.
        keeping: the share of moves that keep the value, where some move does not.
        lost: the mean value lost by a move, in units of the utility (a draw in place of a win by 1 loses 1).
        optimal_by_chance: the expected share ``optimal`` of random play.
        preserving_by_chance: the expected share ``preserving`` of random play.
        keeping_by_chance: the expected share ``keeping`` of random play.
    """

    ply: int | None
    positions: int
    optimal: Share
    preserving: Share
    keeping: Share
    lost: Mean
    optimal_by_chance: float
    preserving_by_chance: float
    keeping_by_chance: float


@dataclass(frozen=True)
class Blunder:
    """A move that loses value. Values are from the point of view of the player to move.

    Attributes:
        index: the number of the position among those that were asked, which are those of `SolvedPositions.stratified`
            where `evaluate` asks.
        line: the moves that lead to it.
        board: the position, as text.
        move: the move that was played.
        best: the optimal moves.
        value: the value of the position.
        left: the value after the move.
        distance: the plies to the end of the game after an optimal move; None for a draw without end.
    """

    index: int
    line: tuple[int, ...]
    board: str
    move: int
    best: tuple[int, ...]
    value: float
    left: float
    distance: int | None


@dataclass(frozen=True)
class Grades:
    """All marks of a player.

    Attributes:
        total: the marks over all positions.
        by_ply: the marks ply by ply.
        blunders: the moves that lose value, sorted: the greatest losses first, and among equals the nearest wins.
    """

    total: Grade
    by_ply: tuple[Grade, ...]
    blunders: tuple[Blunder, ...]


def share_of(hits: int, total: int) -> Share:
    """Return a share with Wilson's interval of 95 %."""
    if not total:
        return Share(0, 0, math.nan, math.nan)
    from scipy.stats import binomtest

    interval = binomtest(hits, total).proportion_ci(CONFIDENCE, method="wilson")
    return Share(hits, total, float(interval.low), float(interval.high))


def grade(positions: SolvedPositions, actions: ArrayLike) -> Grades:
    """Return the marks of a player that plays these ``actions`` [positions].

    Raises:
        ValueError: there is not one legal action for each position, or no position.
    """
    played = np.asarray(actions)
    if played.shape != (len(positions),) or not len(positions):
        raise ValueError(f"expected one action for each of {len(positions)} positions, got shape {played.shape}")
    rows = np.arange(len(positions))
    in_range = (played >= 0) & (played < positions.game.num_actions)
    legal = in_range & positions.legal[rows, np.where(in_range, played, 0)]
    if not legal.all():
        index = int(np.argmin(legal))
        raise ValueError(f"action {played[index]} is illegal in position {index}, after {positions.lines[index]}")
    every = [np.flatnonzero(positions.plies == ply) for ply in np.unique(positions.plies)]
    return Grades(
        total=_grade(positions, played, rows, None),
        by_ply=tuple(_grade(positions, played, some, int(positions.plies[some[0]])) for some in every),
        blunders=tuple(_blunders(positions, played)),
    )


def _grade(positions: SolvedPositions, played: NDArray[np.int64], rows: NDArray[np.intp], ply: int | None) -> Grade:
    """Return the marks in the positions with these indices."""
    at_stake = rows[positions.at_stake[rows]]
    lost = positions.value[rows] - positions.values[rows, played[rows]]
    largest = positions.game.max_utility
    if not math.isfinite(largest):
        largest = np.nanmax(np.abs(positions.values))
    return Grade(
        ply=ply,
        positions=rows.size,
        optimal=share_of(int(positions.optimal[rows, played[rows]].sum()), rows.size),
        preserving=share_of(int(positions.keeping[rows, played[rows]].sum()), rows.size),
        keeping=share_of(int(positions.keeping[at_stake, played[at_stake]].sum()), at_stake.size),
        lost=_mean_of(lost, 2 * float(largest)),
        optimal_by_chance=_by_chance(positions.optimal, positions.legal, rows),
        preserving_by_chance=_by_chance(positions.keeping, positions.legal, rows),
        keeping_by_chance=_by_chance(positions.keeping, positions.legal, at_stake),
    )


def _by_chance(good: NDArray[np.bool_], legal: NDArray[np.bool_], rows: NDArray[np.intp]) -> float:
    return float((good[rows].sum(axis=1) / legal[rows].sum(axis=1)).mean()) if rows.size else math.nan


def _mean_of(lost: NDArray[np.float64], most: float) -> Mean:
    """Return the mean of the values lost [positions], each of which is between 0 and ``most``."""
    from scipy.special import stdtrit

    padded = np.append(lost, (0.0, most))
    middle, spread = float(padded.mean()), float(padded.std(ddof=1))
    half = float(stdtrit(padded.size - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(padded.size)
    return Mean(float(lost.mean()), max(0.0, middle - half), min(most, middle + half))


def _blunders(positions: SolvedPositions, played: NDArray[np.int64]) -> Iterator[Blunder]:
    rows = np.arange(len(positions))
    left = positions.values[rows, played]
    lost = positions.value - left
    ends = positions.distance
    for i in sorted(np.flatnonzero(lost > 0).tolist(), key=lambda i: (-lost[i], -positions.value[i], ends[i], i)):
        yield Blunder(
            index=i,
            line=positions.lines[i],
            board=positions.game.text(positions.state(i)),
            move=int(played[i]),
            best=tuple(np.flatnonzero(positions.optimal[i]).tolist()),
            value=float(positions.value[i]),
            left=float(left[i]),
            distance=None if ends[i] < 0 else int(ends[i]),
        )
