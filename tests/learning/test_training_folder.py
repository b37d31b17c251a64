"""The folder of a training run after a kill: what was cut off is left out, and a run that had only begun is none."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.arena import TrainingConfig, resume, train, write_games  # noqa: E402
from plyground.arena.generation import generate  # noqa: E402
from plyground.arena.training import alphago, alphazero  # noqa: E402
from plyground.arena.training.folder import RunFolder, StateFolder  # noqa: E402
from plyground.arena.training.whole_files import alone_in  # noqa: E402
from plyground.envs.outside.files import check_writable  # noqa: E402
from plyground.envs.outside.whole_files import write_whole  # noqa: E402

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


@pytest.mark.parametrize(
    "cut_off",
    [
        b'{"steps": 200, "sec',
        b'{"steps"',
        b"2",
        b"\xc3",
        bytes(20),
        pytest.param(b'{"steps": 1e999}', id="no end"),
        pytest.param(10**5 * b"[", id="nested without end"),
    ],
)
def test_of_progress_only_the_line_that_was_cut_off_goes(folder: StateFolder, cut_off: bytes) -> None:
    for steps in (100, 200, 300):
        folder.note({"steps": steps})
    with folder.progress.open("ab") as file:
        file.write(cut_off)
    folder.forget_after(200)
    folder.note({"steps": 250})
    assert [json.loads(line)["steps"] for line in folder.progress.read_text().splitlines()] == [100, 200, 250]


@pytest.mark.parametrize("kind", [alphazero.AlphaZeroConfig, alphago.AlphaGoConfig])
def test_a_setting_of_another_version_is_named_with_those_that_there_are(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"game": "tictactoe", "inference": "torch"}))
    with pytest.raises(ValueError, match=r"'inference': .*Choose from: .*\bbackend\b"):
        kind.load(path)


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


def test_what_a_state_is_made_of_is_on_the_disk_before_it_has_its_name(
    folder: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a loss of power may leave states that look whole, with empty files."""
    synced, named = set[str](), list[tuple[str, set[str]]]()
    rename, replace = Path.rename, os.replace

    def note(path: Path) -> None:
        synced.add(path.name)

    def renamed(path: Path, target: Path) -> Path:
        named.append((target.name, set(synced)))
        return rename(path, target)

    def replaced(path: Path, target: Path) -> None:
        named.append((target.name, set(synced)))
        replace(path, target)

    monkeypatch.setattr("plyground.arena.training.folder.sync", note)
    monkeypatch.setattr(Path, "rename", renamed)
    monkeypatch.setattr(os, "replace", replaced)
    model = folder.model.name
    folder.write(100, {"numbers": np.zeros(3)}, {model: lambda path: path.write_bytes(b"weights")})
    parts = {"state.json", "arrays.npz", "tensors.pt", model, "step_000000100.partial", f"{model}.partial"}
    assert named == [("step_000000100", parts), (model, parts)]
    assert synced == {*parts, "state", folder.path.name}


def test_a_run_that_was_killed_before_its_first_state_is_none(folder: StateFolder) -> None:
    (folder.path / "state" / "step_000000000.partial").mkdir()
    with pytest.raises(FileNotFoundError, match="before its first state was saved: begin it anew"):
        folder.state()
    folder.check_new()
    folder.create(CONFIG)
    folder.write(0, {}, {"model.zip": lambda path: path.write_bytes(b"")})
    assert [path.name for path in folder.states()] == ["step_000000000"]
    with pytest.raises(FileExistsError, match="holds a run already"):
        folder.check_new()


@pytest.mark.parametrize("left", ["a model", "no folder of states"])
def test_what_else_has_a_config_is_a_run(folder: StateFolder, left: str) -> None:
    """Somebody removed the states, and keeps the model; or it is a run of alphago, whose parts have states."""
    if left == "a model":
        folder.model.write_bytes(b"")
    else:
        (folder.path / "state").rmdir()
    with pytest.raises(FileExistsError, match="holds a run already"):
        folder.check_new()


