"""Runs of AlphaZero: what they write, interruption, and going on bit for bit."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import Mock, call

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.agents import make  # noqa: E402
from plyground.agents.networks import read_network  # noqa: E402
from plyground.arena.training.alphazero import AlphaZeroConfig, check_unfinished, resume, run_folder, train  # noqa: E402
from plyground.arena.training.alphazero.gating import score_of  # noqa: E402
from plyground.arena.training.alphazero.replay import ReplayBuffer  # noqa: E402
from plyground.arena.training.alphazero.session import AlphaZeroProgress, AlphaZeroSession  # noqa: E402
from plyground.arena.training.alphazero.sources import OwnPlay  # noqa: E402
from plyground.envs import make_game  # noqa: E402
from tests.helpers.alphazero_play import SMALL_RUN, RandomPlay  # noqa: E402
from tests.helpers.command_line import Run  # noqa: E402

CONFIG = replace(
    SMALL_RUN,
    actors=0,
    steps=400,
    turn_plies=4,
    replay_ratio=2.0,
    window=100,
    ladder=("random",),
    ladder_games=10,
    positions=0,
    checkpoint_every=192,
)


@pytest.fixture(autouse=True)
def _random_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Self-play makes random moves: what is tested here is what is done with its samples."""
    monkeypatch.setattr("plyground.arena.training.alphazero.sources.SelfPlay", RandomPlay)


def weights(run: Path) -> dict[str, Any]:
    return read_network(run / "model.safetensors").weights


def assert_same(one: Path, other: Path) -> None:
    left, right = weights(one), weights(other)
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


def test_a_game_of_ones_own_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file may be named from where one is; the run, and who plays from it later, find it from elsewhere."""
    source = "from plyground.envs import make_game\n\n\ndef mine():\n    return make_game('tictactoe')\n"
    (tmp_path / "mine.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    train(replace(CONFIG, game="./mine.py:mine", steps=192), "run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert resume(tmp_path / "run", steps=384).steps == 384
    game = make_game("../mine.py:mine")
    state = game.new_state()
    info = {"state": state, "action_mask": np.ones(9, np.int8)}
    assert make(f"network({tmp_path / 'run'})", game).act(game.observation(state, 0), info) in range(9)


def test_a_run_writes_net_checkpoints_scores_and_samples(tmp_path: Path) -> None:
    seen: list[AlphaZeroProgress] = []
    progress = train(replace(CONFIG, ladder_every=200), tmp_path / "run", seen.append)
    assert progress is seen[-1]
    assert progress.steps == 448  # 7 turns of 4 plies in 16 games
    assert progress.learned == 2 * progress.samples // 32 > 0
    assert progress.window == CONFIG.window_of(progress.samples) > 100
    assert progress.ladder.keys() == {"random"}
    rates, times, scores = progress.line().splitlines()
    assert re.fullmatch(r"448 steps, [\d.]+ games/s, [\d,]+ steps/s, [\d,]+ simulations/s", rates)
    assert re.fullmatch(
        r"time: search \d+ %, net \d+ %, learning \d+ %, other \d+ % \| losses: policy [\d.]+, value [\d.]+", times
    )
    assert re.fullmatch(r"random \d+ %", scores)
    assert sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir()) == [
        "step_000000192.safetensors",
        "step_000000384.safetensors",
        "step_000000448.safetensors",
    ]
    lines = [json.loads(line) for line in (tmp_path / "run" / "progress.jsonl").read_text().splitlines()]
    assert [line["steps"] for line in lines] == [256, 448]
    notes = read_network(tmp_path / "run" / "model.safetensors").notes
    assert notes["steps"] == 448
    assert notes["config"]["game"] == "tictactoe"
    assert list((tmp_path / "run" / "tensorboard").glob("events*"))


@pytest.mark.parametrize(("minutes", "kept"), [(1e-9, [64, 128, 192, 256]), (None, [256])])
def test_checkpoints_are_kept_by_time_unless_steps_are_given(
    tmp_path: Path, minutes: float | None, kept: list[int]
) -> None:
    """By steps alone, an hour of a fast net filled the disk with hundreds."""
    train(replace(CONFIG, steps=256, checkpoint_every=None, checkpoint_minutes=minutes), tmp_path / "run")
    found = sorted(path.stem for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert found == [f"step_{steps:09}" for steps in kept]


def test_the_last_test_is_among_the_scalars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are written every ten seconds, and at the end."""
    told = Mock()
    monkeypatch.setattr("plyground.arena.training.alphazero.board._new_writer", lambda folder, step: told)
    progress = train(replace(CONFIG, ladder_every=200), tmp_path / "run")
    assert call("ladder/random", progress.ladder["random"], 448) in told.add_scalar.call_args_list


