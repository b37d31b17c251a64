"""Who plays whom: round robin, gauntlet, Swiss system, knockout.

A schedule is a generator of rounds. Players are numbers, in the order in which they were given; a round is a list of
pairings, each of which is played from both sides. The generator is sent what came of it, an `Outcome`. What it returns
at the end is the winner, where the format names one; in others the table does.

Source of the Swiss system: FIDE's handbook, C.04.1, with Monrad's way of pairing, from the top of the table down.
Colours need no rules, for all pairings are played from both sides.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Generator
from typing import NamedTuple

from ...envs.outside.arguments import checked_whole
from .pairing import Pairing, as_met, pairings_of_round

__all__ = ["Outcome", "Schedule", "gauntlet", "knockout", "round_robin", "swiss"]

_REPLAYS = 8  # of a tied pairing of a knockout


class Outcome(NamedTuple):
    """What came of a round."""

    points: list[tuple[float, float]]  # of both players in each of its pairings
    withdrawn: set[int]  # players who play no more
    byes: dict[int, float] | None = None  # to which the schedule adds the points of players who sat out


Schedule = Generator[list[Pairing], Outcome, int | None]


def round_robin(players: int) -> Schedule:
    """Everyone against everyone, in one round."""
    yield list(itertools.combinations(range(players), 2))
    return None


def gauntlet(players: int, seeds: int = 1) -> Schedule:
    """The first ``seeds`` players against each of the others, in one round."""
    seeds = checked_whole("seeds", seeds, 1, players - 1)
    yield list(itertools.product(range(seeds), range(seeds, players)))
    return None


def swiss(players: int, rounds: int | None = None) -> Schedule:
    """Rounds of pairings between players of about the same points, none of them twice if that can be.

    Who has to meet again are as few as can be. Of an odd number of players, the last one of those who have sat out
    least often sits out, and gets the points of a pairing that is won; another one of those, if the others could not
    be paired anew.

    Args:
        players: how many there are.
        rounds: how many rounds. Default: as many as a knockout would take.
    """
    rounds = max(1, (players - 1).bit_length()) if rounds is None else checked_whole("rounds", rounds, 1)
    points = [0.0] * players
    met = Counter[Pairing]()
    rests = Counter[int | None]()
    left = set(range(players))
    for _ in range(rounds):
        ranking = sorted(left, key=lambda player: (-points[player], player))
        if len(ranking) < 2:
            break
        resting, pairings = pairings_of_round(ranking, met, rests)
        rests[resting] += 1
        met.update(map(as_met, pairings))
        outcome = yield pairings
        for pairing, both in zip(pairings, outcome.points, strict=True):
            for player, own in zip(pairing, both, strict=True):
                points[player] += own
        if resting is not None:
            bye = max(map(sum, outcome.points))
            points[resting] += bye
            if outcome.byes is not None:
                outcome.byes[resting] = outcome.byes.get(resting, 0.0) + bye
        left -= outcome.withdrawn
    return None


def knockout(players: int) -> Schedule:
    """Pairings whose losers are out, until one player is left; a tie is played again, with other openings.

    The players are seeded in the order in which they were given: the first two can only meet at the end, and the first
    ones sit out where there are too few. After 8 replays without a winner, the higher seed goes on.
    """
    left = [seed if seed < players else None for seed in _bracket(players)]
    while len(left) > 1:
        couples = list(zip(left[::2], left[1::2], strict=True))
        left: list[int | None] = [one if other is None else other if one is None else None for one, other in couples]
        tied = {place: as_met((one, other)) for place, (one, other) in enumerate(couples) if None not in (one, other)}  # pyright: ignore[reportArgumentType]
        for _ in range(1 + _REPLAYS):
            if not tied:
                break
            outcome = yield list(tied.values())
            for (place, pairing), (higher, lower) in zip(list(tied.items()), outcome.points, strict=True):
                gone = [player in outcome.withdrawn for player in pairing]
                if any(gone) or higher != lower:
                    left[place] = pairing[gone[0] if any(gone) else lower > higher]
                    if all(gone):
                        left[place] = pairing[0]  # it loses in the next round
                    del tied[place]
        for place, pairing in tied.items():
            left[place] = pairing[0]
    return left[0]


def _bracket(players: int) -> list[int]:
    """Return the seeds in the order of a bracket's first round: of four, 0, 3, 1 and 2."""
    seeds = [0]
    while len(seeds) < players:
        size = 2 * len(seeds)
        seeds = [seed for higher in seeds for seed in (higher, size - 1 - higher)]
    return seeds
