"""``plyground evaluate``, as a person and as a program use it."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import evaluate, learning_curve, read_records
from plyground.arena.grading.failing import LadderError
from plyground.arena.grading.grades import Blunder
from plyground.arena.grading.plots import plot_curve
from plyground.envs import make_game
from tests.arena.test_arena import without_times
from tests.helpers.command_line import Run
from tests.helpers.untrained_run import GAME

SHORT = ("--positions", "3", "--games", "2", "--ladder", "random", "--ladder", "mcts(simulations=10)")


@pytest.fixture
def run(run: Run) -> Any:
    return partial(run, "evaluate")


class TestCommand:
    def test_tables(self, run: Any) -> None:
        words = ("mcts(simulations=5)", "-g", GAME, *SHORT)
        out, _ = run(*words, "--blunders", "2")
        assert "error: the share that does not preserve\n" in out  # no set has a row of positions far from the end
        for text in (
            "mcts(simulations=5) in mnk(m=4), seed 0",
            "preserving %",
            "by chance",
            "Elo",
            "calibration error",
        ):
            assert text in out
        for title in (
            r"Against exact solving, \d+ positions \(95 % intervals\)",
            r"Expected scores against exact values, \d+ positions",
        ):
            assert re.search(rf"^{title} *$", out, re.MULTILINE)  # it was broken where it was wider than its table
        assert "inf" not in out  # of an interval without ends
        game, found = make_game(GAME), json.loads(run(*words, "--json")[0])["grades"]["blunders"]
        assert f"{len(found)} blunders, the worst 2:" in out
        for blunder in found[:2]:
            assert game.text(game.play_moves(blunder["line"])) in out.partition("blunders")[2]
        assert "which loses" in out or "which draws" in out

    @pytest.mark.slow
    def test_sets(self, run: Any, tmp_path: Path) -> None:
        arguments = ("random", "--ladder", "none", "--positions", "hard_openings", "--out", str(tmp_path / "found"))
        out, _ = run(*arguments, "--blunders", "0")
        line = next(line for line in out.splitlines() if line.startswith("hard_openings, far"))
        found = json.loads(run(*arguments, "--json")[0])
        far = found["sets"][0]["far"]
        assert str(far["positions"]) in line
        assert f"{100 * far['preserving']['share']:.1f} (" in line
        assert f"{100 - 100 * far['preserving']['share']:.1f} (" in line
        with (tmp_path / "found" / "sets.csv").open() as file:
            row = next(iter(csv.DictReader(file)))
        assert float(row["far_error"]) == pytest.approx(1 - far["preserving"]["share"])
        assert "unknown set of positions 'openings'" in run("random", "--positions", "openings", code=2)[1]

    def test_json(self, run: Any) -> None:
        arguments = ("mcts(simulations=5)", "-g", GAME, *SHORT, "--json")
        found = json.loads(run(*arguments)[0], parse_constant=pytest.fail)  # NaN and Infinity are no JSON
        assert found == json.loads(run(*arguments, "--jobs", "2")[0])
        assert found["player"] == "mcts(simulations=5)"
        total = found["grades"]["total"]
        assert total["keeping"]["share"] == total["keeping"]["hits"] / total["keeping"]["total"]
        assert [rung["player"] for rung in found["ladder"]["rungs"]] == ["random", "mcts(simulations=10)"]

    def test_the_games_are_played_as_the_options_say(self, run: Any, tmp_path: Path) -> None:
        words = ("--positions", "0", "--ladder", "random", "--games", "4", "--seed", "3", "--opening-plies", "1")
        run("mcts(simulations=5)", "-g", GAME, *words, "--out", str(tmp_path), "--json")
        options: dict[str, Any] = {"positions": 0, "ladder": ["random"], "games": 4}
        found = evaluate("mcts(simulations=5)", GAME, **options, seed=3, opening_plies=1)
        assert found.ladder is not None
        records = list(read_records(tmp_path / "games.jsonl"))
        assert without_times(records) == without_times(list(found.ladder.records))
        assert [record.opening for record in records] == [1] * 4
        other = evaluate("mcts(simulations=5)", GAME, **options, opening_plies=1).ladder
        assert other is not None
        assert without_times(list(other.records)) != without_times(records)

    def test_files(self, run: Any, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        out = tmp_path / "found"
        for _ in range(2):  # the second time in place of the first
            run("mcts(simulations=5)", "-g", GAME, *SHORT, "--out", str(out))
        names = {path.name for path in out.iterdir()}
        assert names == {
            "evaluation.json", "sets.csv", "grades.csv", "blunders.csv", "ladder.csv", "calibration.csv",
            "calibration.png", "calibration.svg", "games.jsonl",
        }  # fmt: skip
        assert len(list(read_records(out / "games.jsonl"))) == 4
        rows = list(csv.DictReader((out / "grades.csv").read_text().splitlines()))
        found = json.loads((out / "evaluation.json").read_text())
        assert rows[-1]["ply"] == "all"
        assert float(rows[-1]["keeping"]) == found["grades"]["total"]["keeping"]["share"]
        assert (out / "calibration.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (out / "calibration.svg").read_text()
        run("random", "-g", GAME, "--positions", "2", "--ladder", "none", "--out", str(out))  # it knows no values
        kept = {path.name for path in out.iterdir()}
        assert kept == {"evaluation.json", "sets.csv", "grades.csv", "blunders.csv"}

    def test_files_of_a_player_without_a_blunder(self, run: Any, tmp_path: Path) -> None:
        """The file of its blunders was an empty line, which nothing could read."""
        run("solver", "-g", GAME, "--positions", "2", "--ladder", "none", "--out", str(tmp_path))
        names = csv.DictReader((tmp_path / "blunders.csv").read_text().splitlines()).fieldnames
        assert names is not None
        assert names[:2] == [field.name for field in fields(Blunder)][:2]
        assert "board" not in names

    def test_files_are_there_as_a_whole(self, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Who was killed in the midst of one left the first half of it."""
        command = ("random", "-g", GAME, "--positions", "2", "--ladder", "none", "--out", str(tmp_path))
        run(*command)
        kept = {name: (tmp_path / name).read_bytes() for name in ("evaluation.json", "grades.csv")}

        def killed(*arguments: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("plyground.envs.outside.whole_files.os.replace", killed)
        before = set(tmp_path.iterdir())
        run(*command, "--seed", "1", code=130)
        assert set(tmp_path.iterdir()) == before  # evaluation.json.partial stayed
        assert {name: (tmp_path / name).read_bytes() for name in kept} == kept

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--ladder none --games 10", "--games is for a ladder, not for --ladder none"),
            ("--ladder none --opening-plies 2", "--opening-plies is for a ladder, not for --ladder none"),
            ("--positions 0 --blunders 3", "--blunders is for graded positions, not for --positions 0"),
            ("--positions 0 --ladder none", "there is nothing to grade by: ask for positions, or for a ladder"),
        ],
    )
    def test_what_would_be_ignored_is_refused(self, run: Any, words: str, message: str) -> None:
        assert message in " ".join(run("random", "-g", "tictactoe", *words.split(), code=2)[1].split())

    def test_games_of_something_else_stay(self, run: Any, tmp_path: Path) -> None:
        (tmp_path / "games.jsonl").write_text("mine")
        told = run("random", "-g", GAME, *SHORT, "--out", str(tmp_path), code=2)[1]
        assert "games.jsonl holds games of something else: choose another folder" in " ".join(told.split())
        assert (tmp_path / "games.jsonl").read_text() == "mine"

    def test_without_matplotlib(self, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("plyground.arena.cli.parts.evaluation.can_plot", lambda: False)
        _, said = run("mcts(simulations=5)", "-g", GAME, "--positions", "2", "--ladder", "none", "--out", str(tmp_path))
        assert "pip install '.[plots]'" in said
        assert not list(tmp_path.glob("*.png"))
        assert (tmp_path / "calibration.csv").exists()

    def test_a_file_and_a_folder(self, run: Any, training_run: Path) -> None:
        short = ("--positions", "2", "--ladder", "none", "--json")
        newest = training_run / "checkpoints" / "step_000100000.zip"
        by_file = json.loads(run(str(newest), *short)[0])
        by_folder = json.loads(run(str(training_run), *short)[0])
        assert by_file["game"] == by_folder["game"] == "mnk(m=4)"  # from config.json
        assert (by_file["player"], by_folder["player"]) == (str(newest), str(training_run))
        assert by_file["grades"] == by_folder["grades"]
        assert by_file["calibration"] is not None

    def test_titles_of_pictures_are_no_formulas(self, tmp_path: Path) -> None:
        """A folder of such a name ended in an error of matplotlib."""
        pytest.importorskip("matplotlib")
        rows = [{"steps": 1, "checkpoint": "a", "score": 0.5}]
        for picture in plot_curve(rows, "runs/a$^$b: connect_four, seed 0", tmp_path / "curve"):
            assert picture.stat().st_size
        assert "a$^$b" in (tmp_path / "curve.svg").read_text()

    @pytest.mark.slow
    def test_curve(self, run: Any, training_run: Path, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        out = tmp_path / "curve"
        table, said = run(str(training_run), "--curve", *SHORT, "--out", str(out))
        assert "step_000100000.zip done, 2 of 2" in said
        assert "100,000" in table
        rows = list(csv.DictReader((out / "curve.csv").read_text().splitlines()))
        assert [row["steps"] for row in rows] == ["20000", "100000"]
        single = json.loads(run(str(training_run / "checkpoints" / rows[1]["checkpoint"]), *SHORT, "--json")[0])
        assert float(rows[1]["keeping"]) == single["grades"]["total"]["keeping"]["share"]
        assert float(rows[1]["optimal"]) == single["grades"]["total"]["optimal"]["share"]
        assert float(rows[1]["score"]) == single["ladder"]["rating"]["score"]
        assert {path.name for path in out.iterdir()} == {"curve.csv", "curve.png", "curve.svg"}
        listed = json.loads(run(str(training_run), "--curve", *SHORT, "--json")[0])
        assert [entry["steps"] for entry in listed] == [20_000, 100_000]

    def test_a_stopped_evaluation_is_no_point_of_the_curve(
        self, run: Any, training_run: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given: list[Any] = []

        def stopped_at_the_second(*arguments: Any, **options: Any) -> Any:
            given.append((*arguments, *map(options.get, ("positions", "ladder", "games", "opening_plies", "seed"))))
            for i, point in enumerate(learning_curve(training_run, GAME, positions=2, ladder="none")):
                yield replace(point, found=replace(point.found, stopped=i == 1, notes=("of any kind",)))

        monkeypatch.setattr("plyground.arena.cli.parts.evaluation.learning_curve", stopped_at_the_second)
        words = ("--positions", "7", "--ladder", "random", "--games", "4", "--opening-plies", "1", "--seed", "3")
        table, said = run(str(training_run), "--curve", "-g", GAME, *words, code=130)
        assert given == [(str(training_run), GAME, 7, ["random"], 4, 1, 3)]
        assert "20,000" in table
        assert "100,000" not in table
        assert "done, 1 of 2" in said

    def test_a_curve_that_is_stopped_between_two_evaluations(
        self, run: Any, training_run: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was done was lost: nobody watched while a checkpoint was loaded."""

        def stopped_as_it_loads(*arguments: Any, **options: Any) -> Any:
            yield next(learning_curve(training_run, GAME, positions=2, ladder="none"))
            raise KeyboardInterrupt

        monkeypatch.setattr("plyground.arena.cli.parts.evaluation.learning_curve", stopped_as_it_loads)
        assert "20,000" in run(str(training_run), "--curve", code=130)[0]

    @pytest.mark.parametrize("missing", [0, 1])
    def test_a_curve_with_a_point_that_has_no_ladder(
        self, run: Any, training_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: int
    ) -> None:
        """A rung that fails at one checkpoint ended the curve in a KeyError."""

        def failing(*arguments: Any, **options: Any) -> Any:
            for i, point in enumerate(learning_curve(training_run, GAME, positions=2, ladder=["random"], games=2)):
                lost = {"ladder": None, "notes": ("random failed",)} if i == missing else {}
                yield replace(point, found=replace(point.found, **lost))

        monkeypatch.setattr("plyground.arena.cli.parts.evaluation.learning_curve", failing)
        table, said = run(str(training_run), "--curve", "--out", str(tmp_path))
        assert f"{('step_000020000', 'step_000100000')[missing]}.zip: random failed" in said
        line = next(line for line in table.splitlines() if ("20,000", "100,000")[missing] in line)
        assert line.split()[-2:] == ["–", "–"]
        rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
        assert [row["elo"] == "" for row in rows] == [missing == 0, missing == 1]
        assert "steps" in rows[0]

    def test_a_curve_keeps_its_points_where_the_ladder_fails(
        self, run: Any, training_run: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def failing(first: int, *arguments: Any, **options: Any) -> Any:
            yield from islice(learning_curve(training_run, GAME, positions=2, ladder="none"), first)
            raise LadderError("no rung is left", [])

        place = "plyground.arena.cli.parts.evaluation.learning_curve"
        monkeypatch.setattr(place, partial(failing, 1))
        table, said = run(str(training_run), "--curve", code=2)
        assert "20,000" in table
        assert "ended after 1 of 2: no rung is left" in said
        monkeypatch.setattr(place, partial(failing, 0))
        assert "no rung is left" in run(str(training_run), "--curve", code=2)[1]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["random", "-g", "conect_four"], "unknown game 'conect_four': did you mean 'connect_four'?"),
            (["randon"], "there is no agent, folder or file 'randon': did you mean 'random'?"),
            (["runs/nosuch"], "there is no folder or file 'runs/nosuch'"),
            (["nosuch(depth=2)"], "there is no agent, folder or file 'nosuch'"),
            (["no.zip"], "no model file 'no.zip'"),
            (["random", "--games", "5"], "games must be even"),
            (["random", "--ladder", "fast"], "unknown agent 'fast'"),
            (["random", "--curve"], "there is no folder 'random'"),
            (["empty"], "'empty' has no checkpoints"),
            (["empty", "--curve"], "'empty' has no checkpoints"),
            (["of_alphago"], "'of_alphago' is a run of alphago, which has several networks: name one"),
            (["ag/rollout"], "ag/rollout' is the rollout policy of a run of alphago, which is no network"),
            (["ag/rollout", "--curve"], "it plays in a search, as in \"mcts(rollout='ag/rollout/model.npz')\""),
            (["network(ag/rollout)"], "'ag/rollout' is the rollout policy of a run of alphago, which is no network"),
            (["random", "--out", "no/where"], "there is no folder no"),
            (["random", "--out", "a_file"], "it is a file"),
            (["a_file"], "is not a model that stable-baselines3 saved"),
            (["random", "--positions", "-1"], "positions must be a number of each ply, at least 0, got -1"),
        ],
    )
    def test_mistakes(
        self, run: Any, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "empty").mkdir()
        (tmp_path / "of_alphago" / "policy").mkdir(parents=True)
        (tmp_path / "of_alphago" / "policy" / "model.safetensors").touch()
        (tmp_path / "ag" / "rollout" / "checkpoints").mkdir(parents=True)
        (tmp_path / "ag" / "rollout" / "model.npz").touch()
        (tmp_path / "ag" / "rollout" / "checkpoints" / "step_000000100.npz").touch()
        (tmp_path / "a_file").write_text("some text")
        out, said = run(*arguments, code=2)
        assert out == ""
        assert message in said
        if "--out" not in arguments:
            assert message in run(*arguments, "--out", "new", code=2)[1]
        assert {path.name for path in tmp_path.iterdir()} == {"ag", "empty", "of_alphago", "a_file"}

    def test_games_that_were_not_lost_on_the_board(self, run: Any, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text("def first(observation, info): return 0\n")
        spec = f"{tmp_path / 'mine.py'}:first"
        printed, said = run(spec, "-g", "tictactoe", "--positions", "0", "--ladder", "random", "--games", "4", "--json")
        assert json.loads(printed)["ladder"]["rungs"][0]["losses"] == 4
        assert f"{spec} lost 3 games by illegal moves" in said  # one on the board

    @pytest.mark.parametrize("config", ["{}", "[]", "no json", '{"game": 7}'])
    def test_a_bad_configuration(self, run: Any, training_run: Path, tmp_path: Path, config: str) -> None:
        (tmp_path / "checkpoints").symlink_to(training_run / "checkpoints")
        (tmp_path / "config.json").write_text(config)
        assert "names no game" in run(str(tmp_path), "--curve", code=2)[1]
        (tmp_path / "config.json").unlink()
        assert "give it with --game" in run(str(tmp_path), "--curve", code=2)[1]

    def test_a_model_of_another_game(self, run: Any, training_run: Path) -> None:
        model = str(training_run / "checkpoints" / "step_000020000.zip")
        assert "was trained for another game" in run(model, "-g", "connect_four", code=2)[1]


@pytest.mark.slow
def test_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    out = tmp_path / "found"
    command = ["evaluate", "random", "-g", GAME, "--positions", "2", "--ladder", "random", "--games", "100000"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from plyground.arena.cli import main; main()", *command, "--json", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "100"},
    )
    assert process.stderr is not None
    said = b""
    while b"grading" not in said:  # the bar is printed when the positions are done; then games begin
        said += os.read(process.stderr.fileno(), 1000)
        assert process.poll() is None, said
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    printed, rest = process.communicate(timeout=60)
    assert process.returncode == 130, said + rest
    found = json.loads(printed)
    assert found["grades"]["total"]["positions"] > 5
    if found["ladder"] is not None:  # else the first opening was not played yet
        assert 2 <= found["ladder"]["rungs"][0]["result"]["games"] < 100_000
        assert not found["ladder"]["complete"]
    assert found["stopped"]
    assert found["notes"][0].startswith(("stopped before all games", "stopped after the 15 positions"))
    assert (out / "grades.csv").exists()
