"""Ratings over time: a player who improves, one who does not, and the list of a single time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plyground.arena import rating_list
from plyground.arena.ratings.history import ratings_over_time
from tests.arena.test_rating_lists import GAMES, tournament

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
