"""Ratings against players of known ratings: against arithmetic, against matches whose truth is known, and in games."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import make
from plyground.agents.engines import EngineError
from plyground.arena import GameRecord, climb, elo_difference, evaluate, match, pair_scores, rate_against
from plyground.arena.grading.anchors import (
    anchors_of,
    committed_anchors,
    ladder_of,
    measure_anchors,
    ratings_of,
    save_anchors,
)
from plyground.arena.grading.curve import learning_curve
from plyground.arena.grading.ladder import LADDERS, ladder_rungs
from plyground.arena.grading.placing import rungs_at_hand
from plyground.arena.openings import default_opening_plies
from plyground.arena.tournaments.course import MAX_FAILURES
from plyground.envs import make_game
from tests.helpers.programs import installed

FOLDER = Path(__file__).parents[2] / "arena" / "grading" / "data"
GAME = "tictactoe"
RUNGS = ("random", "mcts(simulations=10)", "alphabeta(depth=2)")


def play_all(played: Iterator[GameRecord], total: int) -> list[GameRecord]:
    records = list(played)
    assert len(records) == total
    return records


class Failing:
    """A program that ends in the middle of a game, from some game on."""

    def __init__(self, games: int) -> None:
        self._left = games

    def reset(self, seed: int | None = None) -> None:
        self._left -= 1

    def act(self, observation: Any, info: Any) -> int:
        if self._left < 0:
            raise EngineError("it has ended")
        return int(info["action_mask"].nonzero()[0][0])


def expected(elo: float, other: float) -> float:
    return 1 / (1 + 10 ** ((other - elo) / 400))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("ladder_*.json")), ids=lambda path: path.stem)
def test_rungs_of_the_package_have_its_ratings_however_they_are_written(path: Path) -> None:
    """Those with two arguments, which have a blank between them, were measured anew."""
    game, known = (
        make_game(json.loads(path.read_text())["game"]),
        ladder_of(make_game(path.stem.removeprefix("ladder_"))),
    )
    found, is_new = anchors_of(game, ladder_rungs(list(known)), 2, 0, None, 1, play_all)
    assert found is not None
    assert (list(found.values()), is_new) == (list(known.values()), False)


class TestRateAgainst:
    @pytest.mark.parametrize("pairs", [[2.0, 1.5, 1.0, 0.5], [2.0] * 9, [0.0] * 4, [1.0] * 30])
    def test_of_one_opponent_it_is_the_difference(self, pairs: list[float]) -> None:
        found, other = rate_against({"a": 300}, {"a": pairs}), elo_difference(pairs)
        moved = (other.elo + 300, other.low + 300, other.high + 300, other.score)
        assert found[:4] == pytest.approx(moved)
        assert found.games == other.games

    def test_as_many_points_as_expected(self) -> None:
        # That is what makes the rating the most likely one.
        anchors = {"a": 0.0, "b": 200.0, "c": 900.0}
        pairs = {"a": [2.0, 1.5, 2.0], "b": [1.0, 0.0, 1.5, 2.0], "c": [0.0, 0.5]}
        found = rate_against(anchors, pairs)
        points = sum(map(sum, pairs.values()))
        assert points == pytest.approx(sum(2 * len(own) * expected(found.elo, anchors[n]) for n, own in pairs.items()))
        assert found.score == pytest.approx(points / 18)
        assert found.low < found.elo < found.high

    def test_all_won_and_all_lost(self) -> None:
        won = rate_against({"a": 0, "b": 500}, {"a": [2.0] * 20, "b": [2.0] * 20})
        assert (won.elo, won.high) == (math.inf, math.inf)
        assert 500 < won.low < 1200
        lost = rate_against({"a": 0, "b": 500}, {"a": [0.0] * 20, "b": [0.0] * 20})
        assert (lost.elo, lost.low) == (-math.inf, -math.inf)
        assert -700 < lost.high < 0

    @pytest.mark.slow
    def test_95_of_100_intervals_hold_the_truth(self) -> None:
        rng, truth, held = np.random.default_rng(2), 640.0, 0
        anchors = {"random": 0.0, "a": 450.0, "b": 700.0, "c": 900.0}
        for _ in range(600):
            pairs = {}
            for name, elo in anchors.items():
                chance = expected(truth, elo)
                pairs[name] = (rng.random((20, 2)) < chance).sum(axis=1).astype(float).tolist()
            found = rate_against(anchors, pairs)
            held += found.low <= truth <= found.high
        assert 0.93 < held / 600 < 0.995

    def test_results_that_no_rating_explains_widen_the_interval(self) -> None:
        anchors = {"a": 0.0, "b": 600.0}
        even = rate_against(anchors, {"a": [2.0] * 20, "b": [1.0] * 20})
        strange = rate_against(anchors, {"a": [1.0] * 20, "b": [2.0] * 20})
        assert even.score == strange.score
        assert strange.high - strange.low > 1.5 * (even.high - even.low)

    @pytest.mark.parametrize(
        ("anchors", "pairs", "message"),
        [
            ({"a": 0}, {}, "no pairs"),
            ({"a": 0}, {"b": [1.0]}, "no rating of b"),
            ({"a": math.inf}, {"a": [1.0]}, "must be finite"),
            ({"a": 0}, {"a": [2.5]}, "from 0 to 2"),
        ],
    )
    def test_bad_arguments(self, anchors: Any, pairs: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            rate_against(anchors, pairs)

    def test_bad_confidence(self) -> None:
        with pytest.raises(ValueError, match="between 0 and 1, got 1"):
            rate_against({"a": 0}, {"a": [1.0]}, 1)


class TestAnchors:
    def test_committed_are_of_all_ladders(self) -> None:
        game = make_game("connect_four")
        known = committed_anchors(game)
        for name, rungs in LADDERS.items():
            assert set(rungs) <= set(known), name
            for rung in rungs:
                make(rung, game)
        assert known["random"] == 0 == min(known.values())
        assert known["alphabeta(depth=1)"] < known["alphabeta(depth=4)"] < known["alphabeta(depth=8)"]
        assert known["mcts(simulations=100)"] < known["mcts(simulations=1000)"] < known["mcts(simulations=10000)"]
        rungs = LADDERS["quick"]
        found, measured_now = anchors_of(game, rungs, 2, 0, None, 1, play_all)  # nothing is played
        assert (found, measured_now) == ({rung: known[rung] for rung in rungs}, False)
        plies = default_opening_plies(game)  # those of the games in which they were measured
        assert anchors_of(game, rungs, 2, 0, plies, 1, play_all) == (found, measured_now)
        for rungs in LADDERS.values():
            assert all(known[one] < known[other] + 30 for one, other in pairwise(rungs))

    def test_another_game_of_that_name_has_none(self) -> None:
        """Its rungs play with its weights, and were rated as if with the package's."""
        game = make_game("othello")
        assert committed_anchors(game)
        assert committed_anchors(game.with_weights(mobility=0.0)) == {}
        with pytest.raises(ValueError, match=r"no ladder of othello comes with the package: .* their own rules and"):
            ladder_of(game.with_weights(mobility=0.0))

    @pytest.mark.parametrize("path", sorted(FOLDER.glob("ladder_*.json")), ids=lambda path: path.stem)
    def test_committed_are_of_players_that_there_are(self, path: Path) -> None:
        about = json.loads(path.read_text())
        game = make_game(about["game"])
        assert path.name == f"ladder_{game.spec}.json"
        assert ladder_of(game) == about["elo"]
        assert about["elo"]["random"] == 0 == min(about["elo"].values())
        assert about["elo"].keys() == about["standard errors"].keys()
        _, lacking = rungs_at_hand(about["elo"], game)
        is_there = installed("gnugo") is not None
        assert set(lacking) == {rung for rung in about["elo"] if rung.startswith("gnugo") and not is_there}

    def test_measured(self, tmp_path: Path) -> None:
        game = make_game(GAME)
        found = measure_anchors(game, RUNGS, 20, watch=play_all)
        assert found is not None
        assert found.elo["random"] == 0
        assert found.elo["random"] < found.elo["mcts(simulations=10)"] < found.elo["alphabeta(depth=2)"]
        path = tmp_path / "ladder.json"
        save_anchors(path, game, found, 20, 0)
        assert json.loads(path.read_text())["elo"] == pytest.approx(dict(found.elo), abs=0.06)

    def test_one_rung_and_a_measurement_that_is_stopped(self) -> None:
        game = make_game(GAME)
        assert committed_anchors(make_game("mnk(m=4, n=4, k=4)")) == {}
        assert anchors_of(make_game("mnk(m=4, n=4, k=4)"), ("random",), 2, 0, None, 1, play_all) == (
            {"random": 0.0},
            True,
        )
        assert anchors_of(game, RUNGS, 2, 0, None, 1, lambda played, _: list(islice(played, 3))) == (None, True)


