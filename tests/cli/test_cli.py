"""The command line: games, boards, files, JSON, and mistakes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import agent_names
from plyground.agents.compiling import LOG
from plyground.agents.solver.agent import Solver
from plyground.arena import match, read_records
from plyground.envs import game_names, make_game
from tests.helpers.command_line import Run


def test_games(run: Run) -> None:
    table, _ = run("games")
    assert "connect_four(rows=6, columns=7)" in table
    assert "go_9x9, short for go(board_size=9)" in table
    assert "go_9x9-v0" in table
    listed = json.loads(run("games", "--json")[0])
    assert [entry["game"] for entry in listed] == [*game_names(), "go_9x9"]
    four = {"game": "connect_four", "short_for": None, "parameters": {"rows": 6, "columns": 7}, "actions": 7}
    assert {**four, "observation": [6, 7, 2], "id": "plyground/connect_four-v0"} in listed
    short = listed[-1]
    assert (short["short_for"], short["actions"], short["parameters"]["board_size"]) == ("go(board_size=9)", 82, 9)
    for entry in listed:
        assert entry["id"].removeprefix("plyground/") in table
        assert "x".join(map(str, entry["observation"])) in table


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((), (None, {"book": True, "seconds": 60})),
        (("--table-mb", "8", "--seconds", "3", "--no-book"), (8.0, {"book": False, "seconds": 3.0})),
    ],
)
def test_options_of_solve_are_those_of_the_solver(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], asked: tuple[float | None, dict[str, Any]]
) -> None:
    found = []

    class Asked(Solver):
        def __init__(self, game: Any, table_mb: float | None, **options: Any) -> None:
            found.append((table_mb, options))
            super().__init__(game, table_mb, **options)

    monkeypatch.setattr("plyground.agents.solver.agent.Solver", Asked)
    run("solve", "tictactoe", "--moves", "0 1 4", *words)
    assert found == [asked]


@pytest.mark.parametrize(("words", "says"), [((), True), (("--quiet",), False), (("-q",), False)])
def test_quiet_does_not_say_what_is_compiled(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], says: bool
) -> None:
    def compiled(*_: Any) -> list[str]:
        LOG.warning("compiling all …", extra={"compiling": True})
        return agent_names()

    monkeypatch.setattr("plyground.agents.agent_names", compiled)
    assert ("compiling all …" in run(*words, "agents")[1]) == says


def test_convert(run: Run, tmp_path: Path) -> None:
    first, sgf, again = (tmp_path / name for name in ("a.jsonl", "b.sgf", "c.jsonl"))
    run("match", "random", "random", "-g", "othello(size=6)", "--games", "2", "--out", str(first))
    assert "2 games" in run("convert", str(first), str(sgf))[0]
    run("convert", str(sgf), str(again))
    assert [game.moves for game in read_records(again)] == [game.moves for game in read_records(first)]
    assert "exists already" in run("convert", str(first), str(sgf), code=2)[1]
    assert (
        "expected a name that ends in .jsonl, .db, .csv, .parquet, .sgf, .pdn or .pgn"
        in run("convert", str(first), "x.txt", code=2)[1]
    )
    assert "plyground convert" in run("match", "random", "random", "--out", str(tmp_path / "x.sgf"), code=2)[1]


def test_export(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    onnx = pytest.importorskip("onnx")
    from plyground.agents.networks import new_network, save_network

    save_network(tmp_path / "model.safetensors", new_network(make_game("tictactoe"), "tiny"))
    for source in (tmp_path, tmp_path / "model.safetensors"):
        target = tmp_path / f"{source.name}.onnx"
        assert "a network for tictactoe" in run("export", str(source), str(target))[0]
        onnx.checker.check_model(onnx.load(target))
        session = pytest.importorskip("onnxruntime").InferenceSession(target, providers=["CPUExecutionProvider"])
        logits, values = session.run(None, {"planes": np.zeros((2, 3, 3, 2), np.float32)})
        assert (logits.shape, values.tolist()) == ((2, 9), [[0], [0]])  # a new net's
    assert "exists already" in run("export", str(tmp_path), str(target), code=2)[1]
    assert "expected a name that ends in .onnx" in run("export", str(tmp_path), "x.bin", code=2)[1]
    assert "no network" in run("export", str(tmp_path / "none"), str(tmp_path / "x.onnx"), code=2)[1]
    assert "there is no folder" in run("export", str(tmp_path), str(tmp_path / "none" / "x.onnx"), code=2)[1]
    assert "is for other programs: name the run" in run("export", str(target), str(tmp_path / "x.onnx"), code=2)[1]


def test_files_that_are_not_there(run: Run, tmp_path: Path) -> None:
    missing, folder = str(tmp_path / "no.pdn"), str(tmp_path / "no" / "x.jsonl")
    for arguments, message in [
        (["convert", missing, str(tmp_path / "x.pdn")], f"cannot read {missing}: there is no such file"),
        (["convert", missing, folder], f"cannot save to {folder}: there is no folder"),
        (["match", "random", "random", "--out", folder], f"cannot save to {folder}: there is no folder"),
        (["match", "random", "random", "--out", str(tmp_path)], f"cannot save to {tmp_path}: it is a folder"),
    ]:
        out, error = run(*arguments, code=2)
        assert message in error
        assert "Errno" not in error
        assert "playing" not in error
        assert out == ""


def test_what_the_system_says_of_a_file_has_no_number(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", "games.jsonl")

    monkeypatch.setattr("plyground.envs.make_game", refuse)
    assert "cannot read or write games.jsonl: permission denied" in run("games", code=2)[1]


@pytest.mark.parametrize("width", [40, 60, 80])
class TestNarrowTerminals:
    """Rich cut the names and numbers of tables for which there was no room, and broke titles every three letters."""

    def test_games(self, run: Run, width: int) -> None:
        run.resize(width)
        table = run("games")[0]
        assert max(map(len, table.splitlines())) <= width
        assert "…" not in table.replace("plyground/…", "")
        assert "connect_four-v0" in table
        assert "19x19x17" in table

    def test_agents(self, run: Run, width: int) -> None:
        run.resize(width)
        assert "…" not in run("agents")[0].replace("=…", "")

    def test_analyse(self, run: Run, width: int) -> None:
        run.resize(width)
        table = run("analyse", "connect_four", "--agent", "mcts(simulations=200)")[0]
        assert max(map(len, table.splitlines())) <= width
        assert "…" not in table
        assert "which is" in table
        assert "evaluation" in table

    def test_sprt(self, run: Run, width: int) -> None:
        run.resize(width)
        table = run("sprt", "--pentanomial", "39 8843 26675 9240 44")[0]
        assert "…" not in table
        assert "26675" in table

    def test_store(self, run: Run, width: int, tmp_path: Path) -> None:
        match("tictactoe", ["random", "minimax(depth=2)"], 2, store=tmp_path / "games.db")
        run.resize(width)
        table = run("store", str(tmp_path / "games.db"))[0].partition("\n")[2]
        assert max(map(len, table.splitlines())) <= width
        assert "round_robin," in table
        assert "minimax(depth=2)" in table
        assert "begun (UTC)" in table


def test_agents(run: Run) -> None:
    table, _ = run("agents")
    listed = json.loads(run("agents", "--json")[0])
    assert [entry["agent"] for entry in listed] == agent_names()
    for name in agent_names():
        assert name in table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "randon", "random"], "unknown agent 'randon': did you mean 'random'?"),
        (
            ["match", "random", "random", "--game", "conect_four"],
            "unknown game 'conect_four': did you mean 'connect_four'?",
        ),
        (["match", "random", "random", "--games", "5"], "games must be even"),
        (["match", "random"], "it takes two players"),
        (["match", "mcts(simulations=0)", "random"], "simulations must be a whole number above 0"),
        (["match", "ppo(no.zip)", "random"], "no model file 'no.zip'"),
        (["match", "random", "random", "--out", "no/folder/games.jsonl"], "no/folder/games.jsonl"),
        (["match", "random", "random", "--out", "games.json"], "as JSON lines, games.jsonl, not to games.json: choose"),
        (["match", "random", "random", "--out", "games"], "not to games: choose a name that ends like these"),
        (["match", "random", "random", "--out", "games.sgf"], "games.sgf: `plyground convert` makes .sgf of them"),
        (["sprt", "random", "random", "--out", "games.foo"], "not to games.foo: choose"),
        (["match", "random", "random", "--seed", "-1"], "--seed"),
        (["match", "random", "random", "--gams", "5"], "--gams"),
        (["match"], "players"),
        (["play", "connect_four", "--seat", "third"], "seat must be 'first' or 'second', got 'third'"),
        (["play", "shogi"], "unknown game 'shogi'"),
        (["show", "go_9x9", "--moves", "E5 E5"], "move 'E5' at index 1 is illegal"),
        (["show", "go_9x9", "--moves", "E55"], "no action 'E55'"),
        (["show", "othello", "--out", "board.gif"], "board.gif"),
        (["show", "othello", "--out", "no/board.svg"], "there is no folder no"),
        (["show", "othello", "--overlay", "random"], "'random' does not search"),
        (["train", "ppx", "connect_four", "--out", "x"], "unknown algorithm 'ppx': did you mean 'ppo'?"),
        (["train", "ppo", "connect_four", "--steps", "0"], "steps must be a whole number, at least 1, got 0"),
        (["train", "ppo", "connect_four", "--out", "no/x"], "there is no folder no"),
        (["train", "ppo", "connect_for"], "did you mean 'connect_four'?"),
        (["train", "ppo"], "give an algorithm and a game"),
        (["train", "ppo", "tictactoe", "--opponent", "random*x"], "cannot read the share in 'random*x'"),
        (["train", "ppo", "tictactoe", "--settings", "n_steps"], "cannot read the settings 'n_steps'"),
        (
            ["train", "ppo", "tictactoe", "--settings", "lr=3"],
            "unknown setting 'lr' of MaskablePPO: did you mean 'learning_rate'?",
        ),
        (["train", "ppo", "tictactoe", "--settings", "policy_kwargs=3"], "unknown setting 'policy_kwargs'"),
        (["train", "ppo", "tictactoe", "--resume", "x"], "--resume goes on with what its folder says"),
        (["train", "--resume", "x", "--num-envs", "3"], "--resume goes on with what its folder says"),
        (
            ["train", "ppo", "tictactoe", "--ladder-games", "0"],
            "ladder_games must be a whole number, at least 2, got 0",
        ),
        (["train", "ppo", "tictactoe", "--self-play", "2"], "self_play must be a number, from 0 to 1, got 2.0"),
        (["train", "ppo", "tictactoe", "--network", "resnett"], "unknown network 'resnett': did you mean 'resnet'?"),
        (["train", "--resume", "x"], "'x' holds no training run"),
        (["trian"], "trian"),
    ],
)
def test_mistakes_are_one_clear_line(
    run: Run, arguments: list[str], message: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    out, err = run(*arguments, code=2)
    assert out == ""
    lines = [line for line in err.splitlines() if line.strip() and not line.startswith(("playing", "compiling"))]
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert message in lines[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("explain --tree (3,4) --moves 0", "--moves is for --game, not for --tree"),
        ("explain --tree (3,4) --simulations 5", "--simulations is for --game, not for --tree"),
        ("explain --tree (3,4) --seed 0", "--seed is for --game or --exercise, not for --tree"),
        ("explain -g tictactoe --root min", "--root is for --tree, not for --game"),
        ("explain -g tictactoe --simulations 5 --no-pruning", "--no-pruning is for alpha-beta, not for --simulations"),
        ("explain -g tictactoe --c 2", "--c is for --simulations, not for alpha-beta"),
        ("explain --exercise --seed 3 --no-steps", "--no-steps is for --tree or --game, not for --exercise"),
        ("explain --exercise --size 300", "--size is for --out, not for text"),
        ("sprt --pentanomial 1,2,3,4,5 --out zz.jsonl", "--out is for a match, not for --pentanomial"),
        ("sprt --pentanomial 1,2,3,4,5 -g foo", "--game is for a match, not for --pentanomial"),
        ("solve tictactoe --out foo.txt", "--out is for --make-book, not for a position"),
        ("solve tictactoe --plies 9", "--plies is for --make-book, not for a position"),
        ("solve othello --make-book --json", "--json is for a position, not for --make-book"),
        ("show tictactoe --size 300", "--size is for --out, not for text"),
        ("show tictactoe --unicode --out x.svg", "--unicode is for text, not for --out"),
        ("analyse tictactoe --unicode --json", "--unicode is for text, not for --json"),
        ("evaluate random --blunders 3 --json", "--blunders is for text, not for --json"),
        ("watch games.jsonl --once --every 5", "--every is for looking again, not for --once"),
    ],
)
def test_an_option_of_another_mode_is_refused(
    run: Run, line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*line.split(), code=2) == ("", f"error: {message}\n")
    assert not list(tmp_path.iterdir())


class TestJson:
    def test_of_a_position(self, run: Run) -> None:
        shown = json.loads(run("show", "tictactoe", "--moves", "0 4", "--overlay", "minimax", "--json")[0])
        assert (shown["to_move"], shown["moves"], shown["legal"][0]) == ("player_1", ["0", "4"], "1")
        found = json.loads(run("analyse", "tictactoe", "--moves", "0 4", "--agent", "minimax", "--json")[0])
        assert (found["value"], found["kind"], found["best_move"]) == (0.0, "exact", shown["analysis"]["best_move"])
        assert [action["move"] for action in found["actions"]] == shown["legal"]
        solved = json.loads(run("solve", "tictactoe", "--moves", "0 1", "--json")[0])
        assert (solved["value"], solved["distance"]) == (1.0, 5)
        assert set(solved["best_moves"]) <= set(solved["legal"])

    def test_of_an_explanation(self, run: Run) -> None:
        found = json.loads(run("explain", "--tree", "((3 12 8) (2 ? ?) (14 5 2))", "--json")[0])
        assert (found["value"], found["line"], found["pruned"]) == (3, ["A", "A1"], ["B2", "B3"])
        assert found["root"]["alpha"] is None  # minus infinity
        found = json.loads(run("explain", "-g", "tictactoe", "--simulations", "3", "--json")[0])
        assert (found["root"]["visits"], len(found["simulations"])) == (3, 3)
        assert "question" in json.loads(run("explain", "--exercise", "--json")[0])


@pytest.mark.slow
@pytest.mark.parametrize(("option", "value"), [("--games", "many"), ("--seed", "-1")])
def test_a_value_that_an_option_does_not_take_is_named(run: Run, option: str, value: str) -> None:
    said = run("match", "random", "random", option, value, code=2)[1]
    assert value in said.partition(f"Invalid value for '{option}':")[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_characters_that_the_terminal_lacks_are_question_marks(how: dict[str, str]) -> None:
    """They are no error after a match is played."""
    play = "from plyground.arena.cli import main; main()"
    arguments = ("match", "random", "random", "--game", "tictactoe", "--games", "2")
    environment = {**os.environ, "PYTHONUTF8": "0", **how}
    done = subprocess.run(
        [sys.executable, "-c", play, *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[2].split()[:4] == ["1", "random#1", "?", "1"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_full_disk_is_told_in_words() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "plyground.arena", "games", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: no space left on device\n")


def test_uci_is_spoken_at_standard_input() -> None:
    command = [sys.executable, "-m", "plyground.arena", "uci", "random"]
    asked = "uci\nisready\nposition startpos\ngo\nquit\n"  # a search that still compiles, quit does not wait for
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=120, check=True)
    lines = done.stdout.splitlines()
    assert "uciok" in lines
    assert lines[-1].startswith("bestmove ")
