"""Ctrl-C at a command: it ends quietly, and with 130 where it has not done what was asked."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import write_games
from plyground.arena.bars import Bar
from plyground.arena.generation import generate
from tests.helpers.command_line import Run

# Ctrl-C comes as soon as a module is looked for, which its first argument names; the others are the command's.
WHILE_LOADING = """
import signal, sys

class CtrlC:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == awaited:
            sys.meta_path.remove(CtrlC)
            signal.raise_signal(signal.SIGINT)

awaited = sys.argv.pop(1)
sys.meta_path.insert(0, CtrlC)
from plyground.arena.cli import main
main()
"""
OF_BOTH = ("--num-envs", "4", "--ladder-every", "0")
OPTIONS = {  # with which 32 steps are made at a time
    "alphazero": (*OF_BOTH, "--simulations", "4", "--network", "tiny", "--backend", "torch"),
    "ppo": (*OF_BOTH, "--opponent", "random", "--settings", "n_steps=8, batch_size=16"),
}


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("typer", ["games"]),
        ("typer", []),
        ("rich.console", ["--version"]),
        ("plyground.arena.cli.commands", ["uci", "random"]),
        ("plyground.arena.cli.match", ["match", "random", "random"]),
        ("numpy", ["match", "random", "random"]),
        ("numba", ["generate", "tictactoe", "random", "--out", "never.jsonl"]),
        ("plyground.arena.training.alphazero.config", ["train", "alphazero", "tictactoe", "--steps", "8"]),
    ],
)
def test_while_it_is_loaded_nothing_is_said(module: str, command: list[str], tmp_path: Path) -> None:
    """It showed a traceback, in the first half second."""
    words = [sys.executable, "-c", WHILE_LOADING, module, *command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_after_the_table_nothing_is_said() -> None:
    """While its workers ended, which takes a second, it showed a traceback."""
    words = ["-m", "plyground.arena", "match", "random", "minimax", "-g", "tictactoe", "--games", "2", "--jobs", "2"]
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        assert match.stderr is not None
        assert any("minimax" in line for line in match.stdout)
        time.sleep(0.2)
        match.send_signal(signal.SIGINT)
        said = match.stderr.read()
    assert "KeyboardInterrupt" not in said
    assert match.returncode == 0


@pytest.fixture
def ctrl_c_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Ctrl-C come once in each training, as soon as its bar tells of a step that was not made before."""
    update = Bar.update

    def interrupting(bar: Bar, *task: Any, **changes: Any) -> None:
        update(bar, *task, **changes)
        if changes["completed"] > vars(bar).setdefault("begun", changes["completed"]):
            vars(bar)["begun"] = math.inf
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Bar, "update", interrupting)


@pytest.mark.usefixtures("ctrl_c_in_training")
@pytest.mark.parametrize("algorithm", OPTIONS)
def test_a_training_that_is_not_over_is_saved_and_ends_with_130(run: Run, tmp_path: Path, algorithm: str) -> None:
    """It ended with 0, as one that has done all."""
    pytest.importorskip("sb3_contrib")
    folder = tmp_path / "run"
    _, said = run(
        "train", algorithm, "tictactoe", "--out", str(folder), "--steps", "256", *OPTIONS[algorithm], code=130
    )
    assert f"{folder}: 64 steps; go on with --resume {folder}" in said.replace("\n", " ")  # those in progress are made
    assert f"{folder}: 128 steps" in run("train", "--resume", str(folder), code=130)[1].replace("\n", " ")
    _, said = run("train", "--resume", str(folder), "--steps", "160")  # here Ctrl-C comes after the last
    assert f"{folder}: 160 steps" in said.replace("\n", " ")


@pytest.mark.usefixtures("ctrl_c_in_training")
def test_so_does_a_pipeline_with_a_part_that_is_not(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    games, folder = tmp_path / "games.jsonl", tmp_path / "run"
    write_games(games, generate("tictactoe", ["random"], 80))
    words = ("train", "alphago", "tictactoe", "--records", str(games), "--test-share", "0.3", "--network", "tiny")
    words += ("--backend", "torch", "--policy-steps", "9", "--solved", "0", "--step", "policy", "--out", str(folder))
    _, said = run(*words, code=130)
    assert "policy: not finished rollout: not finished" in said.replace("\n", " ")


def test_whoever_leaves_watch_has_seen_what_was_asked_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = tmp_path / "games.jsonl"
    write_games(games, generate("tictactoe", ["random"], 2))

    def ctrl_c(seconds: float) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("plyground.arena.cli.parts.watching.time.sleep", ctrl_c)
    assert "2 games" in run("watch", str(games))[0]