class TestClimb:
    def test_scores_are_those_of_matches(self) -> None:
        found = climb("alphabeta(depth=1)", GAME, RUNGS, games=10, seed=3)
        assert found is not None
        assert (found.complete, found.measured_now) == (True, True)
        assert len(found.records) == 30
        for rung in found.rungs:
            records = match(GAME, ["alphabeta(depth=1)", rung.player], 10, 3)
            assert rung.result == elo_difference(pair_scores(records))
            assert rung.wins + rung.draws / 2 == pytest.approx(10 * rung.result.score)
            assert rung.wins + rung.draws + rung.losses == 10
        anchors = {rung.player: rung.elo for rung in found.rungs}
        pairs = {rung: pair_scores(found.records[10 * i : 10 * i + 10]) for i, rung in enumerate(RUNGS)}
        assert found.rating == rate_against(anchors, pairs)

    def test_a_curve_measures_the_rungs_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each checkpoint measured them anew, in as many games."""
        (tmp_path / "checkpoints").mkdir()
        for steps in (1, 2, 3):
            (tmp_path / "checkpoints" / f"step_{steps}.zip").touch()
        monkeypatch.setattr("plyground.arena.grading.curve.player_of", lambda path: "random")
        options: dict[str, Any] = {"positions": 0, "ladder": RUNGS[:2], "games": 2, "opening_plies": 1}
        played = list[int]()

        def watch(games: Any, total: int) -> Any:
            played.append(total)
            return list(games)

        found = [point.found for point in learning_curve(tmp_path, GAME, **options, watch_games=watch)]
        assert played == [2, 4, 4, 4]  # of the rungs, and of each checkpoint
        first, *others = [one.ladder for one in found]
        assert first is not None
        assert first.measured_now
        assert [one and [(rung.player, rung.elo) for rung in one.rungs] for one in others] == [
            [(rung.player, rung.elo) for rung in first.rungs]
        ] * 2

    def test_the_same_for_any_number_of_processes(self) -> None:
        one, two = (climb("mcts(simulations=5)", GAME, RUNGS[:2], games=6, seed=1, jobs=jobs) for jobs in (1, 2))
        assert one is not None
        assert two is not None
        assert [record.moves for record in one.records] == [record.moves for record in two.records]
        assert one.rungs == two.rungs
        assert one.rating == two.rating

    def test_stopped(self) -> None:
        def first_15(played: Any, total: int) -> Any:
            return list(islice(played, 15) if total == 20 else played)  # 30 are of the anchors

        found = climb("alphabeta(depth=1)", GAME, ("random", "mcts(simulations=10)"), 10, watch=first_15)
        assert found is not None
        assert not found.complete
        assert [rung.result.games for rung in found.rungs] == [10, 4]  # the last game has no counterpart
        assert climb("random", GAME, ("random",), 10, watch=lambda played, _: list(islice(played, 1))) is None

    def test_against_itself(self) -> None:
        found = climb("random", GAME, ["random"], games=4)
        assert found is not None
        assert found.records[0].players == ["random#1", "random#2"]

    def test_a_player_that_fails_is_withdrawn_from_each_match(self) -> None:
        # Its match with a rung then has fewer games, and those with the next are not taken for the rest.
        found = climb(Failing(9), GAME, RUNGS, games=6)
        assert found is not None
        assert found.complete
        assert [rung.result.games for rung in found.rungs] == [6, 6, 2]  # of the last three games, one has no other
        assert [record.ending for record in found.records] == ["finished"] * 9 + ["failed"] * 6
        assert {record.players[0] for record in found.records[-3:]} == {"Failing", RUNGS[2]}
        grades = evaluate(Failing(0), GAME, positions=0, ladder=["random"], games=4, name="it")
        assert not grades.stopped
        assert grades.notes[-1] == "against random only 2 of 4 games count, because of errors"

    def test_a_rung_that_fails_in_some_games_has_a_rating(self) -> None:
        rungs = ("random", "alphabeta(depth=1)")
        whole: list[GameRecord] = []

        def failing(played: Iterator[GameRecord], total: int) -> list[GameRecord]:
            whole.extend(islice(played, 4))
            lost = [replace(one, ending="failed", outcome=[-1.0, 1.0]) for one in played]  # by whoever began
            return whole + lost[: 2 * MAX_FAILURES - 1]

        found = measure_anchors(make_game(GAME), rungs, 20, watch=failing)
        assert found is not None
        assert found == ratings_of(rungs, whole)
        assert found.elo[rungs[1]] > 0

    def test_ladders(self) -> None:
        assert len(ladder_rungs("full")) == 13
        assert set(ladder_rungs("quick")) < set(ladder_rungs(["full"]))
        assert ladder_rungs("none") == ladder_rungs([]) == ()
        assert climb("random", GAME, "none") is None
        assert ladder_rungs("alphabeta(depth = 2)") == ("alphabeta(depth=2)",)
        with pytest.raises(ValueError, match="must be different, got random, random"):
            ladder_rungs(["random", "random"])
        with pytest.raises(ValueError, match="unknown agent 'randon'"):
            climb("random", GAME, ["randon"])


@pytest.mark.parametrize(
    ("game", "rungs", "said"),
    [
        ("tictactoe", ["mcts(simulations=10)"], "those that come with the package, with random at 0"),
        ("mnk", ["minimax(depth=1)", "random"], "measured now, with random at 0"),
        ("mnk", ["minimax(depth=1)", "minimax(depth=2)"], "measured now, with minimax(depth=1) at 0"),
    ],
)
def test_which_rung_is_rated_0(run: Any, game: str, rungs: list[str], said: str) -> None:
    """The weakest was said to be, whoever it was."""
    ladder = [option for rung in rungs for option in ("--ladder", rung)]
    assert said in run("evaluate", "random", "--game", game, "--positions", "0", "--games", "2", *ladder)[0]


def test_the_ladder_measured_is_the_rating_by_all_its_games() -> None:
    records: list[GameRecord] = []

    def kept(played: Iterator[GameRecord], total: int) -> list[GameRecord]:
        records.extend(play_all(played, total))
        return records

    assert measure_anchors(make_game(GAME), RUNGS, 4, watch=kept) == ratings_of(RUNGS, records)
    assert len(records) == 12
