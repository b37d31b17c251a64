"""What the command line says of mistakes in files of the user's own: one line, and where."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import match, read_records, write_records
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

@game_factory
def undrawn(size: int = 3):
    def picture(state):
        return {}["board"]
    return tictactoe().replace(text=picture)

class Unready:
    def __init__(self, game):
        self.depth = game.depth

class Many:
    def begin(self, batch, rows): ...
    def act(self, batch, rows): ...
    def end(self, batch, rows): ...

class Lone:
    def act(self, board): ...
"""

FAILING = """
import numpy as np

class Careless:
    def act(self, observation, info):
        return int((np.zeros(3) + np.zeros(4)).argmax())

class Tired:  # after its first game
    games = 0

    def reset(self, seed=None):
        self.games += 1

    def act(self, observation, info):
        legal = np.flatnonzero(info["action_mask"])
        return int(legal[0]) if self.games < 2 else self.give_up(legal)

    def give_up(self, legal):
        raise RuntimeError(f"no idea which of\\n{legal.tolist()}")

class Unsettled:
    def reset(self, seed=None):
        raise KeyError

    def act(self, observation, info): ...

def leaver(observation, info):
    raise SystemExit(3)
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
        ("Unready", "cannot make {}:Unready: AttributeError: 'Game' object has no attribute 'depth' ({}, line 29)"),
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


AFTER = "in a game of tictactoe with seed 2968811710, after 7 5"


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (
            "Careless",
            f"failed when it was to move as X against random, {AFTER}: ValueError: operands could not be broadcast "
            "together with shapes (3,) (4,) ({}, line 6, in act)",
        ),
        ("Unsettled", f"failed when the game began as X against random, {AFTER}: KeyError ({{}}, line 23, in reset)"),
        (
            "leaver",
            f"failed when it was to move as X against random, {AFTER}: RuntimeError: the player called sys.exit(3), "
            "expected an answer ({}, line 28, in leaver)",
        ),
    ],
)
def test_a_player_that_fails_in_a_match(run: Run, tmp_path: Path, attribute: str, message: str) -> None:
    """It was a long traceback that named no player, or a line that did not either."""
    file = tmp_path / "own.py"
    file.write_text(FAILING)
    told = f"error: {file}:{attribute} {message.format(file)}\n"
    words = ("match", f"{file}:{attribute}", "random", "--game", "tictactoe", "--games", "2")
    said = run(*words, code=1)[1]
    assert said.endswith(f"{told}'plyground --traceback …' shows the whole traceback\n")
    assert "Traceback" not in said
    whole = run("--traceback", *words, code=1)[1]
    assert whole.endswith(told)
    assert "Traceback (most recent call last):" in whole


def test_a_player_that_fails_in_another_process(run: Run, tmp_path: Path) -> None:
    """The traceback stays there, and with it the line."""
    file = tmp_path / "own.py"
    file.write_text(FAILING)
    said = run("match", f"{file}:Careless", "random", "--game", "tictactoe", "--games", "2", "--jobs", "2", code=1)[1]
    assert f"{AFTER}: ValueError: operands could not" in said
    assert f"({file}, line 6, in act)\n" in said


def test_games_before_a_failure_are_kept(run: Run, tmp_path: Path) -> None:
    file, out = tmp_path / "own.py", tmp_path / "games.jsonl"
    file.write_text(FAILING)
    words = ("tournament", f"{file}:Tired", "random", "--game", "tictactoe", "--games", "4", "--out", str(out))
    said = run(*words, code=1)[1]
    assert "ended after 1 of 4 games\n" in said
    assert f"error: {file}:Tired failed when it was to move as O against random, in a game of tictactoe with" in said
    assert "RuntimeError: no idea which of [" in said
    assert f"({file}, line 19, in give_up)\n" in said
    assert len(list(read_records(out))) == 1
    assert "1 of 4 games are in" in run(*words, "--resume", code=1)[1]
    assert len(list(read_records(out))) == 2  # by a new player, which was fresh


def test_an_opponent_that_fails(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(FAILING)
    said = run("play", "tictactoe", "--against", "own.py:Careless", "--seat", "second", code=1)[1]
    told = (
        "own.py:Careless failed when it was to move as X against human, in a game of tictactoe with seed 0, before any"
    )
    assert f"error: {told} move: ValueError: operands could not" in said


def test_from_python_the_error_stays_what_it_is() -> None:
    class Failing:
        def act(self, observation: Any, info: Any) -> int:
            raise ArithmeticError("a sum")

    with pytest.raises(ArithmeticError, match="a sum") as raised:
        match("tictactoe", [Failing(), "random"], games=2)
    (note,) = raised.value.__dict__["__notes__"]  # which Python shows from 3.11 on
    assert note == f"Failing failed when it was to move as X against random, {AFTER}"


def test_what_raises_outside_of_a_game_is_told_without_a_player(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    said = run("show", f"{file}:undrawn", code=1)[1]
    assert f"error: KeyError: 'board' ({file}, line 24, in picture)\n" in said


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
