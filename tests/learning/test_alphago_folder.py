"""The folder of a run of AlphaGo's pipeline, and its parts: that they go on later, and what is told of them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("torch")

from plyground.agents.networks import inference, read_network
from plyground.arena import read_records, write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago import AlphaGoConfig, AlphaGoProgress, resume, train
from plyground.arena.training.alphago.part import Run, part_folder
from plyground.arena.training.alphago.policy import PolicyPart
from plyground.arena.training.alphago.reinforce import ReinforcePart
from plyground.arena.training.alphago.rollout import RolloutPart
from plyground.arena.training.alphago.summary import lines_of
from plyground.arena.training.alphago.value import ValuePart
from plyground.arena.training.alphazero.samples import new_samples
from plyground.envs import GameBatch, make_game
from tests.helpers.alphago_runs import small_run
from tests.helpers.training_runs import Stop


@pytest.fixture
def config(tmp_path: Path) -> AlphaGoConfig:
    path = tmp_path / "games.jsonl"
    write_games(path, generate("tictactoe", ["random"], 40))
    return small_run(
        "tictactoe",
        path,
        network="mlp",
        batch_size=16,
        policy_steps=4,
        rl_games=4,
        ladder=(),
        ladder_games=2,
        solved=0,
    )


def test_a_part_that_goes_on_counts_the_steps_of_the_parts_before_it(config: AlphaGoConfig, tmp_path: Path) -> None:
    """TensorBoard forgets what comes after the first step of a session: with a smaller one it forgot the whole part."""
    seen: list[AlphaGoProgress] = []
    train(config, tmp_path / "run", Stop(6), parts=["policy", "rl"])
    resume(tmp_path / "run", seen.append, parts=["rl"])
    assert [one.steps for one in seen if one.part == "rl"] == [7, 8, 8]
    resume(tmp_path / "run", seen.append, parts=["rollout"])
    assert (seen[-1].part, seen[-1].steps) == ("rollout", 4)


def test_a_part_with_more_time_has_no_results_of_the_net_that_it_had(config: AlphaGoConfig, tmp_path: Path) -> None:
    path = tmp_path / "run"
    train(replace(config, minutes=1e-9), path, parts=["policy"])
    resume(path, Stop(2), parts=["policy"], minutes=10.0)
    assert read_network(path / "policy").notes["steps"] == 2
    assert list(lines_of(path))[1] == "policy: not finished"
    with pytest.raises(ValueError, match="rl begins from policy, which is not trained yet"):
        resume(path, parts=["rl"])
    resume(path, parts=["policy"])  # as its last line says
    assert json.loads((path / "results.json").read_text())["policy"]["steps"] == config.policy_steps


def test_a_part_that_its_minutes_ended_is_told_with_how_to_go_on(config: AlphaGoConfig, tmp_path: Path) -> None:
    """It was said to be finished, and no page said how to go on with it."""
    path = tmp_path / "a run"
    train(replace(config, minutes=1e-9), path, parts=["policy"])
    more = f"--resume '{path}' --step policy --minutes 1"
    assert f"  its minutes ended it after 0 steps, before all were done: go on with {more}" in list(lines_of(path))
    with pytest.raises(ValueError, match=r"policy is finished; its minutes ended policy: .*a run' --step policy --m"):
        resume(path, parts=["policy"])
    resume(path, parts=["policy"], minutes=1.0)
    assert not any("its minutes ended it" in line for line in lines_of(path))
    with pytest.raises(ValueError, match=r"policy is finished$"):
        resume(path, parts=["policy"])


def test_parts_that_began_from_a_policy_that_learned_on_are_told(config: AlphaGoConfig, tmp_path: Path) -> None:
    """Nothing said that they were of an older policy."""
    path = tmp_path / "run"
    config = replace(config, value_games=4, value_steps=1)
    train(replace(config, minutes=1e-9), path, parts=["policy"])
    resume(path, minutes=1.0)  # which leaves the policy as it is
    resume(path, parts=["policy"], minutes=1.0)
    told = list(lines_of(path))
    for part in ("rl", "value"):
        anew = f"to train {part} anew, move {path}/{part} away, and go on with --resume {path}"
        assert f"  it began from policy after 0 steps, which has 4 now: {anew}" in told
    assert sum("it began from" in line for line in told) == 2
    for part in ("rl", "value"):
        (path / part).rename(tmp_path / part)
    resume(path)
    assert not any("it began from" in line for line in lines_of(path))
    found = json.loads((path / "value" / "results.json").read_text())
    assert found["began from"] == {"policy": 4, "rl": config.rl_steps}
    state = json.loads((part_folder(path, "rl").state() / "state.json").read_text())
    assert state["began from"] == {"policy": 4}


def test_a_part_of_an_older_version_goes_on_without_what_it_began_from(config: AlphaGoConfig, tmp_path: Path) -> None:
    path = tmp_path / "run"
    train(config, path, Stop(6), parts=["policy", "rl"])
    file = part_folder(path, "rl").state() / "state.json"
    state = json.loads(file.read_text())
    assert state.pop("began from") == {"policy": 4}
    file.write_text(json.dumps(state))
    resume(path, parts=["rl"])
    assert "began from" not in json.loads((path / "rl" / "results.json").read_text())
    assert not any("it began from" in line for line in lines_of(path))


def test_a_run_that_was_killed_before_its_records_had_their_place_begins_anew(
    config: AlphaGoConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could neither begin nor go on."""
    path = tmp_path / "run"

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        patch.setattr(Path, "unlink", killed)  # what a killed process does not do
        with pytest.raises(Killed):
            train(config, path, parts=["policy"])
    assert {one.name for one in path.iterdir()} == {"config.json", "records.partial"}
    with pytest.raises(ValueError, match="was killed before it had read its records: begin it anew"):
        resume(path)
    assert train(config, path, parts=["policy"]).steps == config.policy_steps


