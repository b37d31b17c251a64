"""The folder of a training run after a kill: what was cut off is left out, and a run that had only begun is none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("torch")

from plyground.arena import TrainingConfig
from plyground.arena.training.folder import StateFolder

CONFIG = TrainingConfig("tictactoe", steps=100)


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    run = StateFolder(tmp_path / "run", "model.zip")
    run.create(CONFIG)
    return run


def test_a_checkpoint_that_was_cut_off_goes(folder: StateFolder) -> None:
    for name in ("step_000000100.zip", "step_000000200.zip", "step_000000200.partial.zip", "step_000000300.zip"):
        (folder.checkpoints / name).write_bytes(b"")
    folder.forget_after(200)
    assert sorted(path.name for path in folder.checkpoints.iterdir()) == ["step_000000100.zip", "step_000000200.zip"]


@pytest.mark.parametrize("cut_off", [b'{"steps": 200, "sec', b'{"steps"', b"2", b"\xc3", bytes(20)])
def test_of_progress_only_the_line_that_was_cut_off_goes(folder: StateFolder, cut_off: bytes) -> None:
    for steps in (100, 200, 300):
        folder.note({"steps": steps})
    with folder.progress.open("ab") as file:
        file.write(cut_off)
    folder.forget_after(200)
    folder.note({"steps": 250})
    assert [json.loads(line)["steps"] for line in folder.progress.read_text().splitlines()] == [100, 200, 250]


def test_config_and_progress_are_written_whole_or_stay(folder: StateFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.note({"steps": 100})

    def die(*paths: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        TrainingConfig("tictactoe", steps=200).save(folder.config)
    with pytest.raises(KeyboardInterrupt):
        folder.forget_after(0)
    assert TrainingConfig.load(folder.config) == CONFIG
    assert json.loads(folder.progress.read_text()) == {"steps": 100}


def test_a_run_that_was_killed_before_its_first_state_is_none(folder: StateFolder) -> None:
    (folder.path / "state" / "step_000000000.partial").mkdir()
    with pytest.raises(FileNotFoundError, match="holds no training run that could go on"):
        folder.state()
    folder.check_new()
    folder.create(CONFIG)
    folder.write(0, {}, {"model.zip": lambda path: path.write_bytes(b"")})
    assert [path.name for path in folder.states()] == ["step_000000000"]
    with pytest.raises(FileExistsError, match="holds a training run already"):
        folder.check_new()


@pytest.mark.parametrize("left", ["a model", "no folder of states"])
def test_what_else_has_a_config_is_a_run(folder: StateFolder, left: str) -> None:
    """Somebody removed the states, and keeps the model; or it is a run of alphago, whose parts have states."""
    if left == "a model":
        folder.model.write_bytes(b"")
    else:
        (folder.path / "state").rmdir()
    with pytest.raises(FileExistsError, match="holds a training run already"):
        folder.check_new()