@pytest.mark.parametrize("changes", [{}, {"value": "wdl", "plies_left": 0.1, "network": "mlp"}])
def test_a_run_in_two_parts_is_the_run_in_one_bit_by_bit(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = replace(CONFIG, **changes)
    train(config, tmp_path / "whole")
    train(replace(config, steps=200, minutes=60.0), tmp_path / "parts")
    with pytest.raises(ValueError, match="nothing left to do: 256 of 200 steps"):
        check_unfinished(tmp_path / "parts")
    progress = resume(tmp_path / "parts", steps=400)
    assert progress.steps == 448
    parts = AlphaZeroConfig.load(tmp_path / "parts" / "config.json")
    assert (parts.steps, parts.minutes) == (400, 60.0)  # a limit that is not given stays
    assert_same(tmp_path / "whole", tmp_path / "parts")


def test_a_killed_run_goes_on_from_its_last_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(CONFIG, tmp_path / "whole")
    turn = AlphaZeroSession.turn

    def turn_and_die(session: AlphaZeroSession) -> None:
        turn(session)
        session.buffer.flush()  # so that there are samples after the last state
        if session.steps >= 320:
            raise KeyboardInterrupt

    monkeypatch.setattr(AlphaZeroSession, "turn", turn_and_die)
    with pytest.raises(KeyboardInterrupt):
        train(CONFIG, tmp_path / "killed")
    monkeypatch.setattr(AlphaZeroSession, "turn", turn)
    assert run_folder(tmp_path / "killed").done()[0] == 192
    resume(tmp_path / "killed")
    assert_same(tmp_path / "whole", tmp_path / "killed")


def test_the_first_interrupt_ends_the_run_after_the_turn(tmp_path: Path) -> None:
    def interrupt(progress: AlphaZeroProgress) -> None:
        if progress.steps == 64:
            os.kill(os.getpid(), signal.SIGINT)

    progress = train(CONFIG, tmp_path / "run", interrupt)
    assert progress.steps == 128
    assert run_folder(tmp_path / "run").done()[0] == 128


def test_a_second_interrupt_does_not_wait_for_the_turn_that_is_played_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, begun = iter(range(50_000)), Event()  # without end, but for a test that fails

    class Endless(RandomPlay):
        def play(self, evaluate: Any, *, moves: int) -> Any:
            if moves == 1:  # what is played to compile it
                return super().play(evaluate, moves=moves)
            for _ in questions:
                evaluate(self.batch.observations, self.batch.masks.astype(bool))
                begun.set()
            return None

    def interrupt(session: AlphaZeroSession) -> int:
        begun.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr("plyground.arena.training.alphazero.sources.SelfPlay", Endless)
    monkeypatch.setattr(AlphaZeroSession, "_learn", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train(replace(CONFIG, threads=2), tmp_path / "run")
    assert next(questions, None) is not None
    assert run_folder(tmp_path / "run").done()[0] == 0


def test_a_damaged_state_is_said_in_a_line(tmp_path: Path) -> None:
    train(replace(CONFIG, steps=128), tmp_path / "run")
    shard = next((tmp_path / "run" / "replay").glob("shard_*"))
    shard.write_bytes(b"\x01" + shard.read_bytes()[1:])
    with pytest.raises(ValueError, match=r"cannot go on from .*step_000000128.*is damaged"):
        resume(tmp_path / "run", steps=200)


def test_an_older_state_goes_on_without_the_shards_that_only_later_ones_need(tmp_path: Path) -> None:
    train(CONFIG, tmp_path / "whole")
    run = run_folder(tmp_path / "run")
    train(replace(CONFIG, steps=256, checkpoint_every=64), run.path)
    shards = sorted((run.path / "replay").glob("shard_*"))
    shards[-1].write_bytes(shards[-1].read_bytes()[:-5])
    hint = "without this folder the run goes on from step_000000192"
    with pytest.raises(ValueError, match=f"cannot go on from .*step_000000256.*another length.*; {hint}"):
        resume(run.path, steps=400)
    shards[-2].write_bytes(b"")
    with pytest.raises(ValueError, match="without this folder and step_000000192 the run goes on from step_000000128"):
        resume(run.path, steps=400)
    for state in run.states()[-2:]:
        shutil.rmtree(state)
    resume(run.path, steps=400)
    assert_same(tmp_path / "whole", run.path)


def test_an_older_state_is_named_where_a_file_of_the_newest_is_damaged(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run")
    train(replace(CONFIG, steps=64), run.path)
    hint = "without this folder the run goes on from step_000000000"
    for name in ("state.json", "arrays.npz", "tensors.pt"):
        content = (run.state() / name).read_bytes()
        (run.state() / name).write_bytes(content[:-5])
        with pytest.raises(ValueError, match=f"cannot go on from .*step_000000064.*; {hint}"):
            resume(run.path, steps=400)
        (run.state() / name).write_bytes(content)
    resume(run.path, steps=128)


@pytest.mark.parametrize("fault", ["index", "no index", "another game"])
def test_no_older_state_is_named_where_none_goes_on(tmp_path: Path, fault: str) -> None:
    run = run_folder(tmp_path / "run")
    train(replace(CONFIG, steps=128), run.path)
    index = run.path / "replay" / "index.json"
    if fault == "index":
        index.write_text("{")
    elif fault == "no index":
        index.unlink()
    else:
        replace(CONFIG, game="connect_four").save(run.config)
    with pytest.raises(ValueError, match=r"cannot go on from .*step_000000128") as told:
        resume(run.path, steps=400)
    assert "goes on from" not in str(told.value)


def test_a_run_that_cannot_begin_leaves_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: OwnPlay) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(OwnPlay, "prepare", fail)
        with pytest.raises(MemoryError):
            train(CONFIG, tmp_path / "run")
    assert train(replace(CONFIG, steps=64), tmp_path / "run").steps == 64


@pytest.mark.parametrize("name", ["agents.networks.save_network", "envs.outside.whole_files.write_whole"])
def test_what_cannot_be_written_first_leaves_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def fail(path: Path, *more: Any, **options: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(f"plyground.{name}", fail)
    with pytest.raises(OSError, match=r"(?i)no space left"):
        train(CONFIG, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_without_torch_is_said_how_it_is_installed(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from plyground.arena.training.alphazero import AlphaZeroConfig, train\n"
        f"train(AlphaZeroConfig('tictactoe', ladder=()), {str(tmp_path / 'run')!r})"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "ImportError: backend 'torch' is not installed: pip install '.[rl]'" in told
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("was_there", [False, True])
def test_a_run_that_does_not_fit_into_memory_is_a_line_and_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_there: bool
) -> None:
    def fail(*arguments: Any) -> None:
        raise MemoryError("Unable to allocate 65.7 GiB")

    monkeypatch.setattr("plyground.arena.training.alphazero.sources.SelfPlay", fail)
    if was_there:
        (tmp_path / "run").mkdir()
    given = ("--out", str(tmp_path / "run"), "--num-envs", "512", "--simulations", "32", "--network", "tiny")
    _, err = run("train", "alphazero", "tictactoe", *given, "--backend", "torch", code=2)
    assert err.splitlines()[-1] == (
        "error: 512 games of tictactoe with 32 simulations a move do not fit into memory: fewer --num-envs or "
        "--simulations (Unable to allocate 65.7 GiB)"
    )
    assert list(tmp_path.rglob("*")) == [tmp_path / "run"] * was_there


def test_a_state_that_does_not_fit_into_memory_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(session: AlphaZeroSession, state: Any) -> None:
        raise MemoryError

    train(replace(CONFIG, steps=64), tmp_path / "run")
    monkeypatch.setattr(AlphaZeroSession, "load_state_dict", fail)
    with pytest.raises(MemoryError, match="16 games of tictactoe with 4 simulations a move do not fit into memory"):
        resume(tmp_path / "run", steps=200)


def test_a_run_begins_where_one_of_another_game_was_killed_before_its_first_state(tmp_path: Path) -> None:
    other = replace(CONFIG, game="connect_four")
    run_folder(tmp_path / "run").create(other)
    ReplayBuffer(tmp_path / "run" / "replay", make_game(other.game), other.window_of)
    assert train(replace(CONFIG, steps=64), tmp_path / "run").steps == 64


def test_a_folder_named_as_that_of_the_samples_stays(tmp_path: Path) -> None:
    games = tmp_path / "replay" / "games.jsonl"
    games.parent.mkdir()
    games.write_text("mine")
    with pytest.raises(FileExistsError, match="replay' is there already, where a run would keep its own"):
        train(replace(CONFIG, steps=64), tmp_path)
    assert games.read_text() == "mine"


def test_a_damaged_older_state_does_not_end_a_run_that_goes_on(tmp_path: Path) -> None:
    train(replace(CONFIG, steps=128, checkpoint_every=64), tmp_path / "run")
    (tmp_path / "run" / "state" / "step_000000064" / "state.json").write_text("")
    assert resume(tmp_path / "run", steps=192).steps == 192
    assert run_folder(tmp_path / "run").states()[0].name == "step_000000064"


def test_names_are_checked_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="alphabeta"):
        train(replace(CONFIG, ladder=("alphabta",)), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(ValueError, match="device must be 'cpu', or one that torch has here, got 'cdua': Expected one"):
        train(replace(CONFIG, device="cdua"), tmp_path / "run")
    with pytest.raises(ValueError, match="seed must be a whole number, from 0 to 9223372036854775807"):
        replace(CONFIG, seed=2**70)
    with pytest.raises(ValueError, match="cheap_simulations must be at most simulations, 4, got 8"):
        AlphaZeroConfig("tictactoe", simulations=4, full_share=0.5)
    with pytest.raises(ValueError, match="give steps, or minutes"):
        AlphaZeroConfig("tictactoe", minutes=None)
    with pytest.raises(ValueError, match="unknown size of a network 'smal': did you mean 'small'"):
        train(replace(CONFIG, network="smal"), tmp_path / "run")
    with pytest.raises(ValueError, match="pass_after must be 0: tictactoe has no pass, one action more than cells"):
        train(replace(CONFIG, pass_after=3), tmp_path / "run")
    with pytest.raises(ValueError, match="ownership must be 0: tictactoe does not tell whose cells are"):
        train(replace(CONFIG, ownership=0.1), tmp_path / "run")
    with pytest.raises(ValueError, match="decisive needs proofs"):
        replace(CONFIG, decisive=True, proofs=False)
    assert replace(CONFIG, decisive=False, proofs=False).decisive is False
    for network in ("mlp", "mlp3x8", "mlp8-4"):
        with pytest.raises(ValueError, match="ownership must be 0 for an mlp"):
            train(replace(CONFIG, game="othello", ownership=0.1, network=network), tmp_path / "run")
    with pytest.raises(ValueError, match=r"value must be tanh: .* results of othello\(by_discs=True\) go up to 64"):
        train(replace(CONFIG, game="othello(by_discs=True)", value="wdl"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_better_net_takes_the_place_of_the_one_that_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = "plyground.arena.training.alphazero.session.score_of"
    scores, seeds = iter([0.5, 0.6, 0.5, 0.5, 0.5, 0.5]), list[int]()
    monkeypatch.setattr(place, lambda *arguments: seeds.append(arguments[-1]) or next(scores))
    config = replace(CONFIG, gating_games=4, gating_every=64)
    train(replace(config, steps=256), tmp_path / "parts")
    lines = [json.loads(line) for line in (tmp_path / "parts" / "progress.jsonl").read_text().splitlines()]
    assert [(line["steps"], line["gating"]) for line in lines] == [(64, 0.5), (128, 0.6), (192, 0.5), (256, 0.5)]
    assert len({*seeds, *(config.seed + steps for steps in (64, 128, 192, 256))}) == 8  # of no neighbouring run
    resume(tmp_path / "parts", steps=300)
    scores = iter([0.5, 0.6, 0.5, 0.5, 0.5, 0.5])
    monkeypatch.setattr(place, lambda *arguments: next(scores))
    train(replace(config, steps=300), tmp_path / "whole")
    assert_same(tmp_path / "whole", tmp_path / "parts")
    scores = iter([0.5] * 4)
    train(replace(config, steps=256), tmp_path / "never")
    assert not weights(tmp_path / "never")["policy.last.weight"].any()  # as a new net
    assert weights(tmp_path / "whole")["policy.last.weight"].any()


def test_a_match_of_nets_counts_for_the_candidate() -> None:
    game = make_game("tictactoe")
    config = replace(CONFIG, gating_games=8, simulations=8, root="puct")

    def even(planes: Any, masks: Any) -> Any:
        return np.zeros(masks.shape, np.float32), np.zeros(len(planes), np.float32)

    def foolish(planes: Any, masks: Any) -> Any:  # goes for the first legal action, and takes all else for lost
        logits = np.where(masks.argmax(1)[:, None] == np.arange(9), 50.0, 0.0)
        return logits.astype(np.float32), np.zeros(len(planes), np.float32)

    config = replace(config, simulations=2, proofs=False)
    assert score_of(game, config, even, even, 0) == pytest.approx(0.5)
    better = score_of(game, replace(config, simulations=64), even, foolish, 0)
    assert better + score_of(game, replace(config, simulations=64), foolish, even, 0) == pytest.approx(1)
    assert better > 0.5
