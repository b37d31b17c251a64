"""``plyground warm``: games and agents compiled ahead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
        assert "unknown game 'conect_four': did you mean 'connect_four'?" in run("warm", "conect_four", code=2)[1]
        assert "jobs must be a number of processes" in run("warm", "--jobs", "0", code=2)[1]
