"""What is told of a run of AlphaGo's pipeline: held-out positions that were learned too, older runs, errors by ply."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

from plyground.agents.networks import read_network
from plyground.arena import GameRecord, write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago import AlphaGoConfig, resume
from plyground.arena.training.alphago.overlap import also_learned, marks_of_others
from plyground.arena.training.alphago.part import Run, part_folder
from plyground.arena.training.alphago.records import read_collection
from plyground.arena.training.alphago.summary import lines_of
from plyground.envs import make_game
from tests.helpers import command_line
from tests.helpers.alphago_runs import finished, results, small_run
from tests.helpers.training_runs import Stop

SPEC = "connect_four(rows=4, columns=4)"
GAME = make_game(SPEC)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> AlphaGoConfig:
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    write_games(path, generate(SPEC, ["random"], 60, opening_plies=(0, 2)))
    return small_run(
        SPEC,
        path,
        network="mlp",
        batch_size=16,
        policy_steps=2,
        rollout_steps=2,
        rl_games=4,
        value_games=20,
        value_steps=3,
        ladder=(),
        ladder_games=2,
        solved=20,
    )


@pytest.fixture(scope="module")
def whole(config: AlphaGoConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(config, tmp_path_factory)


def game_of(moves: list[int], drawn: tuple[int, ...] = ()) -> GameRecord:
    (record,) = generate(SPEC, ["random"], 1)
    movers = [-1 if ply in drawn else ply % 2 for ply in range(len(moves))]
    return GameRecord.from_json(
        json.dumps(json.loads(record.to_json()) | {"moves": moves, "movers": movers, "seconds": [0.0] * len(moves)})
    )


# -- held-out positions that were learned too --------------------------------------------------------------------------


def test_held_out_positions_that_were_learned_are_found_by_hand(config: AlphaGoConfig, tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    learned = [game_of([0, 1, 2, 3], drawn=(1,))]
    held_out = [
        game_of([3, 2, 1, 0]),  # the mirror image: but nobody chose the second move of the learned game
        game_of([2, 1, 0, 1, 3], drawn=(0,)),  # at ply 3 another order of the same stones
        game_of([1, 1]),
    ]
    for name, records in (("learned", learned), ("held_out", held_out)):
        write_games(tmp_path / "records" / f"{name}.jsonl", records)
    found = also_learned(Run(config, GAME, tmp_path))
    assert found.astype(int).tolist() == [[1, 0, 1, 1, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0]]


def test_a_run_tells_the_share_that_was_learned_too_and_the_accuracy_on_the_others(whole: Path) -> None:
    config, found = AlphaGoConfig.load(whole / "config.json"), results(whole)
    collection = read_collection(GAME, config.records, test_share=config.test_share)
    keys: list[list[int]] = []
    for records in (collection.train, collection.test):
        lines = [(record.moves[:ply]) for record in records for ply, who in enumerate(record.movers) if who >= 0]
        keys.append([int(GAME.canonical_key(GAME.play_moves(line))) for line in lines])
    learned, held_out = keys
    share = sum(key in set(learned) for key in held_out) / len(held_out)
    assert 0 < share < 1
    for part in ("policy", "rollout"):
        accuracy = found[part]["accuracy"]
        assert accuracy["also learned"] == pytest.approx(share)
        assert accuracy["not learned"]["positions"] == round(len(held_out) * (1 - share))
        others = f"{share:.1%}; the others: top 1 {accuracy['not learned']['top 1']:.1%}, top 5 "
        assert f"  held-out positions that were learned too: {others}" in "\n".join(lines_of(whole))


def test_where_all_were_learned_nothing_is_said_of_others() -> None:
    assert marks_of_others(4, 4, lambda: pytest.fail("asked")) == {"also learned": 1.0, "not learned": None}


# -- what is told of values and moves ----------------------------------------------------------------------------------


def test_errors_are_told_for_either_kind_of_games_and_by_ply(whole: Path, tmp_path: Path) -> None:
    found, path = results(whole), tmp_path / "run"
    by_ply = {str(ply): {"positions": 1 + ply % 2, "mse": ply / 10} for ply in range(1, 10) if ply != 6}
    value = {"train": 0.1, "test": 0.2, "whole test": 0.3, "truth, held out": {"mse": 0.5, "by ply": by_ply}}
    found["value"] |= {"whole games": value}
    found["policy"]["truth"] = {"held out": {"keeps value": 0.75, "optimal": 0.5}}
    path.mkdir()
    (path / "results.json").write_text(json.dumps(found))
    lines = list(lines_of(path))
    assert lines[-2] == "  whole games: 0.100 learned; held out: 0.200 one a game, 0.300 whole games"
    # (2·0.1 + 0.2 + 2·0.3) / 5; (0.4 + 2·0.5) / 3; (2·0.7 + 0.8 + 2·0.9) / 5
    assert lines[-1] == "    truth, held out: 0.500; by ply 1-3 0.200, 4-6 0.467, 7-9 0.800"
    assert "  keeps the value, held out: 75.0%; one of the best moves: 50.0%" in lines


def test_of_a_run_of_an_older_version_what_it_lacks_is_told(whole: Path, tmp_path: Path) -> None:
    found, path = results(whole), tmp_path / "run"
    for kind in ("one position a game", "whole games"):
        del found["value"][kind]["whole test"]
    for part in ("policy", "rollout"):
        del found[part]["accuracy"]["also learned"]
    path.mkdir()
    (path / "results.json").write_text(json.dumps(found))
    told = "\n".join(lines_of(path))
    assert told.count("one a game, whole games not tested by the older version of this run") == 2
    assert told.count("held-out positions that were learned too: not counted by the older version of this run") == 2


def test_a_value_network_of_an_older_version_goes_on_and_learns_the_same(whole: Path, tmp_path: Path) -> None:
    """Its state knows nothing of held-out whole games, which are played when it goes on."""
    path = tmp_path / "run"
    shutil.copytree(whole, path, ignore=shutil.ignore_patterns("value"))
    before = sum(results(path)[part]["steps"] for part in ("policy", "rollout", "rl"))
    resume(path, Stop(before + 6))  # after four batches of games
    for folder in part_folder(path, "value").states():
        state = json.loads((folder / "state.json").read_text())
        del state["part"]["buffers"]["whole test"]
        (folder / "state.json").write_text(json.dumps(state))
    shutil.rmtree(path / "value" / "whole test")
    resume(path)
    assert results(path)["value"]["positions"]["whole test"] == 2
    for file in ("model.safetensors", "whole.safetensors"):
        one, other = (read_network(run / "value" / file).weights for run in (whole, path))
        assert all((one[name] == other[name]).all() for name in one)


# -- before records are read -------------------------------------------------------------------------------------------


def test_files_that_are_not_there_are_told_before_anything_begins(run: command_line.Run, tmp_path: Path) -> None:
    """A bar that said "compiling" stood above the error."""
    gone = str(tmp_path / "gone.jsonl")
    _, told = run("train", "alphago", SPEC, "--records", gone, "--out", str(tmp_path / "ag"), code=2)
    assert told == f"error: cannot read {gone}: there is no such file\n"
    _, told = run("train", "alphago", SPEC, "--out", str(tmp_path / "ag"), code=2)
    assert told.startswith("error: give files of games to learn from: --records games.db")


def test_while_records_are_read_it_says_so(run: command_line.Run, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    write_games(games, generate("tictactoe", ["random"], 3))
    _, told = run("train", "alphago", SPEC, "--records", str(games), "--out", str(tmp_path / "ag"), code=2)
    assert "reading records and compiling …" in told
    assert "is of tictactoe, expected games of connect_four" in told