def test_results_are_json_where_nothing_is_at_stake(config: AlphaGoConfig, tmp_path: Path) -> None:
    train(replace(config, solved=1, policy_steps=2, seed=1), tmp_path / "run", parts=["policy"])
    found = json.loads((tmp_path / "run" / "results.json").read_text(), parse_constant=pytest.fail)
    assert {"keeps value", "keeps value where some move loses it"} < next(
        iter(found["policy"]["truth"].values())
    ).keys()


def test_records_that_teach_nothing_leave_no_folder(config: AlphaGoConfig, tmp_path: Path) -> None:
    records = [replace(one, movers=[-1] * len(one.moves)) for one in read_records(config.records[0])]
    write_games(tmp_path / "drawn.jsonl", records)
    config = replace(config, records=(str(tmp_path / "drawn.jsonl"),))
    (tmp_path / "mine").mkdir()
    for name in ("run", "mine"):
        with pytest.raises(ValueError, match="the games to learn from have no move that a player chose"):
            train(config, tmp_path / name)
    assert not (tmp_path / "run").exists()
    assert not list((tmp_path / "mine").iterdir())


def test_all_games_that_cannot_be_used_are_named_in_a_file(config: AlphaGoConfig, tmp_path: Path) -> None:
    """Five were named, and the others only counted."""
    path = tmp_path / "run"
    some = list(read_records(config.records[0]))[:7]
    write_games(
        tmp_path / "bad.jsonl",
        [replace(one, moves=[4, 4], movers=[0, 1], seconds=[0.0, 0.0], opening=0) for one in some],
    )
    config = replace(config, records=(*config.records, str(tmp_path / "bad.jsonl")))
    train(config, path, parts=["policy"])
    faults = (path / "records" / "faults.txt").read_text().splitlines()
    assert len(faults) == len(set(faults)) == 7
    assert all("bad.jsonl" in fault and "move 2, 4, is illegal" in fault for fault in faults)
    told = list(lines_of(path))
    assert told[1:7] == [*(f"  {fault}" for fault in faults[:5]), f"  all of them: {path}/records/faults.txt"]
    with pytest.raises(ValueError, match="move 2, 4, is illegal"):
        train(replace(config, strict=True), tmp_path / "strict")
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("name", ["policy/model.safetensors", "value/test/thesis.txt"])
def test_files_of_others_in_folders_named_as_parts_stay(config: AlphaGoConfig, tmp_path: Path, name: str) -> None:
    file = tmp_path / "run" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    with pytest.raises(FileExistsError, match=f"{name.partition('/')[0]}' is there already, where a run would keep"):
        train(config, tmp_path / "run")
    assert file.read_text() == "mine"


