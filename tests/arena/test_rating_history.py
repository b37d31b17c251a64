"""Ratings over time: a player who improves, one who does not, and the list of a single time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plyground.arena import GameRecord, rating_list
from plyground.arena.ratings import games_by_step, ratings_over_time
from tests.arena.test_rating_lists import GAMES, game, tournament

pytest.importorskip("whr")


def test_of_one_time_it_is_the_list() -> None:
    found = {name: days[0] for name, days in ratings_over_time({3: GAMES}).items()}
    expected = rating_list(GAMES)
    mean = np.mean([one.elo for one in found.values()])
    for one in expected.ratings:
        assert found[one.name].time == 3
        assert found[one.name].elo - mean == pytest.approx(one.elo, abs=12)  # it adds a little to the games, too


def test_a_player_who_improves() -> None:
    truth = {time: {"learner": 60.0 * time, "rung": 100.0, "other": 0.0} for time in range(6)}
    records = {time: tournament(elo, 12, time) for time, elo in truth.items()}
    found = ratings_over_time(records, drift=2000.0)
    learner = found["learner"]
    assert [day.time for day in learner] == list(range(6))
    leads = [day.elo - other.elo for day, other in zip(learner, found["other"], strict=True)]
    for time, lead in enumerate(leads):
        assert lead == pytest.approx(60 * time, abs=110)
    assert leads[-1] - leads[0] > 150
    assert 10 < learner[2].error < 60
    # Each time alone, a rating jumps about more than all times together say.
    alone = []
    for played in records.values():
        elo = {one.name: one.elo for one in rating_list(played).ratings}
        alone.append(elo["learner"] - elo["other"])
    assert np.std(np.diff(leads)) < np.std(np.diff(alone))


def test_the_unit_of_time_is_that_of_the_games() -> None:
    """With steps of training as times nothing was smoothed: strength might change by thousands of Elo in between."""
    records = {time: tournament({"a": 20.0 * time, "b": 0.0}, 4, time) for time in range(4)}
    ages = ratings_over_time({100_000 * time: played for time, played in records.items()})
    for name, days in ratings_over_time(records).items():
        assert [day.elo for day in ages[name]] == pytest.approx([day.elo for day in days], abs=0.5)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="no games"):
        ratings_over_time({})
    with pytest.raises(ValueError, match="drift must be a number above 0"):
        ratings_over_time({0: GAMES}, drift=0)
    with pytest.raises(ValueError, match="times must be finite"):
        ratings_over_time({math.nan: GAMES})
    apart = {0: [game("a", "b", 0), game("b", "a", 0)], 1: [game("c", "d", 1), game("d", "c", 1)]}
    with pytest.raises(ValueError, match=r"never met: a, b; c, d: play games between them, or rate each alone$"):
        ratings_over_time(apart)


def test_what_the_first_move_is_worth_must_be_told_apart_from_strength() -> None:
    """A warning of the library said so, and the ratings were whatever they were."""
    one_sided = {time: [game("a", "b", number % 3) for number in range(12)] for time in range(2)}
    with pytest.raises(ValueError, match=r"nearly always move first, or second: .*first_move=False"):
        ratings_over_time(one_sided)
    assert len(ratings_over_time(one_sided, first_move=False)["a"]) == 2


def test_checkpoints_of_a_run_are_one_player() -> None:
    def named(one: str, other: str) -> GameRecord:
        return game(one, other, 0)

    early, late = "policy('runs/step_7/step_000100.zip')", "policy('runs/step_7/step_002000.zip')"
    records = [
        named("random", early),
        named(late, "random"),
        named(late, "step_2000"),  # of another run
        named(early, late),
        named("random", "footstep_9"),
        named("random", "minimax"),
    ]
    games, left = games_by_step(records)
    assert left == 3
    assert {step: [one.players for one in played] for step, played in games.items()} == {
        100: [["random", "policy('runs/step_7/step_*.zip')"]],
        2000: [["policy('runs/step_7/step_*.zip')", "random"], ["policy('runs/step_7/step_*.zip')", "step_*"]],
    }
