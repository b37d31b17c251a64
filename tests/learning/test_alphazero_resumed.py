"""Runs of AlphaZero with their own self-play: in two parts they are what they are in one, on one machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.agents.networks import inference, read_network  # noqa: E402
from plyground.arena.training.alphazero import AlphaZeroConfig, check_unfinished, resume, train  # noqa: E402

CONFIG = AlphaZeroConfig(
    "tictactoe",
    steps=320,
    minutes=None,
    num_envs=16,
    simulations=4,
    full_share=0.5,
    cheap_simulations=2,
    surprise_share=0.5,
    network="tiny",
    batch_size=32,
    learn_after=32,
    ladder_every=0,
)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="by turns"),
        pytest.param({"gating_games": 2, "gating_every": 100}, id="by turns, with gating"),
        pytest.param({"threads": 2, "root": "puct"}, id="side by side", marks=pytest.mark.slow),
    ],
)
def test_two_parts_are_one_run_bit_by_bit(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = replace(CONFIG, **changes)
    whole = train(config, tmp_path / "whole")
    train(replace(config, steps=150), tmp_path / "parts")
    parts = resume(tmp_path / "parts", steps=320)
    assert (parts.steps, parts.games, parts.samples, parts.learned) == (
        whole.steps,
        whole.games,
        whole.samples,
        whole.learned,
    )
    assert whole.learned > 0
    left, right = (read_network(tmp_path / name).weights for name in ("whole", "parts"))
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


# At a line that says how, it begins a run in a process of its own, or goes on with what is there; "step by step" is to
# tell of each turn, and to wait for a line before the next. To import all of this takes seconds, so it is forked.
TRAINS = """
import os, sys
from pathlib import Path
import torch
from plyground.arena.training.alphazero import AlphaZeroConfig, resume, train

run, config = map(Path, sys.argv[1:])
for line in sys.stdin:
    if line.strip():  # and not a line for one that was killed
        process = os.fork()
        if process == 0:
            break
        status = os.waitpid(process, 0)[1]
        print("ended", flush=True)
        if status not in (0, 9):  # by itself, or by the signal that nobody hears
            sys.exit(1)
else:
    sys.exit()

print("process", os.getpid(), flush=True)
tell = lambda progress: (print(progress.steps, flush=True), line == "step by step\\n" and sys.stdin.readline())
resume(run, tell) if run.is_dir() else train(AlphaZeroConfig.load(config), run, tell)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_again_and_again_it_is_the_run_in_one(tmp_path: Path) -> None:
    """Each time at another turn, or while something is written, by a signal that no process can hear."""
    config = replace(CONFIG, steps=2000, turn_plies=2, checkpoint_minutes=1e-3, checkpoint_every=500, backend="torch")
    train(config, tmp_path / "whole")
    config.save(tmp_path / "config.json")
    call = [sys.executable, "-c", TRAINS, str(tmp_path / "killed"), str(tmp_path / "config.json")]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for turns in (3, 7, 12, 20):
            process.stdin.write("step by step\n")
            process.stdin.flush()
            number = next(line for line in process.stdout if line.startswith("process")).split()[1]
            for _ in range(turns):
                assert int(process.stdout.readline()) < 2000
                process.stdin.write("\n")
                process.stdin.flush()
            os.kill(int(number), signal.SIGKILL)
            assert "ended\n" in process.stdout  # before it is asked for the next
        process.stdin.write("to the end\n")
        process.stdin.close()
        assert int(process.stdout.read().splitlines()[-2]) >= 2000
    assert process.returncode == 0
    left, right = (read_network(tmp_path / name).weights for name in ("whole", "killed"))
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


def test_on_another_machine_it_goes_on_with_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(replace(CONFIG, steps=150), tmp_path / "run")
    kept = tmp_path / "run" / "config.json"
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "device": "cuda:99"}))
    missing = "device must be 'cpu', or one that torch has here, got 'cuda:99'"
    for go_on in (check_unfinished, resume):
        with pytest.raises(ValueError, match=missing):
            go_on(tmp_path / "run", steps=320)
    with pytest.raises(ValueError, match="the seed that it has: only steps, minutes, threads, device, backend may"):
        resume(tmp_path / "run", steps=320, seed=1)
    with pytest.raises(ValueError, match="threads must be a whole number, from 1 to 1024, got 0"):
        resume(tmp_path / "run", steps=320, threads=0)
    before = kept.read_bytes()
    monkeypatch.setattr(inference, "_installed", lambda name: name != "onnxruntime")
    for go_on in (check_unfinished, resume):  # and not: the state is damaged
        with pytest.raises(ImportError, match="backend 'onnxruntime' is not installed"):
            go_on(tmp_path / "run", steps=320, device="cpu", backend="onnxruntime")
    assert kept.read_bytes() == before
    assert resume(tmp_path / "run", steps=320, threads=2, device="cpu", backend="torch").steps >= 320
    config = AlphaZeroConfig.load(kept)
    assert (config.threads, config.device, config.backend) == (2, "cpu", "torch")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counts": {"games": None}}, "TypeError: "),
        ({"losses": {"policy": "x"}}, "ValueError: could not convert string to float: 'x'"),
        ({"tested": [1]}, "TypeError: "),
        ({"counts": {"moves": 16}}, "ValueError: it counts 16 steps, and its name others"),
    ],
)
def test_wrong_numbers_of_a_state_are_told_before_anything_is_written(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    """With other steps than in its name, checkpoints were removed as if they had come later."""
    run = tmp_path / "run"
    train(replace(CONFIG, steps=100), run)
    (newest,) = run.glob("state/step_0000001*/state.json")
    state = json.loads(newest.read_text())
    for name, value in changes.items():
        state[name] = {**state[name], **value} if isinstance(value, dict) else value
    newest.write_text(json.dumps(state))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=f"cannot go on from '.*': {message}"):
        resume(run, steps=320)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_without_torch_it_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks can be asked without it, by NumPy at least, but it is what learns."""
    monkeypatch.setattr(inference, "_installed", lambda name: name != "torch")
    with pytest.raises(ImportError, match=r"backend 'torch' is not installed: pip install '\.\[rl\]'"):
        CONFIG.check_names()