def test_on_another_machine_it_goes_on_with_what_is_there(
    config: AlphaGoConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    train(config, path, Stop(2), parts=["policy"])
    kept = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**kept, "device": "cuda:99"}))
    with pytest.raises(ValueError, match="device must be 'cpu', or one that torch has here, got 'cuda:99'"):
        resume(path, parts=["policy"])
    with pytest.raises(ValueError, match="the precision that it has: only minutes, threads, device, backend may be"):
        resume(path, parts=["policy"], device="cpu", precision="bf16")
    config_before = (path / "config.json").read_bytes()
    monkeypatch.setattr(inference, "_installed", lambda name: name != "onnxruntime")
    with pytest.raises(ImportError, match="backend 'onnxruntime' is not installed"):
        resume(path, parts=["policy"], device="cpu", backend="onnxruntime")
    assert (path / "config.json").read_bytes() == config_before
    with pytest.raises(ImportError, match="backend 'onnxruntime' is not installed"):
        train(replace(config, backend="onnxruntime"), tmp_path / "other")
    assert not (tmp_path / "other").exists()
    resume(path, parts=["policy"], device="cpu", threads=2)
    for folder in (path, path / "policy"):
        found = AlphaGoConfig.load(folder / "config.json")
        assert (found.threads, found.device) == (2, "cpu")
    assert json.loads((path / "results.json").read_text())["policy"]["steps"] == config.policy_steps


def test_a_wrong_network_is_told_before_records_are_read(config: AlphaGoConfig, tmp_path: Path) -> None:
    config = replace(config, records=(str(tmp_path / "nowhere.db"),))
    with pytest.raises(FileNotFoundError):
        train(config, tmp_path / "run")
    with pytest.raises(ValueError, match="unknown size of a network 'smal': did you mean 'small'"):
        train(replace(config, network="smal"), tmp_path / "run")


# -- how far it is -----------------------------------------------------------------------------------------------------


def test_the_steps_that_are_left_are_told_by_what_batches_of_games_give(
    config: AlphaGoConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not each of 256 games gives a position: many had to be played after all were said to be."""
    config = replace(config, value_games=1000, value_steps=2, contrast=False)
    train(config, tmp_path / "run", parts=["policy", "rl"])
    monkeypatch.setattr(ValuePart, "_single_positions", lambda part, *more, **options: new_samples(part.run.game, 100))
    seen: list[AlphaGoProgress] = []
    resume(tmp_path / "run", seen.append, parts=["value"])
    assert {one.part_total for one in seen} == {10 + 1 + 2}  # to learn from, to test on, and steps of learning
    assert seen[-1].part_steps == 13


@pytest.mark.slow
def test_what_a_step_needs_is_compiled_before_the_clock_runs(
    tmp_path: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, path = "connect_four(rows=4, columns=6)", tmp_path / "run"  # which no other test plays
    write_games(tmp_path / "games.jsonl", generate(spec, ["random"], 20))
    settings: dict[str, Any] = {"network": "mlp", "ladder": (), "ladder_games": 2, "solved": 3, "policy_steps": 1}
    config = small_run(spec, tmp_path / "games.jsonl", rl_games=4, batch_size=16, **settings)
    train(config, path, parts=["policy"])
    (path / "rl").mkdir()
    shutil.copy(path / "policy" / "model.safetensors", path / "rl")
    batches = Mock(wraps=GameBatch)
    monkeypatch.setattr("plyground.arena.training.alphago.value.GameBatch", batches)
    for kind in (PolicyPart, RolloutPart, ReinforcePart, ValuePart):
        part = kind(Run(config, make_game(spec), path))
        before = json.dumps(part.state_dict(), default=str)
        part.prepare()
        compiled.clear()
        assert batches.called == (kind is ValuePart)  # for which the part before has compiled nearly all
        assert json.dumps(part.state_dict(), default=str) == before
        part.turn()
        assert compiled == []
        assert "held_out" in vars(part.judge)  # solved, too
