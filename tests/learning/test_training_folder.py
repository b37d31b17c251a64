"""The folder of a training run after a kill: what was cut off is left out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("torch")

from plyground.arena import TrainingConfig  # noqa: E402
from plyground.arena.training.folder import StateFolder  # noqa: E402

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
