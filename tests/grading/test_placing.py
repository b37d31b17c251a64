"""Placing a player on a ladder: where it plays, when it stops, and how it goes on."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
import re
import shutil
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import Random
from plyground.agents.engines.process import EngineError
from plyground.arena import GameRecord, rate_against
from plyground.arena.grading.anchors import ladder_of, save_anchors
from plyground.arena.grading.placing import iter_place, most_telling, placing_of, rungs_at_hand
from plyground.arena.ratings import Difference, Ratings
from plyground.arena.store import check_store, tournaments_in
from plyground.envs import Game, make_game
from tests.arena.test_rating_lists import game
from tests.helpers.command_line import Run

LADDER = {"random": 0.0, "mixture(random, minimax)": 200.0, "minimax": 600.0}
TICTACTOE = make_game("tictactoe")
PLAYER = "mixture(random, random)"


def rating(low: float, high: float) -> Difference:
    return Difference((low + high) / 2, low, high, 0.5, 20)


class TestMostTelling:
    def test_the_rung_at_the_rating(self) -> None:
        ladder = {"a": 0.0, "b": 400.0, "c": 800.0}
        assert most_telling(ladder, rating(700, 900)) == "c"
        assert most_telling(ladder, rating(350, 500)) == "b"
        assert most_telling(ladder, rating(-math.inf, 50)) == "a"
        assert most_telling(ladder, None) == "b"  # nothing is known: the middle

    def test_games_against_it_scatter_the_rating_the_least(self) -> None:
        # A player of 200 Elo plays 40 pairs against one rung alone, many times: how far are its ratings apart?
        rng, ladder, scatter = np.random.default_rng(1), {"a": -150.0, "b": 150.0, "c": 500.0}, {}
        for rung, elo in ladder.items():
            share = 1 / (1 + 10 ** ((elo - 200) / 400))
            found = [rate_against(ladder, {rung: rng.binomial(2, share, 40).tolist()}).elo for _ in range(100)]
            scatter[rung] = np.std(found)
        assert most_telling(ladder, rating(150, 250)) == min(scatter, key=lambda rung: scatter[rung]) == "b"


class TestPlace:
    def test_it_plays_until_the_interval_is_narrow(self) -> None:
        played = list(iter_place(PLAYER, TICTACTOE, LADDER, games=200, width=120, seed=1))
        records, placing = [record for record, _ in played], played[-1][1]
        assert 20 <= len(records) < 200
        assert placing.width <= 120
        assert all(one.width > 120 for _, one in played[20:-2])
        assert placing.rating == placing_of(LADDER, records).rating
        assert placing.rating is not None
        assert placing.rating.low < 60  # as strong as random
        assert sum(placing.against.values()) == len(records)
        openings = [tuple(record.moves[: record.opening]) for record in records]
        assert openings[::2] == openings[1::2]

    def test_the_budget_ends_it_and_it_goes_on_where_it_was(self) -> None:
        whole = [record for record, _ in iter_place(PLAYER, TICTACTOE, LADDER, games=30, width=1, seed=2)]
        assert len(whole) == 30
        for done in (7, 12):
            rest = iter_place(PLAYER, TICTACTOE, LADDER, games=30, width=1, seed=2, after=whole[:done])
            assert [(one.players, one.moves) for one, _ in rest] == [(one.players, one.moves) for one in whole[done:]]

    def test_half_a_pair_is_finished_against_the_rung_that_it_met(self) -> None:
        """Where the interval or the ladder had changed, another rung was chosen, and the game refused."""
        whole = [record for record, _ in iter_place(PLAYER, TICTACTOE, LADDER, games=8, width=1, seed=2)]
        other = {rung: 3000 - 2 * elo for rung, elo in LADDER.items()}
        for done in (3, 5, 7):
            more = {"games": done + 1, "width": 1, "seed": 2, "after": whole[:done]}
            for ladder, confidence in ((LADDER, 0.1), (other, 0.95)):
                ((record, _),) = iter_place(PLAYER, TICTACTOE, ladder, confidence=confidence, **more)
                assert record.players == whole[done].players

    def test_a_program_that_fails_in_three_games_is_withdrawn(self, caplog: pytest.LogCaptureFixture) -> None:
        class Broken(Random):
            def act(self, observation: Any, info: Any = None) -> int:
                raise EngineError("the program has ended")

        def placed(after: Sequence[GameRecord] = ()) -> list[GameRecord]:
            played = iter_place(Broken(), TICTACTOE, LADDER, games=40, width=1, seed=1, name="x", after=after)
            return [record for record, _ in played]

        with caplog.at_level(logging.WARNING, "plyground"):
            records = placed()
        assert [record.ending for record in records] == ["failed"] * 4  # the third, and its counterpart
        assert "x has failed too often: it is withdrawn" in caplog.text
        assert len(placed(records[:3])) == 1
        assert placed(records) == []

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"seed": 7}, r"game 1 is of another placing: its seed is \d+, expected \d+; go on with the seed"),
            ({"opening_plies": 1}, r"game 1 is of another placing: its opening is \[\d, .*\], expected \[\d\]; go on"),
            ({"name": "another"}, "game 1 is tictactoe, .*: expected tictactoe, another against a rung"),
        ],
    )
    def test_games_of_another_placing_are_refused(self, options: dict[str, Any], message: str) -> None:
        done = [record for record, _ in iter_place(PLAYER, TICTACTOE, LADDER, games=4, width=1, seed=2)]
        with pytest.raises(ValueError, match=message):
            iter_place(PLAYER, TICTACTOE, LADDER, **({"games": 8, "seed": 2, "after": done} | options))
        third = dataclasses.replace(done[2], seed=done[0].seed)
        with pytest.raises(ValueError, match="game 3 is of another placing: its seed is"):
            iter_place(PLAYER, TICTACTOE, LADDER, games=8, seed=2, after=[*done[:2], third, done[3]])
        assert list(iter_place(PLAYER, TICTACTOE, LADDER, games=4, width=1, seed=2, after=done)) == []

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"games": 3}, "games must be even, to play every opening from both sides, got 3"),
            ({"games": 0}, "games must be a whole number, at least 2, got 0"),
            ({"width": 0}, "width must be above 0 Elo, got 0"),
            ({"ladder": {}}, "the ladder of tictactoe has no rungs"),
            ({"after": [game("a", "b", 0)]}, "game 1 is g, a v b: expected tictactoe"),
        ],
    )
    def test_bad_arguments(self, options: dict[str, Any], message: str) -> None:
        with_ladder: dict[str, Any] = {"ladder": LADDER}
        with pytest.raises(ValueError, match=message):
            iter_place(PLAYER, TICTACTOE, **(with_ladder | options))


class TestLadders:
    def test_of_the_package_and_of_a_file(self, tmp_path: Path) -> None:
        assert ladder_of(make_game("connect_four"))["random"] == 0
        with pytest.raises(
            ValueError, match=r"no ladder of mnk\(m=4, n=4, k=4\) comes .* those of checkers, chess, connect_four"
        ) as told:
            ladder_of(make_game("mnk(m=4, n=4, k=4)"))
        assert "benchmarks" not in str(told.value)  # which only the repository has
        assert "`plyground evaluate PLAYER --game 'mnk(m=4, n=4, k=4)' --ladder random --ladder 'mcts" in str(
            told.value
        )
        path = tmp_path / "ladder.json"
        save_anchors(path, TICTACTOE, Ratings(LADDER, dict.fromkeys(LADDER, 9.0)), 200, 1)
        assert ladder_of(TICTACTOE, path) == LADDER
        with pytest.raises(ValueError, match="is the ladder of tictactoe, not of othello"):
            ladder_of(make_game("othello"), path)
        path.write_text("[]")
        with pytest.raises(ValueError, match=r"is no ladder: expected JSON, as in {.game.: .tictactoe., .elo.: {"):
            ladder_of(TICTACTOE, path)

    @pytest.mark.parametrize(
        ("elo", "said"),
        [
            (
                '{"random": 0, "minimax": 1e999}',
                "ladder.json: the rung 'minimax' has the rating inf, expected a finite",
            ),
            ('{"minimax": NaN}', "the rung 'minimax' has the rating nan"),
            ('{"minimax": -Infinity}', "the rung 'minimax' has the rating -inf"),
            ('{"random": true}', "the rung 'random' has the rating True"),
            ('{"random": "0"}', "the rung 'random' has the rating '0'"),
            ('{"random": 0, "random ": 900}', "ladder.json: the rung 'random' stands there twice"),
            ('{"random": 0, "random": 900}', "the rung 'random' stands there twice"),
            ('{"minimax(depth=1)": 0, "minimax( depth = 1 )": 900}', "the rung 'minimax(depth=1)' stands there twice"),
            ('[["random", 0]]', "ladder.json is no ladder"),
        ],
    )
    def test_each_rung_of_a_file_has_one_rating(self, elo: str, said: str, tmp_path: Path) -> None:
        """One of infinity was played against, and ``true`` was an Elo of 1."""
        path = tmp_path / "ladder.json"
        path.write_text(f'{{"game": "tictactoe", "elo": {elo}}}')
        with pytest.raises(ValueError, match=re.escape(said)):
            ladder_of(TICTACTOE, path)

    def test_rungs_that_need_a_program_that_is_missing_are_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game, ladder = make_game("go(board_size=5)"), {"random": 0.0, "gnugo(level=1)": 500.0}
        monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
        here, lacking = rungs_at_hand(ladder, game)
        assert here == {"random": 0.0}
        assert "apt-get install gnugo" in lacking["gnugo(level=1)"]
        with pytest.raises(ValueError, match="did you mean 'random'"):
            rungs_at_hand({"randm": 0.0}, game)


class TestCommand:
    def test_rate(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        ladder, games = tmp_path / "ladder.json", tmp_path / "games.jsonl"
        save_anchors(ladder, TICTACTOE, Ratings(LADDER, dict.fromkeys(LADDER, 9.0)), 200, 1)
        words = ("rate", PLAYER, "-g", "tictactoe", "--ladder", str(ladder), "--games", "24", "--width", "1")
        whole = json.loads(run(*words, "--json")[0])
        assert whole["games"] == 24
        assert whole["low"] < whole["elo"] < whole["high"]
        run(*words, "--out", str(games))
        lines = games.read_text().splitlines()
        games.write_text("\n".join(lines[:9]) + "\n")  # as if stopped in the middle of a pair
        assert "go on with them by --resume" in run(*words, "--out", str(games), code=2)[1]
        assert json.loads(run(*words, "--out", str(games), "--resume", "--json")[0]) == whole
        out, _ = run(*words, "--out", str(games), "--resume")
        assert f"▶ {PLAYER}" in out
        assert "on the ladder of tictactoe" in out

    def test_a_store_keeps_what_it_has_and_each_rating_is_a_collection(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        save_anchors(Path("ladder.json"), TICTACTOE, Ratings(LADDER, dict.fromkeys(LADDER, 9.0)), 200, 1)
        run("match", "random", "minimax", "-g", "tictactoe", "--games", "2", "--out", "games.db")
        words = ("rate", PLAYER, "-g", "tictactoe", "--ladder", "ladder.json", "--width", "1", "--json", "--games")
        whole = json.loads(run(*words, "6")[0])
        for out in ("games.db", "games.db#mine", "new.db#mine"):
            assert json.loads(run(*words, "4", "--out", out)[0])["games"] == 4
            assert "has 4 games already" in run(*words, "6", "--out", out, code=2)[1]
            for _ in range(2):  # the second time there is nothing left to play
                assert json.loads(run(*words, "6", "--out", out, "--resume")[0]) == whole
        title = f"rate {PLAYER} on tictactoe, seed 0"
        assert [(one.title, one.games) for one in tournaments_in("games.db")][1:] == [(title, 6), ("mine", 6)]
        assert check_store("games.db") == 14
        Path("lines.db").write_text("no store")
        assert "lines.db" in run(*words, "6", "--out", "lines.db", "--resume", code=2)[1]
        assert Path("lines.db").read_text() == "no store"

    def test_a_player_by_its_place(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        save_anchors(Path("ladder.json"), TICTACTOE, Ratings(LADDER, dict.fromkeys(LADDER, 9.0)), 200, 1)
        Path("rated_here.py").write_text("def first(observation, info):\n    return info['action_mask'].argmax()\n")
        words = ("-g", "tictactoe", "--ladder", "ladder.json", "--games", "2", "--json")
        for player in ("./rated_here.py:first", "rated_here:first"):
            assert json.loads(run("rate", player, *words)[0])["player"] == player
        assert "did you mean 'first'?" in run("rate", "./rated_here.py:frist", *words, code=2)[1]
        assert "as in './rated_here.py:rated_here'" in run("rate", "./rated_here.py", *words, code=2)[1]
        point = EntryPoint("early", "rated_here:first", "plyground.agents")
        monkeypatch.setattr("plyground.agents.registry.installed", lambda group: {"early": point})
        assert json.loads(run("rate", "early", *words)[0])["player"] == "early"

    def test_ctrl_c_keeps_what_is_done(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from plyground.arena.grading import placing

        ladder = tmp_path / "ladder.json"
        save_anchors(ladder, TICTACTOE, Ratings(LADDER, dict.fromkeys(LADDER, 9.0)), 200, 1)
        real = placing._played

        def stopped(*arguments: Any) -> Any:
            for number, one in enumerate(real(*arguments)):
                if number == 6:
                    raise KeyboardInterrupt
                yield one

        monkeypatch.setattr(placing, "_played", stopped)
        out, err = run("rate", PLAYER, "-g", "tictactoe", "--ladder", str(ladder), "--json", code=130)
        assert json.loads(out)["games"] == 6
        assert "stopped after 6 games" in err

    def test_tells_who_lost_by_illegal_moves(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It gave a broken player a rating, and said nothing else."""
        monkeypatch.chdir(tmp_path)
        save_anchors(Path("ladder.json"), TICTACTOE, Ratings(LADDER, dict.fromkeys(LADDER, 9.0)), 200, 1)
        Path("stubborn.py").write_text("def four(observation, info):\n    return 4\n")
        words = ("rate", "./stubborn.py:four", "-g", "tictactoe", "--ladder", "ladder.json", "--out", "games.jsonl")
        first, second = (run(*words, *more)[1] for more in (("--games", "2"), ("--games", "4", "--resume")))
        assert "./stubborn.py:four lost 2 games by illegal moves" in first
        assert "./stubborn.py:four lost 4 games by illegal moves" in second  # those before, too

    def test_without_a_ladder(self, run: Run) -> None:
        words = ("rate", "random", "-g", "mnk(m=4, n=4, k=4)")
        assert "k=4) comes with the package" in " ".join(run(*words, code=2)[1].split())

    def test_a_confidence_that_is_none_is_refused_before_a_game(self, run: Run, tmp_path: Path) -> None:
        out = tmp_path / "games.jsonl"
        words = ("rate", "random", "-g", "tictactoe", "--out", str(out), "--confidence")
        assert "confidence must be between 0 and 1, got 95.0" in run(*words, "95", code=2)[1]
        assert not out.exists()

    def test_other_openings_than_those_of_the_ladder(self, run: Run) -> None:
        words = ("rate", "random", "-g", "tictactoe", "--games", "2", "--confidence", "0.5")
        out, err = run(*words, "--opening-plies", "0")
        assert "were rated in games that opened with" in err
        assert "The interval is of 50 %" in out
        assert "were rated" not in run(*words)[1]

    def test_a_run_is_rated_in_its_own_game(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It was taken for a model of Connect Four, and refused."""

        def asked(game: Game, path: Path | None) -> dict[str, float]:
            raise ValueError(f"asked for {game.spec}")

        monkeypatch.setattr("plyground.arena.grading.anchors.ladder_of", asked)
        (tmp_path / "config.json").write_text('{"game": "tictactoe"}')
        (tmp_path / "model.zip").touch()
        assert "asked for tictactoe" in run("rate", str(tmp_path), code=2)[1]
        assert "asked for mnk" in run("rate", str(tmp_path), "-g", "mnk", code=2)[1]