@pytest.mark.parametrize(
    "name", ["model.zip", "state/notes.txt", "replay/games.jsonl", "checkpoints/step_000000900.zip", "progress.jsonl"]
)
def test_files_of_others_are_where_no_run_begins(tmp_path: Path, name: str) -> None:
    run, file = StateFolder(tmp_path, "model.zip"), tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    with pytest.raises(FileExistsError, match=f"{name.partition('/')[0]}' is there already, where a run would keep"):
        run.check_new("replay")
    file.unlink()
    (tmp_path / "state").mkdir(exist_ok=True)
    (tmp_path / "state" / "step_000000000.partial").mkdir()  # of a run that could not begin
    run.check_new("replay")


def test_where_nothing_can_be_written_no_run_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run had compiled for a minute was lost."""
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    message = f"{re.escape(str(tmp_path))} cannot be written to"
    with pytest.raises(PermissionError, match=f"cannot make '.*run': {message}"):
        StateFolder(tmp_path / "run", "model.zip").check_new()
    with pytest.raises(PermissionError, match=f"cannot save to .*games.jsonl: {message}"):
        check_writable(tmp_path / "games.jsonl")
    (tmp_path / "there.jsonl").touch()
    check_writable(tmp_path / "there.jsonl")


def test_a_setting_without_a_default_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="is no configuration of a training run: the setting 'game' is missing"):
        alphazero.AlphaZeroConfig.load(tmp_path / "config.json")


def test_a_state_of_a_device_that_is_not_here_is_read(folder: StateFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tensors were told to go there, and the state was called damaged."""
    load = torch.load

    def load_on_the_cpu(*arguments: Any, map_location: Any = None, **options: Any) -> Any:
        if map_location != "cpu":
            raise RuntimeError("Attempting to deserialize object on a CUDA device")
        return load(*arguments, map_location=map_location, **options)

    folder.write(0, {"weights": torch.ones(2)}, {"model.zip": lambda path: path.write_bytes(b"")})
    monkeypatch.setattr(torch, "load", load_on_the_cpu)
    assert folder.read()["weights"].tolist() == [1.0, 1.0]


def test_copies_that_people_name_stay_and_are_no_states(folder: StateFolder) -> None:
    for steps in (900_000_000, 1_000_000_000):
        folder.write(steps, {"seconds": 1.0}, {"model.zip": lambda path: path.write_bytes(b"")})
    (folder.path / "state" / "step_900000000-best").mkdir()
    (folder.checkpoints / "step_900000000-best.zip").write_bytes(b"")
    assert folder.done() == (1_000_000_000, 1.0)
    folder.forget_after(0)
    assert [path.name for path in folder.checkpoints.iterdir()] == ["step_900000000-best.zip"]


# -- two processes -----------------------------------------------------------------------------------------------------

CONFIGS: dict[str, Any] = {
    "ppo": replace(CONFIG, opponents={"random": 1.0}, ladder=(), num_envs=2),
    "alphazero": alphazero.AlphaZeroConfig("tictactoe", steps=2, num_envs=2, network="tiny", simulations=2, ladder=()),
    "alphago": alphago.AlphaGoConfig("tictactoe", minutes=1e-9, network="tiny", ladder=()),
}
ROOMS: dict[str, Any] = {"alphazero": alphazero, "alphago": alphago}


@pytest.mark.parametrize("kind", CONFIGS)
def test_one_process_at_a_time_trains_in_a_folder(tmp_path: Path, kind: str) -> None:
    """Two wrote over each other's states and samples, and one of them ended as if the disk had failed."""
    room, config = ROOMS.get(kind), CONFIGS[kind]
    begin, go_on = (train, resume) if room is None else (room.train, room.resume)
    if kind == "alphago":
        write_games(tmp_path / "games.jsonl", generate("tictactoe", ["random"], 20))
        config = replace(config, records=(str(tmp_path / "games.jsonl"),), test_share=0.5)
    with alone_in(tmp_path / "new"), pytest.raises(OSError, match=r"another process trains in '.*new'"):
        begin(config, tmp_path / "new")
    assert not list((tmp_path / "new").iterdir())
    run = StateFolder(tmp_path / "run", "model.zip")
    run.create(config)
    run.write(1, {"seconds": 1.0}, {"model.zip": lambda path: path.write_bytes(b"")})
    (run.path / "records").mkdir()
    (run.path / "records" / "summary.json").write_text("{}")
    with alone_in(run.path), pytest.raises(OSError, match=r"another process trains in '.*run'"):
        go_on(run.path)
    with alone_in(run.path):  # it was given back
        pass


