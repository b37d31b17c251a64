"""Schedules of tournaments: who plays whom, in each format, whatever comes of the games."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from plyground.arena import tournament
from plyground.arena.tournaments.formats import planned_games, schedule_of
from plyground.arena.tournaments.pairing import Pairing, as_met, pairings_of_round
from plyground.arena.tournaments.schedules import Outcome

Result = Callable[[int, int], float]  # the points of the first of two players, of 2


def stronger(one: int, other: int) -> float:
    """Return the points of one player, of 2: who was named first wins."""
    return 2.0 if one < other else 0.0


def rounds_of(spec: str, players: int, result: Result = stronger, gone: set[int] | None = None) -> list[list[Pairing]]:
    """Play a schedule to its end with these results, and return its rounds."""
    schedule, rounds = schedule_of(spec, players), []
    upcoming = next(schedule)
    while True:
        rounds.append(upcoming)
        points = [(result(*pairing), 2 - result(*pairing)) for pairing in upcoming]
        try:
            upcoming = schedule.send(Outcome(points, gone or set()))
        except StopIteration:
            return rounds


def all_pairings(players: list[int]) -> list[list[Pairing]]:
    """Return every way in which so many players can be paired."""
    if not players:
        return [[]]
    first, *rest = players
    return [
        [(first, other), *others]
        for other in rest
        for others in all_pairings([player for player in rest if player != other])
    ]


class TestSchedules:
    def test_round_robin_and_gauntlet(self) -> None:
        assert rounds_of("round_robin", 4) == [[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]]
        assert rounds_of("gauntlet", 4) == [[(0, 1), (0, 2), (0, 3)]]
        assert rounds_of("gauntlet(seeds=2)", 4) == [[(0, 2), (0, 3), (1, 2), (1, 3)]]

    @pytest.mark.parametrize("players", [2, 3, 8, 9, 20, 33])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_swiss(self, players: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        strength = rng.permutation(players)
        scores = Counter[int]()

        def result(one: int, other: int) -> float:
            return 2.0 if strength[one] > strength[other] else 0.0

        rounds = rounds_of("swiss", players, result)
        assert len(rounds) == max(1, int(np.ceil(np.log2(players))))
        met = [frozenset(pairing) for pairings in rounds for pairing in pairings]
        assert len(set(met)) == len(met)  # nobody meets another twice
        resting = [set(range(players)) - set(itertools.chain(*pairings)) for pairings in rounds]
        assert all(len(one) == players % 2 for one in resting)
        assert len(set(itertools.chain(*resting))) == sum(map(len, resting))  # nor sits out twice
        for pairings, rest in zip(rounds, resting, strict=True):
            assert len(set(itertools.chain(*pairings))) == 2 * len(pairings)
            gaps = [abs(scores[one] - scores[other]) for one, other in pairings]
            assert np.mean(gaps) <= 2  # points are about the same
            for one, other in pairings:
                scores[one] += int(result(one, other))
                scores[other] += 2 - int(result(one, other))
            scores.update(dict.fromkeys(rest, 2))
        best = scores.most_common(1)[0][0]
        assert strength[best] == players - 1  # who wins all games is ahead

    def test_swiss_of_as_many_rounds_as_opponents_is_a_round_robin_and_then_begins_again(self) -> None:
        rounds = rounds_of("swiss(rounds=4)", 4)
        met = Counter(frozenset(pairing) for pairings in rounds for pairing in pairings)
        assert sorted(met.values()) == [1, 1, 1, 1, 2, 2]

    @pytest.mark.parametrize("seed", [172, 706, 918, 1078])  # where the last of the table must play for it
    def test_swiss_of_an_odd_number_lets_another_player_sit_out_before_two_meet_again(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        rounds = rounds_of("swiss(rounds=7)", 9, lambda one, other: float(rng.integers(0, 5)) / 2)
        met = [frozenset(pairing) for pairings in rounds for pairing in pairings]
        assert len(set(met)) == len(met) == 7 * 4

    @pytest.mark.parametrize(("players", "rounds"), [(30, 20), (30, 29), (31, 25), (2_000, 3)])
    def test_nobody_meets_another_twice_in_a_swiss_of_nearly_as_many_rounds_as_players_or_of_many_players(
        self, players: int, rounds: int
    ) -> None:
        rng = np.random.default_rng(1)
        found = rounds_of(f"swiss(rounds={rounds})", players, lambda one, other: float(rng.integers(0, 5)) / 2)
        met = [frozenset(pairing) for pairings in found for pairing in pairings]
        assert len(set(met)) == len(met) == rounds * (players // 2)

    @pytest.mark.parametrize("players", [5, 6])
    @pytest.mark.parametrize("seed", range(12))
    def test_as_few_as_can_be_meet_again_in_a_swiss(self, players: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        met, rests = Counter[Pairing](), Counter[int | None]()
        for _ in range(2 * players):
            ranking = [int(player) for player in rng.permutation(players)]
            resting, pairings = pairings_of_round(ranking, met, rests)
            assert sorted([*itertools.chain(*pairings), *([] if resting is None else [resting])]) == [*range(players)]
            least = min(rests.get(player, 0) for player in ranking)
            choices = [player for player in ranking if rests[player] == least] if players % 2 else [None]
            assert resting in choices
            fewest = min(
                sum(met[as_met(pairing)] for pairing in one)
                for resting in choices
                for one in all_pairings([player for player in ranking if player != resting])
            )
            assert sum(met[as_met(pairing)] for pairing in pairings) == fewest
            assert all(ranking.index(one) < ranking.index(other) for one, other in pairings)
            rests[resting] += 1
            met.update(map(as_met, pairings))

    @pytest.mark.parametrize("players", [3, 5, 7])
    def test_in_a_swiss_of_many_rounds_nobody_sits_out_more_often_until_all_have_as_often(self, players: int) -> None:
        rounds = rounds_of(f"swiss(rounds={3 * players})", players)
        rests = Counter[int]()
        for pairings in rounds:
            (resting,) = set(range(players)) - set(itertools.chain(*pairings))
            assert rests[resting] == min(rests[player] for player in range(players))
            rests[resting] += 1
        assert set(rests.values()) == {3}

    @pytest.mark.parametrize("players", range(2, 18))
    def test_knockout(self, players: int) -> None:
        rounds = rounds_of("knockout", players)
        assert sum(map(len, rounds)) == players - 1 == planned_games("knockout", players, 2) // 2
        assert rounds[-1] == [(0, 1)]  # the highest seeds meet at the end
        lost = [max(pairing) for pairings in rounds for pairing in pairings]
        assert sorted(lost) == list(range(1, players))
        assert {len(pairings) for pairings in rounds[1:]} <= {2**n for n in range(5)}

    def test_a_tie_of_a_knockout_is_played_again_and_at_last_the_higher_seed_goes_on(self) -> None:
        rounds = rounds_of("knockout", 4, lambda one, other: 1.0 if (one, other) == (0, 3) else stronger(one, other))
        assert rounds == [[(0, 3), (1, 2)], *[[(0, 3)]] * 8, [(0, 1)]]

    def test_who_is_withdrawn_does_not_go_on(self) -> None:
        assert rounds_of("knockout", 4, gone={0})[-1] == [(1, 3)]
        assert rounds_of("knockout", 4, gone={0, 3})[1] == [(0, 1)]  # in name only: no game is played
        swiss = rounds_of("swiss", 4, gone={0, 3})
        assert swiss == [[(0, 1), (2, 3)], [(2, 1)]]

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("swis", "unknown format 'swis': did you mean 'swiss'?"),
            ("sprt", "; a test that stops by itself is `plyground sprt`"),
            ("swiss(round=3)", "swiss takes rounds="),
            ("swiss(3)", "swiss takes rounds="),
            ("swiss(rounds=0)", "rounds must be a whole number, at least 1, got 0"),
            ("gauntlet(seeds=3)", "seeds must be a whole number, from 1 to 2, got 3"),
            ("knockout(rounds=3)", "knockout takes no arguments"),
        ],
    )
    def test_formats_that_are_none(self, spec: str, message: str) -> None:
        with pytest.raises(ValueError, match=re.escape(message)):
            tournament("tictactoe", ["random", "minimax(depth=1)", "mcts(simulations=5)"], format=spec)
