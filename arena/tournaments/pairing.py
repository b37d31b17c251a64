"""Who meets whom in a round of a Swiss tournament.

First Monrad's way is tried: from the top of the table down, each plays the next one whom it has not met, and where this
leads nowhere, the last choice is taken back. In a tournament of nearly as many rounds as players this can take longer
than anybody would wait. The round is then a matching of least weight in the graph of all players (Edmonds 1965, as
networkx has it), which also says what is best where some must meet again.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

__all__ = ["Pairing", "as_met", "pairings_of_round"]

_TRIES = 20_000  # of pairings, before a matching decides: a tenth of a second

Pairing = tuple[int, int]


def pairings_of_round(
    ranking: Sequence[int], met: Mapping[Pairing, int], rests: Counter[int | None]
) -> tuple[int | None, list[Pairing]]:
    """Return who sits out, None if nobody has to, and the pairings of the others, the higher one of each first.

    Args:
        ranking: the players, the best first; at least two.
        met: how often two have met, by their pairing as `as_met` has it.
        rests: how often each has sat out. Who has done so least often may have to, the last of them first.
    """
    choices: list[int | None] = [None]
    if len(ranking) % 2:
        least = min(rests[player] for player in ranking)  # by turns where there are more rounds than players
        choices = [player for player in reversed(ranking) if rests[player] == least]
    tries = _TRIES
    for resting in choices:
        pairings, tries = _from_the_top([player for player in ranking if player != resting], met, tries)
        if pairings:
            return resting, pairings
    return _matched(ranking, choices, met)


def as_met(pairing: Pairing) -> Pairing:
    """Return a pairing with the lower number first, as it is counted."""
    return min(pairing), max(pairing)


def _from_the_top(ranking: Sequence[int], met: Mapping[Pairing, int], tries: int) -> tuple[list[Pairing], int]:
    """Return pairings of players who have not met, the first with the next that can be; and the tries that are left.

    No pairings if there are none, or none were found in so many tries.
    """
    free = [True] * len(ranking)
    chosen: list[tuple[int, int]] = []  # places in the ranking
    one = other = 0
    while tries:
        other += 1
        if other == len(ranking):
            if not chosen:
                break
            one, other = chosen.pop()
            free[one] = free[other] = True
        elif free[other]:
            tries -= 1
            if not met.get(as_met((ranking[one], ranking[other]))):
                free[one] = free[other] = False
                chosen.append((one, other))
                if 2 * len(chosen) == len(ranking):
                    return [(ranking[one], ranking[other]) for one, other in chosen], tries
                one = other = free.index(True, one)
    return [], tries


def _matched(
    ranking: Sequence[int], choices: Sequence[int | None], met: Mapping[Pairing, int]
) -> tuple[int | None, list[Pairing]]:
    """Return who sits out, and pairings of the others: of those who met least often, and then near to each other."""
    import networkx as nx  # takes a while to import, and most tournaments do without

    places = len(ranking)
    again = places**3  # more than all distances of a round
    graph = nx.Graph()
    for one, other in itertools.combinations(range(places), 2):
        times = met.get(as_met((ranking[one], ranking[other])), 0)
        graph.add_edge(one, other, weight=times * again + (other - one) ** 2)
    if places % 2:
        for later, resting in enumerate(choices):
            graph.add_edge(ranking.index(resting), places, weight=later**2)
    matching = sorted(sorted(both) for both in nx.min_weight_matching(graph))
    resting = next((ranking[one] for one, other in matching if other == places), None)
    return resting, [(ranking[one], ranking[other]) for one, other in matching if other < places]