# -- a full disk -------------------------------------------------------------------------------------------------------


@contextmanager
def full_disk(room: int = 3000) -> Iterator[None]:
    """Let no file grow beyond so many bytes."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("kind", ["tensors.pt", "arrays.npz", "state.json", "model.zip"])
def test_a_full_disk_is_told_with_the_file_and_where_the_run_goes_on(tmp_path: Path, kind: str) -> None:
    run = RunFolder(tmp_path / "run")
    run.create(CONFIG)
    model = SimpleNamespace(num_timesteps=0, save=lambda file: torch.save(torch.zeros(1), file))
    run.save(model, {})
    large: dict[str, Any] = {"tensors.pt": torch.zeros(1000), "arrays.npz": np.zeros(1000), "state.json": "0" * 4000}
    model.num_timesteps = 100
    if kind == "model.zip":
        model.save = lambda file: torch.save(torch.zeros(1000), file)
    told = (
        rf"cannot read or write .*step_000000100.partial.{kind}: file too large; the run in .* can go on from its last"
    )
    with full_disk(), pytest.raises(OSError, match=rf"{told} state, state.step_000000000") as error, run.resumable():
        run.save(model, {"large": large.get(kind, 0)})
    assert error.value.errno == errno.EFBIG
    assert [path.name for path in run.states()] == ["step_000000000"]
    run.save(model, {"large": large.get(kind, 0)})
    assert [path.name for path in run.states()] == ["step_000000000", "step_000000100"]


def test_a_wrong_byte_in_tensors_is_found(tmp_path: Path) -> None:
    """Torch compares no checksums: the run went on with other weights."""
    run = RunFolder(tmp_path / "run")
    run.create(CONFIG)
    run.save(SimpleNamespace(num_timesteps=0, save=lambda file: torch.save(torch.zeros(1), file)), {"w": torch.ones(9)})
    path = run.state() / "tensors.pt"
    path.write_bytes(path.read_bytes().replace(np.float32(1).tobytes() * 9, np.float32(2).tobytes() * 9))
    with pytest.raises(ValueError, match=r"cannot go on from .*tensors.pt' is damaged"):
        run.read()


def test_other_files_of_a_run_are_named_where_the_disk_is_full(folder: StateFolder) -> None:
    with full_disk(), pytest.raises(OSError, match=r"File too large: '.*/shard'"):
        write_whole(folder.path / "shard", bytes(4000))
    with full_disk(), pytest.raises(OSError, match=r"File too large: '.*progress.jsonl'"):
        folder.note({"steps": 100, "text": "0" * 4000})
    with (
        full_disk(),
        pytest.raises(OSError, match=r"File too large: '.*step_000000100.partial.zip'"),
        folder.resumable(),
    ):
        folder.add_checkpoint(100, lambda path: path.write_bytes(bytes(4000)))


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    """They were checked, and trained with, and then could not be saved."""
    config = replace(
        CONFIG, minutes=np.float32(0.5), opponents={"random": np.float64(1), "minimax(depth=1)": np.int64(2)}
    )
    config.anywhere().save(tmp_path / "config.json")
    kept = TrainingConfig.load(tmp_path / "config.json")
    assert (kept.minutes, dict(kept.opponents)) == (0.5, {"random": 1.0, "minimax(depth=1)": 2.0})
    assert type(replace(CONFIG, seed=np.int64(7)).seed) is int  # refused as no whole number
    with pytest.raises(ValueError, match=r"seed must be a whole number, .* got True"):
        replace(CONFIG, seed=True)
