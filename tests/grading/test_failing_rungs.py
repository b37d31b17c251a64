"""Rungs of a ladder that fail: what they lose says nothing of the player, and they are met no more."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import GameRecord, climb, evaluate
from plyground.arena.grading.anchors import save_anchors
from plyground.arena.grading.failing import LadderError, telling_games
from plyground.arena.grading.placing import iter_place, placing_of
from plyground.arena.ratings import Ratings
from plyground.envs import make_game
from tests.arena.test_rating_lists import game
from tests.helpers.command_line import Run

TICTACTOE = make_game("tictactoe")
PLAYER = "mixture(random, random)"
BAD, STUBBORN = "./rungs.py:Bad", "./rungs.py:stubborn"
LADDER = {BAD: 0.0, "random": 0.0}  # of two that tell as much the first is met


@pytest.fixture(autouse=True)
def rungs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rungs.py").write_text(
        "from plyground.agents.engines import EngineError\n"
        "class Bad:\n"
        "    def act(self, observation, info):\n"
        "        raise EngineError('the program has ended')\n"
        "def stubborn(observation, info):\n"
        "    return 4\n"
    )


def placed(ladder: dict[str, float], after: Sequence[GameRecord] = (), **options: Any) -> list[GameRecord]:
    options = {"games": 24, "width": 1, "seed": 3} | options
    return [record for record, _ in iter_place(PLAYER, TICTACTOE, ladder, after=after, **options)]


class TestPlacing:
    def test_a_rung_that_fails_is_withdrawn_and_gives_no_points(self, caplog: pytest.LogCaptureFixture) -> None:
        """All games were played against it, each a win."""
        with caplog.at_level(logging.WARNING, "plyground"):
            records = placed(LADDER)
        assert [BAD in record.players for record in records] == [True] * 4 + [False] * 20
        assert f"{BAD} has failed in 3 games: this rung is withdrawn" in caplog.text
        placing = placing_of(LADDER, records)
        assert placing.against == {"random": 20}
        assert placing.rating == placing_of({"random": 0.0}, records[4:]).rating
        assert placing.rating is not None
        assert placing.rating.games == 20
        assert placing.rating.low < 0 < placing.rating.high  # as strong as random

    def test_it_goes_on_where_it_was(self) -> None:
        whole = placed(LADDER)
        for done in (1, 3, 4, 7):
            rest = placed(LADDER, whole[:done])
            assert [(one.players, one.seed, one.moves) for one in rest] == [
                (one.players, one.seed, one.moves) for one in whole[done:]
            ]

    @pytest.mark.parametrize("games", [2, 24])
    def test_without_a_rung_that_plays_there_is_no_rating(self, games: int) -> None:
        records: list[GameRecord] = []
        with pytest.raises(LadderError, match=re.escape(f"({BAD} failed: EngineError: the program has ended)")):
            records.extend(record for record, _ in iter_place(PLAYER, TICTACTOE, {BAD: 0.0}, games, 1.0))
        placed_again = iter_place(PLAYER, TICTACTOE, {BAD: 0.0}, games, 1.0)
        played = [next(placed_again)[0] for _ in range(min(games, 4))]
        with pytest.raises(LadderError, match="no rung of the ladder is left"):
            placed({BAD: 0.0}, played, games=games, seed=0)

    def test_the_command_says_so_and_keeps_the_games(self, run: Run) -> None:
        save_anchors(Path("ladder.json"), TICTACTOE, Ratings({BAD: 0.0}, {BAD: 9.0}), 200, 1)
        words = ("rate", PLAYER, "-g", "tictactoe", "--ladder", "ladder.json", "--out", "games.jsonl")
        for more in ((), ("--resume",)):
            assert "no rung of the ladder is left to play against" in " ".join(run(*words, *more, code=2)[1].split())
            assert len(Path("games.jsonl").read_text().splitlines()) == 4

    def test_an_illegal_move_is_no_failure(self) -> None:
        records = placed({STUBBORN: 0.0}, games=8)
        assert {"illegal"} <= {record.ending for record in records} <= {"illegal", "finished"}
        assert placing_of({STUBBORN: 0.0}, records).against == {STUBBORN: 8}

    def test_of_a_pair_both_games_are_left_out(self) -> None:
        pair, other = [game("x", "r", 2), game("r", "x", 1)], [game("x", "r", 2), game("r", "x", 2)]
        assert telling_games([*pair, *other, pair[0]]) == [*pair, *other]
        failing = [replace(record, ending="failed") for record in other]  # of x, and of r
        assert telling_games([*pair, other[0], failing[1], *pair]) == [*pair, *pair]
        assert telling_games([*pair, failing[0], other[1]]) == [*pair, failing[0], other[1]]


class TestClimb:
    def test_its_pairs_count_for_nothing(self) -> None:
        found = climb(PLAYER, TICTACTOE, ["random", BAD], games=8, opening_plies=2)
        assert found is not None
        assert found.complete
        assert [rung.player for rung in found.rungs] == ["random"]
        assert found.rating.games == 8
        assert sum(record.ending == "failed" for record in found.records) == 3

    def test_an_evaluation_keeps_its_marks_and_says_what_happened(self) -> None:
        found = evaluate(PLAYER, TICTACTOE, positions=2, ladder=[BAD], games=4, opening_plies=2)
        assert found.grades is not None
        assert found.ladder is None
        assert not found.stopped
        assert [note for note in found.notes if f"{BAD} failed: EngineError" in note]
        with pytest.raises(LadderError, match="choose other rungs"):
            evaluate(PLAYER, TICTACTOE, positions=0, ladder=[BAD], games=4)
        both = evaluate(PLAYER, TICTACTOE, positions=0, ladder=["random", BAD], games=4, opening_plies=2)
        assert f"against {BAD} only 0 games count: too many errors" in both.notes


class TestSeeds:
    def test_neighbouring_seeds_share_no_game(self) -> None:
        """The second pair of seed 0 was the first of seed 1, but for its opening."""
        seeds = [{record.seed for record in placed({"random": 0.0}, games=8, seed=seed)} for seed in range(3)]
        assert sum(map(len, seeds)) == len(set.union(*seeds)) == 24

    def test_a_placing_that_was_begun_with_sums_goes_on_with_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ladder = {"random": 0.0}
        with monkeypatch.context() as patch:
            patch.setattr("plyground.arena.grading.placing._seeds", lambda done, seed: lambda number: seed + number)
            whole = placed(ladder, games=8, seed=5)
        rest = placed(ladder, whole[:3], games=8, seed=5)
        assert [(one.seed, one.moves) for one in rest] == [(one.seed, one.moves) for one in whole[3:]]
        assert whole[0].seed != placed(ladder, games=2, seed=5)[0].seed
