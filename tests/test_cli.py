"""The command line, as a person and as a program use it."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import plyground.envs
from plyground.agents import agent_names
from plyground.arena import TrainingConfig, match, read_records
from plyground.arena.cli import main
from plyground.arena.cli.boards import counts, drawn
from plyground.arena.cli.commands import COMMANDS
from plyground.arena.cli.main import _loaded
from plyground.arena.training.alphazero import AlphaZeroConfig
from plyground.envs import game_names, make_game


class Run:
    """Runs the command line in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch
        monkeypatch.setenv("COLUMNS", "120")

    def __call__(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        self._monkeypatch.setattr(sys, "argv", ["plyground", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        output = self._capsys.readouterr()
        assert (exit_.value.code or 0) == code, output
        return output.out, output.err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(capsys, monkeypatch)


def test_games(run: Run) -> None:
    table, _ = run("games")
    assert "connect_four(rows=6, columns=7)" in table
    listed = json.loads(run("games", "--json")[0])
    assert [entry["game"] for entry in listed] == game_names()
    assert {"game": "connect_four", "parameters": {"rows": 6, "columns": 7}, "actions": 7} in listed
    assert {"game": "tictactoe", "parameters": {}, "actions": 9} in listed


class TestShow:
    def test_text_with_what_a_search_finds(self, run: Run) -> None:
        text, _ = run("show", "othello", "--moves", "d3 c5", "--overlay", "alphabeta(depth=2)")
        assert "3 . . . X . . . ." in text
        assert "player_0 to move" in text
        assert "best line" in text

    def test_moves_are_names_or_numbers(self, run: Run) -> None:
        assert run("show", "go_9x9", "--moves", "E5,C3 pass") == run("show", "go_9x9", "--moves", "40 56 81")
        assert "is illegal" in run("show", "go_9x9", "--moves", "E5 E5", code=2)[1]
        assert "no action 'E55'" in run("show", "go_9x9", "--moves", "E55", code=2)[1]

    @pytest.mark.parametrize("suffix", ["svg", "png"])
    def test_pictures(self, run: Run, tmp_path: Path, suffix: str) -> None:
        out = tmp_path / f"board.{suffix}"
        overlay = ["--overlay", "mcts(simulations=50)"]
        assert "saved" in run("show", "checkers", "--moves", "11-15", "--size", "200", *overlay, "--out", str(out))[0]
        assert out.read_bytes().startswith(b"<svg" if suffix == "svg" else b"\x89PNG")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--out", "board.gif"], "board.gif"),
            (["--out", "no/board.svg"], "there is no folder no"),
            (["--overlay", "random"], "'random' does not search"),
        ],
    )
    def test_mistakes(self, run: Run, arguments: list[str], message: str) -> None:
        assert message in run("show", "othello", *arguments, code=2)[1]


def test_convert(run: Run, tmp_path: Path) -> None:
    first, sgf, again = (tmp_path / name for name in ("a.jsonl", "b.sgf", "c.jsonl"))
    run("match", "random", "random", "-g", "othello(size=6)", "--games", "2", "--out", str(first))
    assert "2 games" in run("convert", str(first), str(sgf))[0]
    run("convert", str(sgf), str(again))
    assert [game.moves for game in read_records(again)] == [game.moves for game in read_records(first)]
    assert "exists already" in run("convert", str(first), str(sgf), code=2)[1]
    assert "expected a name that ends in .jsonl, .sgf or .pdn" in run("convert", str(first), "x.txt", code=2)[1]
    assert "plyground convert" in run("match", "random", "random", "--out", str(tmp_path / "x.sgf"), code=2)[1]


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

    monkeypatch.setattr("plyground.arena.cli.listing.make_game", refuse)
    assert "cannot read or write games.jsonl: permission denied" in run("games", code=2)[1]


def test_agents(run: Run) -> None:
    table, _ = run("agents")
    listed = json.loads(run("agents", "--json")[0])
    assert [entry["agent"] for entry in listed] == agent_names()
    for name in agent_names():
        assert name in table


def test_match(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ("match", "alphabeta(depth=2)", "random", "--games", "4", "--seed", "1", "--out", str(out))
    table, _ = run(*arguments)
    assert "alphabeta(depth=2)" in table
    assert "connect_four, 4 games, seed 1" in table
    assert len(list(read_records(out))) == 4
    assert "has 4 games already (connect_four, alphabeta(depth=2) v random): go on" in run(*arguments, code=2)[1]
    result = json.loads(run(*arguments, "--resume", "--games", "6", "--json", "--jobs", "2")[0])
    assert (result["game"], result["games"], result["seed"]) == ("connect_four", 6, 1)
    assert [player["name"] for player in result["players"]] == ["alphabeta(depth=2)", "random"]
    assert result["players"][0]["wins"] == result["players"][1]["losses"]
    records = [record.moves for record in read_records(out)]
    whole = match("connect_four", ["alphabeta(depth=2)", "random"], games=6, seed=1)
    assert records == [record.moves for record in whole]


def test_match_goes_on_after_any_game_and_refuses_other_games(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    players = ("random", "minimax(depth=1)", "random")
    arguments = ("match", *players, "-g", "tictactoe", "--games", "2", "--out", str(out))
    run(*arguments)
    lines = out.read_text().splitlines()
    assert len(lines) == 6
    moves = [json.loads(line)["moves"] for line in lines]
    for kept in (0, 1, 3, 4, 6):
        out.write_text("".join(line + "\n" for line in lines[:kept]))
        run(*arguments, "--resume")
        assert [record.moves for record in read_records(out)] == moves
    refused = {
        ("--seed", "1"): "cannot go on with .*: game 1 is of another match: its seed is .*, expected",
        ("-g", "connect_four"): "game 1 is of another match: its game is tictactoe, expected connect_four",
        ("--opening-plies", "0"): r"its opening is \[.*\], expected \[\]",
        ("--games", "4"): "game 3 is of another match: its players are random#1 v random#2",
    }
    for options, message in refused.items():
        assert re.search(message, run(*arguments, *options, "--resume", code=2)[1])
    assert "--resume goes on with a file of games" in run("match", "random", "random", "--resume", code=2)[1]
    assert out.read_text().splitlines()[0] == lines[0]


def test_illegal_moves_are_told(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stubborn.py").write_text("def four(observation, info):\n    return 4\n")
    _, err = run("match", "random", "./stubborn.py:four", "-g", "tictactoe", "--games", "2", "--opening-plies", "1")
    assert re.search(r"./stubborn.py:four lost [12] games by illegal moves", err)


def test_round_robin(run: Run) -> None:
    players = ["random", "mcts(simulations=10)", "minimax(depth=1)"]
    result = json.loads(run("match", *players, "-g", "tictactoe", "--games", "2", "--json")[0])
    assert {player["name"] for player in result["players"]} == set(players)
    assert result["games"] == 6


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
        (["match", "random", "random", "--seed", "-1"], "--seed"),
        (["match", "random", "random", "--gams", "5"], "--gams"),
        (["match"], "players"),
        (["play", "connect_four", "--seat", "third"], "seat must be 'first' or 'second', got 'third'"),
        (["play", "chess"], "unknown game 'chess'"),
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
    lines = [line for line in err.splitlines() if line.strip() and not line.startswith("playing")]
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert message in lines[0]
    assert not list(tmp_path.iterdir())


class TestPlay:
    def played(self, run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed.replace(" ", "\n") + "\n"))
        return run("play", *arguments)[0]

    def test_to_the_end(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        typed = "4 x 8 1 2 3 5 6 7"
        out = self.played(run, monkeypatch, typed, "tictactoe", "--against", "minimax", "--seat", "second")
        assert out.startswith("You are player_2 (O) and move second; minimax is player_1 (X). ? for help.")
        assert re.search(r"minimax plays 0 \([\d.]+ .?s\)\n\[X\] 3  6 \n 1 ", out)
        assert "tictactoe has no action 'x'" in out
        assert " after " in out.splitlines()[-2]
        assert out.splitlines()[-1] in ("A draw.", "You lose.")  # nobody beats minimax

    def test_words(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        typed = "? hint undo 4 undo resign"
        out = self.played(run, monkeypatch, typed, "tictactoe", "--against", "alphabeta(depth=2)")
        assert "Legal moves: 0 1 2 3 4 5 6 7 8\n  hint " in out
        assert re.search(r"Hint: \d, value [+-]0.\d\d for you, says alphabeta\(depth=2\).", out)
        assert "There is no move of yours to take back." in out
        after = out[out.index("alphabeta(depth=2) plays") :]
        assert "X 1, O 1 marks" in after
        assert " 0  3  6 \n 1  4  7 \n 2  5  8 " in after  # taken back
        assert out.endswith("player_1 (X) resigns: player_2 (O) wins.\n")

    def test_can_be_given_up(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.played(run, monkeypatch, "quit", "connect_four", "--against", "random").endswith("abandoned.\n")
        assert "go_9x9" not in self.played(run, monkeypatch, "", "tictactoe", "--against", "human")

    def test_boards(self) -> None:
        go, checkers = make_game("go(board_size=5)"), make_game("checkers")
        state = go.play_moves(["C3", "A1"])
        lines = drawn(go, state, (go.play_moves(["C3"]), go.str_to_action("A1"))).plain.splitlines()
        assert lines[2] == "3 .  .  X  .  .  3"
        assert lines[4] == "1[O] .  .  .  .  1"
        assert lines[5].split() == list("ABCDE")
        assert counts(go, state) == "X 1, O 1 stones"
        state = checkers.play_moves(["11-15"])
        lines = drawn(checkers, state, (checkers.new_state(), checkers.str_to_action("11-15"))).plain.splitlines()
        assert lines[2].split() == ["X9", "X10", "11", "X12"]
        assert lines[3].split() == ["13", "14", "[X15]", "16"]
        assert len({len(line) for line in lines[:-1]}) == 1


class TestHelp:
    def test_alone_it_prints_help_and_nothing_else(self, run: Run) -> None:
        out, err = run()
        assert (out, err) == (run("--help")[0], "")
        assert all(f"│ {name} " in out for name in COMMANDS)

    def test_version(self, run: Run) -> None:
        assert run("--version")[0] == f"plyground {plyground.envs.__version__}\n"

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_examples_that_can_be_read(self, run: Run, name: str) -> None:
        command = _loaded(name)
        assert (command.help or "").partition("\n")[0] == COMMANDS[name].what
        shown = " ".join(run(name, "--help")[0].split())
        for example in COMMANDS[name].examples:
            assert example in shown
            words = shlex.split(example)
            assert words[:2] == ["plyground", name]
            command.make_context(name, words[2:])
        for one in command.params:
            assert one.name == "help" or not one.help.startswith("That ")
            assert one.name == "help" or re.search(r"[.'…]$", one.help), one.help

    def test_loads_no_game(self) -> None:
        code = "import sys; from plyground.arena.cli import main; sys.argv = ['plyground', '--help']\n"
        code += "try: main()\nexcept SystemExit: print(sorted({'numba', 'plyground.envs'} & sys.modules.keys()))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]"

    def test_as_a_module_and_completed_by_a_shell(self) -> None:
        command = [sys.executable, "-m", "plyground.arena"]
        assert "Usage:" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
        completing = {
            **os.environ,
            "_PLYGROUND_COMPLETE": "complete_bash",
            "COMP_WORDS": "plyground ma",
            "COMP_CWORD": "1",
        }
        code = "import sys; sys.argv[0] = 'plyground'; from plyground.arena.cli import main; main()"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=completing, check=False)
        assert done.stdout.split() == ["match"]


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


def test_the_options_of_train_are_the_fields_of_its_configuration(run: Run) -> None:
    shown, _ = run("train", "--help")
    for one in (*fields(TrainingConfig), *fields(AlphaZeroConfig)):
        if one.name not in ("algorithm", "game"):
            assert f"--{one.name.replace('_', '-').removesuffix('s' * (one.name == 'opponents'))} " in shown
    words = " ".join(shown.replace("│", " ").split())
    assert "Residual blocks of the resnet. At least 1. Default: 1." in words
    assert "relative to each other. Default: random*0.3, alphabeta(depth=1)*1," in words


def test_train_and_play_the_policy(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    folder = tmp_path / "run"
    options = ("--num-envs", "4", "--opponent", "random*0.5", "--opponent", "minimax(depth=1)", "--network", "mlp")
    options += (
        "--ladder-every",
        "0",
        "--ladder",
        "random",
        "--ladder",
        "minimax(depth=1)",
        "--symmetry",
        "--seed",
        "0",
    )
    settings = ("--settings", "n_steps=8, batch_size=16")
    _, err = run("train", "ppo", "tictactoe", "--out", str(folder), "--steps", "64", *options, *settings)
    assert "64 steps; go on with --resume" in err
    config = TrainingConfig.load(folder / "config.json")
    assert config.opponents == {"random": 0.5, "minimax(depth=1)": 1.0}
    assert (config.ladder_every, config.ladder) == (0, ("random", "minimax(depth=1)"))
    assert (config.symmetry, config.num_envs, config.settings) == (True, 4, {"n_steps": 8, "batch_size": 16})
    _, err = run("train", "--resume", str(folder), "--steps", "128")
    assert f"{folder}: 128 steps" in err.replace("\n", " ")
    result = json.loads(run("match", f"ppo({folder})", "random", "-g", "tictactoe", "--games", "2", "--json")[0])
    assert {player["name"] for player in result["players"]} == {f"ppo({folder})", "random"}


def test_train_by_alphazero_and_go_on(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    folder = tmp_path / "az"
    small = ("--num-envs", "4", "--simulations", "4", "--network", "tiny", "--batch-size", "16", "--learn-after", "8")
    small += ("--no-symmetry", "--ladder-every", "0", "--inference", "torch")
    _, err = run("train", "alphazero", "tictactoe", "--out", str(folder), "--steps", "24", *small)
    assert "24 steps; go on with --resume" in err
    config = AlphaZeroConfig.load(folder / "config.json")
    assert (config.steps, config.minutes, config.symmetry, config.simulations) == (24, None, False, 4)
    _, err = run("train", "--resume", str(folder), "--steps", "48")
    assert f"{folder}: 48 steps" in err.replace("\n", " ")
    assert "nothing left to do" in run("train", "--resume", str(folder), code=2)[1]
    wrong = run("train", "alphazero", "tictactoe", "--out", str(tmp_path / "no"), "--self-play", "0.5", code=2)[1]
    assert "--self-play is no option of alphazero: did you mean" in wrong
    assert not (tmp_path / "no").exists()


def test_interrupt_keeps_what_is_finished(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    command = [
        "match",
        "alphabeta(depth=3)",
        "random",
        "--games",
        "100000",
        "--opening-plies",
        "0",
        "--out",
        str(out),
        "--json",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", "from plyground.arena.cli import main; main()", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    for _ in range(600):
        if out.exists() and out.read_text().count("\n") >= 3:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    result = json.loads(printed)
    assert process.returncode == 0, said
    assert 3 <= result["games"] < 100_000
    assert f"stopped after {result['games']} of 100000 games" in said
    assert len(list(read_records(out))) - result["games"] in (0, 1)  # saved first, then counted


class TestWarm:
    @pytest.mark.slow
    def test_compiles_games_for_agents_in_any_order(self, tmp_path: Path) -> None:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "COLUMNS": "100"}
        command = [sys.executable, "-c", "from plyground.arena.cli import main; main()", "warm", "mcts", "tictactoe"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        assert [line.split("│")[2].strip() for line in done.stdout.splitlines() if "tictactoe" in line] == [
            "environment and batch",
            "mcts",
        ]
        assert str(tmp_path) in done.stdout.replace("\n", "")
        kept = {path.name.split(".")[1].split("-")[0] for path in tmp_path.rglob("*.nbc")}
        assert {"simulate", "_legal_actions", "_advance", "advance"} <= kept

    def test_what_is_unknown_is_said_before_anything_is_compiled(self, run: Run) -> None:
        assert "unknown game 'conect_four': did you mean 'connect_four'?" in run("warm", "conect_four", code=2)[1]
        assert "jobs must be a number of processes" in run("warm", "--jobs", "0", code=2)[1]
