"""Rungs of a ladder that fail: what they lose says nothing of the player, and they are met no more."""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.arena import GameRecord, climb, evaluate
from plyground.arena.grading.anchors import ratings_of, save_anchors
from plyground.arena.grading.failing import LadderError, telling_games
from plyground.arena.grading.placing import iter_place, placing_of
from plyground.arena.ratings import Ratings
from plyground.envs import make_game
from tests.arena.test_rating_lists import always, game
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

    def test_a_rating_stays_where_the_last_rung_fails_after_it(
        self, run: Run, caplog: pytest.LogCaptureFixture
    ) -> None:
        """An error threw it away."""
        Path("rungs.py").write_text(
            "from plyground.agents.engines import EngineError\n"
            "class Bad:\n"
            "    games = 0\n"
            "    def reset(self, seed=None):\n"
            "        self.games += 1\n"
            "    def act(self, observation, info):\n"
            "        if self.games > 6:\n"
            "            raise EngineError('the program has ended')\n"
            "        return int(info['action_mask'].nonzero()[0][0])\n"
        )
        with caplog.at_level(logging.WARNING, "plyground"):
            records = placed({BAD: 0.0})
        assert [record.ending for record in records] == ["finished"] * 6 + ["failed"] * 4
        assert f"no rung is left, after failures of {BAD}: the rating is by the games before" in caplog.text
        save_anchors(Path("ladder.json"), TICTACTOE, Ratings({BAD: 0.0}, {BAD: 9.0}), 200, 1)
        words = ("rate", PLAYER, "-g", "tictactoe", "--ladder", "ladder.json", "--out", "games.jsonl", "--json")
        for more in ((), ("--resume",)):
            assert json.loads(run(*words, *more)[0])["against"] == {BAD: 6}

    def test_the_command_says_so_and_keeps_the_games(self, run: Run) -> None:
        save_anchors(Path("ladder.json"), TICTACTOE, Ratings({BAD: 0.0}, {BAD: 9.0}), 200, 1)
        words = ("rate", PLAYER, "-g", "tictactoe", "--ladder", "ladder.json", "--out", "games.jsonl")
        for more in ((), ("--resume",)):
            said = " ".join(run(*words, *more, code=2)[1].split())
            assert "no rung of the ladder is left to play against" in said
            assert "mend them, or choose other rungs, and begin a new file" in said
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
        assert telling_games([*pair, failing[0], other[1]], both=True) == pair

    def test_matches_of_odd_numbers_of_games_hide_no_failure(self) -> None:
        """Each has pairs of its own: a player who fails too often leaves before the last game."""
        alone, pair = game("x", "q", 2), [game("x", "r", 2), game("r", "x", 2)]
        assert telling_games([alone, pair[0], replace(pair[1], ending="failed")]) == []
        assert telling_games([alone, *pair]) == pair


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings of these rungs, so that no game of a rung that fails is needed to measure them."""
    monkeypatch.setattr("plyground.arena.grading.anchors.committed_anchors", lambda game: LADDER)


@pytest.mark.usefixtures("known")
class TestClimb:
    def test_its_pairs_count_for_nothing(self) -> None:
        found = climb(PLAYER, TICTACTOE, ["random", BAD], games=8)
        assert found is not None
        assert found.complete
        assert [rung.player for rung in found.rungs] == ["random"]
        assert found.rating.games == 8
        assert sum(record.ending == "failed" for record in found.records) == 3

    def test_an_evaluation_keeps_its_marks_and_says_what_happened(self) -> None:
        found = evaluate(PLAYER, TICTACTOE, positions=2, ladder=[BAD], games=4)
        assert found.grades is not None
        assert found.ladder is None
        assert not found.stopped
        assert [note for note in found.notes if f"{BAD} failed: EngineError" in note]
        with pytest.raises(LadderError, match="choose other rungs"):
            evaluate(PLAYER, TICTACTOE, positions=0, ladder=[BAD], games=4)
        both = evaluate(PLAYER, TICTACTOE, positions=0, ladder=["random", BAD], games=4)
        assert f"against {BAD} only 0 of 4 games count, because of errors" in both.notes

    def test_values_are_not_held_against_what_failures_brought(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def zeros(agent: Any, game: Any, positions: list[Any]) -> Any:
            return np.zeros(len(positions))

        monkeypatch.setattr("plyground.arena.grading.evaluation.has_head", lambda agent, game: True)
        monkeypatch.setattr("plyground.arena.grading.evaluation.head_values", zeros)
        found = evaluate(PLAYER, TICTACTOE, positions=0, ladder=[BAD, "random"], games=4)
        assert found.ladder is not None
        assert found.outcomes is not None
        own = [record for record in found.ladder.records if BAD not in record.players]
        assert found.outcomes.positions == sum(one.movers.count(one.players.index(found.player)) for one in own)


class TestMeasuring:
    RUNGS = ("a", "b", "c")

    def games(self, *failing: str) -> list[GameRecord]:
        """Return four pairs of each pairing, all drawn but for the last of some pairings, which one has failed in."""
        records = []
        for one, other in itertools.combinations(self.RUNGS, 2):
            for opening in range(4):
                is_last = opening == 3 and {one, other} & set(failing)
                two = [game(one, other, 1, opening), game(other, one, 1, opening)]
                if is_last:
                    two[0] = replace(two[0], ending="failed", outcome=[-1.0, 1.0], reason="EngineError: ended")
                records += two
        return records

    def test_failures_are_no_wins(self) -> None:
        found = ratings_of(self.RUNGS, self.games("a"))
        assert list(found.elo.values()) == pytest.approx([0, 0, 0], abs=1e-6)
        assert found.errors["b"] < found.errors["a"]  # b and c have two games more

    def test_a_rung_of_which_nothing_is_known_is_named(self) -> None:
        records = self.games()
        bad = [replace(one, ending="failed", outcome=[1.0, -1.0]) if "b" in one.players else one for one in records]
        with pytest.raises(LadderError, match=r"cannot measure b: a rung failed in each pair .*choose other rungs"):
            ratings_of(self.RUNGS, bad)
        apart = [*always("a", "b", 1, 2), *always("c", "d", 1, 2)]
        with pytest.raises(LadderError, match="cannot measure the ladder: too many pairs of games had a failure"):
            ratings_of(("a", "b", "c", "d"), apart)
        with pytest.raises(LadderError, match=re.escape(f"cannot measure random, {BAD}: a rung failed")):
            climb(PLAYER, TICTACTOE, ["random", BAD], games=4)


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
