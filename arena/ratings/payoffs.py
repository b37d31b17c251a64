"""Where strength is not one number: who beats whom, circles of players who beat each other, α-rank, Nash averaging.

A rating predicts that if A beats B and B beats C, then A beats C too. Where this fails, the matrix of
scores says more than a list. Two answers to "who is strong" are read off it. **Nash averaging** (D. Balduzzi,
K. Tuyls, J. Perolat and T. Graepel, "Re-evaluating evaluation", NeurIPS 2018) rates each player against the mixture of
players that nobody beats; copies of a player, or many weak ones, change nothing. **α-rank** (S. Omidshafiei et al.,
"α-Rank: multi-agent evaluation by evolution", Scientific Reports 9, 2019) is how long a population stays with each
player, if now and then one that does better takes over.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.arguments import checked_whole
from ..records.record import GameRecord
from .difference import ELO_PER_LOGIT, share_interval
from .paired import PairedGames, paired_games

__all__ = ["NashAverage", "Payoffs", "alpha_rank", "cycles", "nash_average", "payoff_matrix"]

_SHARES = 1e-6  # how exact the shares of a mixture are
_LEAST = 1e-30  # of the chances of a Markov chain, so that it comes everywhere


class Payoffs(NamedTuple):
    """Everybody's score against everybody."""

    names: list[str]
    scores: NDArray[np.float64]  # [player, opponent]: share of the points; 1/2 against itself, NaN without games
    games: NDArray[np.int64]  # [player, opponent]
    low: NDArray[np.float64]  # [player, opponent]: lower end of the score's interval; NaN without games
    high: NDArray[np.float64]  # [player, opponent]: upper end of the score's interval; NaN without games

    def log_odds(self) -> NDArray[np.float64]:
        """Return the antisymmetric matrix of the log-odds of the scores, after half a game won and half a game lost.

        Raises:
            ValueError: some players have not met.
        """
        check_complete(self)
        points = self.scores * self.games
        odds = np.log((points + 0.5) / (self.games - points + 0.5))
        np.fill_diagonal(odds, 0.0)
        return odds


class NashAverage(NamedTuple):
    """Strength against the mixture of players that nobody beats."""

    shares: NDArray[np.float64]  # [players]: of the mixture; of all such mixtures that with the largest entropy
    elo: NDArray[np.float64]  # [players]: against the mixture; 0 for those in it, and below for all others


def payoff_matrix(records: Iterable[GameRecord] | PairedGames, confidence: float = 0.95) -> Payoffs:
    """Return everybody's score against everybody, with intervals by pairs of games.

    Intervals are those of `plyground.arena.elo_difference`; a game without counterpart is an observation, too, with
    half the weight.

    Args:
        records: games of one game, or what `plyground.arena.ratings.paired` counted.
        confidence: the probability that each interval is to have, between 0 and 1.

    Raises:
        ValueError: there are no games, or games of several kinds, or ``confidence`` is out of range.
    """
    games = records if isinstance(records, PairedGames) else paired_games(records)
    count = len(games.names)
    scores, low, high = (np.full((count, count), math.nan) for _ in range(3))
    played = np.zeros((count, count), np.int64)
    for matrix in (scores, low, high):
        np.fill_diagonal(matrix, 0.5)
    gained = np.array([1.0, 0.5, 0.0])
    of_pair = gained[:, None] + 1 - gained[None, :]  # the points of the one who begins the first game of a pair
    points = np.concatenate([of_pair.ravel(), gained, 1 - gained])
    sizes = np.repeat([2.0, 1.0], [of_pair.size, 2 * gained.size])
    for (i, j), pairs, singles in zip(games.pairings.tolist(), games.pairs, games.singles, strict=True):
        counts = np.concatenate([pairs.ravel(), singles.ravel()]).astype(int)
        number = int(counts @ sizes)
        score = float(counts @ points) / number
        ends = share_interval(np.repeat(points, counts), np.repeat(sizes, counts), confidence)
        scores[i, j], scores[j, i] = score, 1 - score
        low[i, j], high[i, j] = ends
        low[j, i], high[j, i] = 1 - ends[1], 1 - ends[0]
        played[i, j] = played[j, i] = number
    return Payoffs(games.names, scores, played, low, high)


def check_complete(payoffs: Payoffs) -> None:
    """Raise `ValueError` if some players have not met."""
    missing = np.argwhere(np.isnan(payoffs.scores))
    if missing.size:
        one, other = (payoffs.names[i] for i in missing[0])
        raise ValueError(
            f"{one} and {other} have not met: cycles, Nash averaging and α-rank take games of everyone against everyone"
        )


def cycles(payoffs: Payoffs) -> list[list[str]]:
    """Return circles of players of whom each beats the next, and the last the first: a shortest one for each player.

    Who beats whom is what the interval of their score says: it is all above 1/2.
    """
    beats = payoffs.low > 0.5
    found: dict[frozenset[int], list[int]] = {}
    for start in range(len(payoffs.names)):
        circle = _circle(beats, start)
        if circle:
            found.setdefault(frozenset(circle), circle)
    return [[payoffs.names[i] for i in circle] for circle in sorted(found.values(), key=len)]


