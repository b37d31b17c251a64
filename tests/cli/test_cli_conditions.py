"""Clocks, adjudication and kept analyses: what ``plyground match``, ``tournament`` and ``sprt`` have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from plyground.arena import GameRecord, read_records
from tests.helpers.command_line import Run

SLEEPY = """
import time

import numpy as np


def player(observation, info):
    time.sleep(0.1)  # longer than the move has, with its margin
    return int(np.flatnonzero(observation["action_mask"])[0])
"""
COMMANDS = [
    ("match", "--games", "2"),
    ("tournament", "--games", "2"),
    ("sprt", "--max-games", "2"),
]


@pytest.fixture(params=COMMANDS, ids=lambda command: command[0])
def command(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return request.param


def played(run: Run, command: tuple[str, ...], *words: str) -> list[GameRecord]:
    """Return the two games that a command plays."""
    run(*command, *words, "-g", "tictactoe", "--opening-plies", "0", "--out", "games.jsonl")
    records = list(read_records("games.jsonl"))
    assert len(records) == 2
    return records


def test_games_are_adjudicated_and_analyses_kept(
    run: Run, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("--time", "60+1", "--adjudicate", "draw(moves=2, after=3)", "--analyses")
    for record in played(run, command, "minimax", "minimax", *options):
        assert (record.ending, record.outcome, len(record.moves)) == ("adjudicated", [0, 0], 7)
        assert record.analyses is not None
        assert [one is not None and one.value for one in record.analyses] == [0.0] * 7


def test_without_them_there_are_none(
    run: Run, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for record in played(run, command, "minimax", "minimax"):
        assert (record.ending, record.outcome, len(record.moves)) == ("finished", [0, 0], 9)
        assert record.analyses is None


def test_who_is_late_loses(run: Run, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sleepy.py").write_text(SLEEPY)
    records = played(run, command, "./sleepy.py:player", "./sleepy.py:player", "--time", "0.01/move")
    assert [(record.ending, record.outcome, record.moves) for record in records] == [("time", [-1.0, 1.0], [])] * 2
