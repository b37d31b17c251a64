"""``plyground warm``: games and agents compiled ahead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plyground.arena.cli.parts.warming import sorted_out
from tests.helpers.command_line import Run


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
        said = "unknown game or agent 'conect_four': did you mean 'connect_four'?"
        assert said in run("warm", "conect_four", code=2)[1]
        assert "unknown game or agent 'mtcs': did you mean 'mcts'?" in run("warm", "tictactoe", "mtcs", code=2)[1]
        assert "jobs must be a number of processes" in run("warm", "--jobs", "0", code=2)[1]

    def test_games_and_agents_of_ones_own_are_told_apart(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(tmp_path)
        Path("own_for_warm.py").write_text(
            "from plyground.envs import tictactoe\n"
            "def small(size=3):\n    return tictactoe()\n"
            "made = tictactoe()\n"
            "class Player:\n"
            "    def __init__(self, game):\n        pass\n"
            "def first(observation, info):\n    return int(observation['action_mask'].argmax())\n"
            "def for_one(game, deep=True):\n    return Player(game)\n"
        )
        games = ["./own_for_warm.py:small(size=4)", "tictactoe", "./own_for_warm.py:made", "go_9x9"]
        agents = ["./own_for_warm.py:Player", "mcts", "./own_for_warm.py:first", "./own_for_warm.py:for_one"]
        assert sorted_out([*agents[:2], *games, *agents[2:]]) == (games, agents)
