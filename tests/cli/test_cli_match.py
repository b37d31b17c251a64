"""``plyground match``: results, files of games that go on, and Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plyground.arena import match, read_records
from tests.helpers.command_line import Run


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


def test_illegal_moves_are_told_once_and_not_by_each_game(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stubborn.py").write_text("def four(observation, info):\n    return 4\n")
    _, err = run("match", "random", "./stubborn.py:four", "-g", "tictactoe", "--games", "4")
    assert "by illegal moves" in err
    assert "Illegal move" not in err + caplog.text


def test_players_that_fail_lose_if_asked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("def player(observation, info):\n    raise ValueError('out of luck')\n")
    arguments = ("tournament", "random", "./broken.py:player", "minimax(depth=1)", "-g", "tictactoe", "--games", "2")
    told = "error: ./broken.py:player failed when it was to move as O against random, in a game of tictactoe with seed "
    assert told in run(*arguments, code=1)[1]
    out, err = run(*arguments, "--keep-going", "--format", "gauntlet(seeds=2)", "--out", "games.jsonl")
    assert "tictactoe, 4 games, seed 0" in out
    assert "./broken.py:player fails in game 3, and loses it: ValueError: out of luck" in err
    assert "./broken.py:player lost 2 games by errors" in err
    assert [record.ending == "failed" for record in read_records("games.jsonl")] == [False, False, True, True]


def test_tournament(run: Run) -> None:
    players = ["minimax(depth=1)", "random", "mcts(simulations=5)"]
    arguments = ("tournament", *players, "-g", "tictactoe", "--games", "2", "-f", "swiss")
    out, _ = run(*arguments)
    assert "tictactoe, 4 games" in out
    assert " points bye total win-draw-loss " in out  # what a round without a game gives was in no table
    result = json.loads(run(*arguments, "--json", "--seed", "1")[0])
    assert (result["games"], len(result["players"])) == (4, 3)
    assert sorted(player["bye"] for player in result["players"]) == [0, 2, 2]
    totals = [player["points"] + player["bye"] for player in result["players"]]
    assert totals == sorted(totals, reverse=True)
    assert sum(totals) == 4 + 2 * 2
    assert "unknown format 'league'" in run(*arguments[:-1], "league", code=2)[1]
    assert result["winner"] is None  # the table says it
    knockout = ("tournament", "random", "minimax", "-g", "tictactoe", "-f", "knockout")
    assert run(*knockout)[0].rstrip().endswith("minimax wins the knockout")  # below the table: points do not tell
    assert json.loads(run(*knockout, "--json")[0])["winner"] == "minimax"
    assert "wins" not in out


def test_round_robin(run: Run) -> None:
    players = ["random", "mcts(simulations=10)", "minimax(depth=1)"]
    result = json.loads(run("match", *players, "-g", "tictactoe", "--games", "2", "--json")[0])
    assert {player["name"] for player in result["players"]} == set(players)
    assert result["games"] == 6


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
    assert process.returncode == 130, said
    assert 3 <= result["games"] < 100_000
    assert f"stopped after {result['games']:,} of 100,000 games" in said
    assert len(list(read_records(out))) - result["games"] in (0, 1)  # saved first, then counted


MAIN = "from plyground.arena.cli import main; main()"
TALKER = """
import numpy as np

print("here I am")


def player(observation, info):
    print("let me see")
    return int(np.flatnonzero(observation["action_mask"])[0])
"""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("match", "random", "./talker.py:player", "--games", "2"), id="match"),
        pytest.param(
            ("match", "random", "./talker.py:player", "--games", "2", "--jobs", "2"),
            id="match in processes",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("evaluate", "./talker.py:player", "--positions", "2", "--ladder", "none"),
            id="evaluate",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("evaluate", "./talker.py:player", "--positions", "2", "--ladder", "none", "--jobs", "2"),
            id="evaluate in processes",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_json_is_alone_whatever_players_print(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(TALKER)
    arguments = (*command, "-g", "tictactoe", "--json")
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["game"] == "tictactoe"
    assert "let me see" in done.stderr


@pytest.mark.parametrize(("words", "games"), [((), 3), (("--max-failures", "5"), 5)])
def test_who_fails_too_often_is_withdrawn(
    run: Run, words: tuple[str, ...], games: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("def player(observation, info):\n    raise OSError('no net')\n")
    command = ("match", "random", "./broken.py:player", "-g", "tictactoe", "--games", "12", "--keep-going", "--json")
    found = json.loads(run(*command, *words)[0])
    assert found["games"] == games
    assert "--max-failures" in run(*command, "--max-failures", "0", code=2)[1]


@pytest.mark.slow
def test_answers_of_an_engine_are_alone_whatever_its_player_prints(tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(TALKER)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "gtp", "./talker.py:player", "-g", "go(board_size=3)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        input="genmove b\nquit\n",
    )
    assert done.stdout == "= A3\n\n=\n\n"
    assert "let me see" in done.stderr
