"""What the command line says of mistakes in files of the user's own: one line, and where."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from plyground.arena import read_records, write_records
from tests.helpers.command_line import Run

OWN = """
import numpy as np
from plyground.envs import Game, game_factory, tictactoe

@game_factory
def typo(size: int = 3):
    return Game(nme="typo")

@game_factory
def foreign(size: int = 3):
    return np.nothing

@game_factory
def refused(size: int = 3):
    raise ValueError("no board is that small")

@game_factory
def wrong(size: int = 3):
    return tictactoe().replace(num_actions=3.5)

class Unready:
    def __init__(self, game):
        self.depth = game.depth

class Many:
    def begin(self, batch, rows): ...
    def act(self, batch, rows): ...
    def end(self, batch, rows): ...

class Lone:
    def act(self, board): ...

class Careless:
    def act(self, observation, info):
        return int((np.zeros(3) + np.zeros(4)).argmax())
"""


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (
            "typo",
            "cannot make {}:typo: TypeError: Game.__init__() got an unexpected keyword argument 'nme' ({}, line 7)",
        ),
        ("foreign", "cannot make {}:foreign: AttributeError: module 'numpy' has no attribute 'nothing' ({}, line 11)"),
        ("refused", "no board is that small"),
        ("wrong", "num_actions must be a whole number, at least 1, got 3.5 ({1}, line 19)"),
        ("Unready", "cannot make {}:Unready: AttributeError: 'Game' object has no attribute 'depth' ({}, line 23)"),
        ("Careless", "operands could not be broadcast together with shapes (3,) (4,) ({1}, line 35)"),
        (
            "Many",
            "{}:Many has act(batch, rows), expected an agent with act(observation, info), which plays one game at a "
            "time; what plays many games at once may be an opponent in batches and in training",
        ),
        (
            "Lone",
            "{}:Lone has act(board), expected an agent with act(observation, info), which plays one game at a time",
        ),
    ],
)
def test_errors_in_a_file_of_ones_own(run: Run, tmp_path: Path, attribute: str, message: str) -> None:
    """A traceback came of most; what NumPy refuses was a line that did not say where."""
    file = tmp_path / "own.py"
    file.write_text(OWN)
    place = f"{file}:{attribute}"
    if attribute[0].islower():
        said = run("show", place, code=2)[1]
    else:
        said = run("match", place, "random", "--game", "tictactoe", "--games", "2", code=2)[1]
    assert f"error: {message.format(file, file)}" in " ".join(said.split())


def test_edits_after_games_were_played_are_told(run: Run, tmp_path: Path) -> None:
    """A store refuses them; with JSON lines, games by other rules were added without a word."""
    file, out = tmp_path / "own.py", tmp_path / "games.jsonl"
    file.write_text("def first(observation, info):\n    return int(info['action_mask'].argmax())\n")
    words = ("match", f"{file}:first", "random", "--game", "tictactoe", "--out", str(out), "--games")
    run(*words, "2")
    os.utime(file, (0, out.stat().st_mtime - 10))
    assert "was edited" not in run(*words, "2", "--resume")[1]
    os.utime(file, (0, out.stat().st_mtime + 10))
    told = " ".join(run(*words, "2", "--resume")[1].split())
    assert f"{file} was edited after the games in {out} were played" in told
    for name in ("a.py", "x" * 5000 + ".py:y", "nowhere.py:first", "\0:a"):  # of a stranger's file
        write_records(tmp_path / "others.jsonl", [replace(next(iter(read_records(out))), players=[name, "random"])])
        (tmp_path / "others.jsonl").touch()
        error = run(*words[:-2], str(tmp_path / "others.jsonl"), "--games", "2", "--resume", code=2)[1]
        assert "game 1 is of another match" in error
