"""The folder of a run of AlphaGo's pipeline: parts that go on later, and what of others is in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from plyground.agents.networks import read_network
from plyground.arena import read_records, write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago import AlphaGoConfig, AlphaGoProgress, resume, train
from plyground.arena.training.alphago.summary import lines_of
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


@pytest.mark.parametrize("name", ["policy/model.safetensors", "value/test/thesis.txt"])
def test_files_of_others_in_folders_named_as_parts_stay(config: AlphaGoConfig, tmp_path: Path, name: str) -> None:
    file = tmp_path / "run" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    with pytest.raises(FileExistsError, match=f"{name.partition('/')[0]}' is there already, where a run would keep"):
        train(config, tmp_path / "run")
    assert file.read_text() == "mine"