def _circle(beats: NDArray[np.bool_], start: int) -> list[int]:
    """Return a shortest way from a player back to itself; empty if there is none."""
    before = {start: -1}
    upcoming = deque([start])
    while upcoming:
        own = upcoming.popleft()
        for other in np.flatnonzero(beats[own]).tolist():
            if other == start:
                way = [own]
                while before[way[-1]] >= 0:
                    way.append(before[way[-1]])
                return way[::-1]
            if other not in before:
                before[other] = own
                upcoming.append(other)
    return []


def alpha_rank(scores: NDArray[np.float64], alpha: float = 100.0, population: int = 50) -> NDArray[np.float64]:
    """Return the share of time [players] that a population of players spends with each: α-rank of one population.

    Args:
        scores: what each gets against each [players, players], such as `Payoffs.scores`.
        alpha: how strongly a player that gets more takes over; with a large one any lead suffices.
        population: the number of individuals, at least 2.

    Raises:
        ValueError: the matrix is not square or has gaps, or a number is out of range.
    """
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 2 or len(set(scores.shape)) != 1 or not scores.size or not np.isfinite(scores).all():
        raise ValueError(
            f"scores must be a square matrix of finite numbers, got the shape {scores.shape} or gaps in it"
        )
    if not 0 < alpha < math.inf:
        raise ValueError(f"alpha must be a number above 0, got {alpha!r}")
    population = checked_whole("population", population, 2)
    count = len(scores)
    if count == 1:
        return np.ones(1)
    lead = alpha * (
        scores.T - scores
    )  # [resident, mutant]: what the mutant gets against the resident, above what it gets
    return _stationary(_fixation(lead, population) / (count - 1))


def _stationary(chain: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of time that a Markov chain spends in each state; the diagonal of the matrix is not read.

    States are taken out one after the other, without a subtraction, so that the smallest chances count: W. K.
    Grassmann, M. I. Taksar and D. P. Heyman, "Regenerative analysis and steady state distributions for Markov chains",
    Operations Research 33 (1985).
    """
    chain = np.maximum(chain, _LEAST)
    for last in range(len(chain) - 1, 0, -1):
        chain[:last, last] /= chain[last, :last].sum()
        chain[:last, :last] += np.outer(chain[:last, last], chain[last, :last])
    shares = np.ones(1)
    for last in range(1, len(chain)):
        shares = np.append(shares, shares @ chain[:last, last])
        shares /= shares.sum()
    return shares


def _fixation(lead: NDArray[np.float64], population: int) -> NDArray[np.float64]:
    """Return the chance that one mutant takes over: ``(1 - e^-u) / (1 - e^-mu)`` for a lead of u, 1 / m without."""
    u = np.where(np.abs(lead) < 1e-12, 1.0, lead)
    ahead = np.abs(u)
    # For a negative u, both are multiplied by e^mu, so that nothing overflows.
    chance = -np.expm1(-ahead) / -np.expm1(-population * ahead)
    chance = np.where(u > 0, chance, chance * np.exp(-(population - 1) * ahead))
    return np.where(np.abs(lead) < 1e-12, 1 / population, chance)


def nash_average(log_odds: NDArray[np.float64]) -> NashAverage:
    """Return the mixture of players that nobody beats, and each player's strength against it.

    Of several such mixtures it is the one with the largest entropy, which is unique.

    Args:
        log_odds: the antisymmetric matrix [players, players] of who beats whom, such as `Payoffs.log_odds()`.

    Raises:
        ValueError: the matrix is not antisymmetric.
    """
    log_odds = np.asarray(log_odds, np.float64)
    if log_odds.ndim != 2 or len(set(log_odds.shape)) != 1 or not np.allclose(log_odds, -log_odds.T, atol=1e-9):
        raise ValueError(f"log-odds must be an antisymmetric square matrix, got the shape {log_odds.shape}")
    members = _members(log_odds)
    shares = np.zeros(len(log_odds))
    shares[members] = _most_even(log_odds[:, members])
    return NashAverage(shares, ELO_PER_LOGIT * (log_odds @ shares))


def _members(log_odds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the players who have a share in some mixture that nobody beats."""
    from scipy.optimize import linprog

    count, rest, members = len(log_odds), set(range(len(log_odds))), set[int]()
    while rest:  # the mixture in which those who are not known to be members have the largest share together
        wanted = np.zeros(count)
        wanted[list(rest)] = -1.0
        found = linprog(wanted, A_ub=log_odds, b_ub=np.zeros(count), A_eq=np.ones((1, count)), b_eq=[1.0])
        new = {i for i in rest if found.x[i] > _SHARES}
        if not new:
            break
        members |= new
        rest -= new
    return np.array(sorted(members), np.int64)


def _most_even(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares [members] with the largest entropy under which nobody beats the mixture.

    They are ``exp(-Aᵀλ)``, normalized, where λ ≥ 0 makes the sum of that the smallest: the dual problem, which is
    convex and has no other constraints.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    def loss(prices: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        heights = -prices @ log_odds
        return float(np.asarray(logsumexp(heights))), -log_odds @ softmax(heights)

    found = minimize(
        loss,
        np.zeros(len(log_odds)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(log_odds),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 20_000, "maxfun": 100_000},
    )
    return np.asarray(softmax(-found.x @ log_odds), np.float64)
