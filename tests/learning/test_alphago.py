"""AlphaGo's pipeline on small boards: what its parts learn and write, going on bit for bit, and bad input."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plyground.agents import make  # noqa: E402
from plyground.agents.alphago import model_files  # noqa: E402
from plyground.agents.mcts import LinearPolicy  # noqa: E402
from plyground.agents.networks import make_inference, read_network  # noqa: E402
from plyground.arena import load_positions, save_positions, write_games  # noqa: E402
from plyground.arena.generation import generate  # noqa: E402
from plyground.arena.training.alphago import (  # noqa: E402
    AlphaGoConfig,
    AlphaGoProgress,
    check_unfinished,
    resume,
    train,
)
from plyground.arena.training.alphago.policy import PolicyPart  # noqa: E402
from plyground.arena.training.alphago.summary import lines_of  # noqa: E402
from plyground.arena.training.alphago.truth import solved_positions  # noqa: E402
from plyground.arena.training.folder import StateFolder  # noqa: E402
from plyground.envs import Game, make_game  # noqa: E402
from tests.helpers.alphago_runs import finished, results, small_run  # noqa: E402
from tests.helpers.coin import COIN  # noqa: E402
from tests.helpers.command_line import Run  # noqa: E402
from tests.helpers.training_runs import Stop  # noqa: E402

GAME = "connect_four(rows=4, columns=4)"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> AlphaGoConfig:
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    write_games(path, generate(GAME, ["solver"], 80, opening_plies=(0, 8), noise=0.2))
    return small_run(
        GAME,
        path,
        network="tiny",
        batch_size=32,
        policy_steps=8,
        rollout_steps=4,
        rl_games=8,
        pool_every=2,
        value_games=40,
        value_steps=4,
        test_every=5,
        ladder=("random",),
        ladder_games=4,
        solved=10,
    )


@pytest.fixture(scope="module")
def whole(config: AlphaGoConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished(config, tmp_path_factory)


def assert_same_net(one: Path, other: Path, part: str) -> None:
    left, right = (read_network(path / part).weights for path in (one, other))
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


def test_a_run_writes_models_results_and_tests(whole: Path) -> None:
    found = results(whole)
    assert list(found) == ["records", "policy", "rollout", "rl", "value"]
    assert found["records"]["unusable"] == 0
    assert 0 < found["policy"]["accuracy"]["top 1"] <= found["policy"]["accuracy"]["top 5"] <= 1
    by_ply = found["policy"]["accuracy"]["by ply"].values()
    assert sum(marks["positions"] for marks in by_ply) == found["records"]["test positions"]
    assert found["rollout"]["seconds per move"] < found["policy"]["seconds per move"]
    assert found["policy"]["truth"]["held out"]["positions"] == 10
    assert sum(found["rl"]["against policy"]["drawn"][name] for name in ("won", "drawn", "lost")) == 4
    assert found["value"]["positions"] == {"one": 40, "test": 4, "whole": 40, "whole test": 4}
    solved = load_positions(whole / "records" / "solved.npz", GAME)
    states = [solved.game.play_moves(list(line)) for line in solved.lines]
    planes = np.stack([solved.game.observation(state, solved.game.player(state)) for state in states])
    error = np.mean((make_inference(whole / "value")(planes)[1] - solved.value) ** 2)
    assert found["value"]["one position a game"]["truth, held out"]["mse"] == pytest.approx(error, rel=0.02)
    for part in ("policy", "rl", "value"):
        assert read_network(whole / part).config.game == GAME
        assert list((whole / part / "tensorboard").glob("events*"))
        lines = (whole / part / "progress.jsonl").read_text().splitlines()
        assert json.loads(lines[-1])["steps"] == found[part]["steps"]
    assert LinearPolicy.load(whole / "rollout" / "model.npz", GAME).weights.any()
    assert read_network(whole / "value" / "whole.safetensors").weights.keys()
    assert [line.partition(":")[0] for line in lines_of(whole) if not line.startswith(" ")] == list(found)


@pytest.mark.parametrize(
    "stop",  # in the policy, the rollout policy, by play, in games for the value, in the value network
    [*(pytest.param(steps, marks=pytest.mark.slow) for steps in (3, 10, 14, 18)), 23],
)
def test_a_run_in_two_parts_is_the_run_in_one_bit_by_bit(
    config: AlphaGoConfig, whole: Path, tmp_path: Path, stop: int
) -> None:
    train(
        config, tmp_path / "run", Stop(stop)
    )  # in the policy, the rollout policy, by play, in games, in the value net
    resume(tmp_path / "run")
    for part in ("policy", "rl", "value"):
        assert_same_net(whole, tmp_path / "run", part)
    one, other = (LinearPolicy.load(path / "rollout" / "model.npz", GAME) for path in (whole, tmp_path / "run"))
    np.testing.assert_array_equal(one.weights, other.weights)


def test_ctrl_c_while_the_results_of_a_part_are_made_begins_no_other(config: AlphaGoConfig, tmp_path: Path) -> None:
    seen: list[int] = []

    def interrupt(progress: AlphaGoProgress) -> None:
        seen.append(progress.steps)
        if seen[-2:] == [2, 2]:  # the second time that the last step is told, the part is about to be tested at length
            os.kill(os.getpid(), signal.SIGINT)

    short = replace(config, policy_steps=2, solved=0)
    assert train(short, tmp_path / "run", interrupt).part == "policy"
    assert list(results(tmp_path / "run")) == ["records", "policy"]
    assert not (tmp_path / "run" / "rollout").exists()


def test_ctrl_c_while_a_part_begins_saves_it_and_says_so(
    config: AlphaGoConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(part: PolicyPart) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(PolicyPart, "prepare", interrupt)
    train(replace(config, solved=0), tmp_path / "run")
    assert [path.name for path in StateFolder(tmp_path / "run" / "policy", "").states()] == ["step_000000000"]
    assert list(lines_of(tmp_path / "run"))[-1] == f"go on with --resume {tmp_path / 'run'}"


def test_games_in_the_folder_of_a_new_run_stay(config: AlphaGoConfig, tmp_path: Path) -> None:
    games = tmp_path / "records" / "games.jsonl"
    games.parent.mkdir()
    shutil.copy(config.records[0], games)
    with pytest.raises(FileExistsError, match="records' is there already, where a run would keep its own"):
        train(replace(config, records=(str(games),)), tmp_path)
    assert games.is_file()


def test_a_run_that_was_killed_as_it_read_begins_anew(config: AlphaGoConfig, tmp_path: Path) -> None:
    (tmp_path / "run" / "records.partial" / "train").mkdir(parents=True)
    train(replace(config, rollout_steps=1, solved=0), tmp_path / "run", parts=["rollout"])
    assert not (tmp_path / "run" / "records.partial").exists()


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("policy/results.json", "without this file the part is tested, and ends, once more"),
        ("records/summary.json", "the records must be read again, by a new run"),
    ],
)
def test_damaged_results_are_named(whole: Path, tmp_path: Path, file: str, message: str) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path, ignore=shutil.ignore_patterns("value"))
    text = (path / file).read_text()
    nothing = json.dumps(dict.fromkeys(json.loads(text)))  # each value is null
    for damaged in (text[:-20], nothing, 10**5 * "["):
        (path / file).write_text(damaged)
        with pytest.raises(ValueError, match=f"{file}' is damaged: .*; {message}"):
            resume(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"game": "tictactoe", "algor', "Unterminated string starting at"),
        ("", "Expecting value"),
        ("[1]", "expected an object of JSON, got [1]"),
        ('{"algorithm": "alphago"}', "the setting 'game' is missing"),
        ('{"game": "tictactoe", "algorithm": 3}', "unknown algorithm 3: Choose from: alphago"),
        ('{"game": "tictactoe", "algorithm": "alphago", "minutes": "x"}', "minutes must be a number"),
    ],
)
def test_a_damaged_configuration_is_named(run: Run, whole: Path, tmp_path: Path, text: str, message: str) -> None:
    """The folder was said to hold no training run."""
    path = tmp_path / "run"
    shutil.copytree(whole, path, ignore=shutil.ignore_patterns("value"))
    (path / "config.json").write_text(text)
    error = " ".join(run("train", "--resume", str(path), code=2)[1].split())
    assert f"config.json' is no configuration of a training run: {message}" in error
    assert (path / "config.json").read_text() == text


def test_parts_by_themselves_are_the_whole(config: AlphaGoConfig, whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    seen: list[AlphaGoProgress] = []
    train(config, path, seen.append, parts=["policy"])
    assert {one.part for one in seen} == {"policy"}
    assert seen[-1].marks["top 1"] == results(path)["policy"]["accuracy"]["top 1"]
    assert "not finished" in list(lines_of(path))[-2]
    with pytest.raises(ValueError, match=r"value begins from rl, which is .* that too, by --step rl --step value$"):
        resume(path, parts=["value"])
    resume(path, parts=["rl"])
    np.testing.assert_array_equal(
        read_network(path / "rl").weights["first.weight"], read_network(whole / "rl").weights["first.weight"]
    )
    with pytest.raises(ValueError, match="nothing left to do"):
        check_unfinished(path, parts=["policy"])


def test_progress_shows_losses_and_counts(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path, ignore=shutil.ignore_patterns("value"))
    seen: list[AlphaGoProgress] = []
    resume(path, seen.append, parts=["value"])
    last = seen[-1]
    assert f"steps | positions 88, value, one {last.losses['value, one']:.3f}, value, whole " in last.line()
    assert "positions 42,000, value" in replace(last, losses={**last.losses, "positions": 42_000}).line()


@pytest.mark.slow
def test_a_value_network_that_time_has_ended_has_the_results_until_then(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path, ignore=shutil.ignore_patterns("value"))
    resume(path, minutes=1e-9)
    assert "whole games" not in results(path)["value"]
    told = list(lines_of(path))
    assert told[-2] == "value: its time was up before it learned"
    assert told[-1].endswith(f"before all were done: go on with --resume {path} --step value --minutes 1")
    with pytest.raises(ValueError, match=r"the value network of .* has learned nothing yet"):
        make(f"alphago({str(path)!r})", GAME)  # half of each leaf's value was 0
    assert make(f"alphago({str(path)!r}, lambda_=1)", GAME)
    (path / "value" / "results.json").unlink()
    resume(path, Stop(21), minutes=10.0)  # after the 16 steps of the others: four of games, and one of learning
    resume(path, minutes=1e-9)
    marks = results(path)["value"]["one position a game"]
    assert {"train", "test", "truth, held out"} <= marks.keys()
    assert 0 < marks["test"] <= 4
    assert "whole games" not in results(path)["value"]


@pytest.mark.slow
def test_a_part_that_time_has_ended_goes_on_with_more(config: AlphaGoConfig, tmp_path: Path) -> None:
    train(replace(config, minutes=1e-9), tmp_path / "run", parts=["rollout"])
    assert results(tmp_path / "run")["rollout"]["complete"] is False
    with pytest.raises(ValueError, match="rollout is finished"):
        resume(tmp_path / "run", parts=["rollout"])
    resume(tmp_path / "run", parts=["rollout"], minutes=10.0)
    assert results(tmp_path / "run")["rollout"]["steps"] == config.rollout_steps
    with pytest.raises(ValueError, match="rollout is finished"):
        resume(tmp_path / "run", parts=["rollout"], minutes=20.0)


class TestAKillAtTheEndOfAPart:
    """The results are written at last: a part with results has the model that they are of."""

    def test_a_full_disk_leaves_no_results_of_a_model_that_was_not_saved(
        self, config: AlphaGoConfig, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = StateFolder.write

        def write_the_first(folder: StateFolder, steps: int, *more: Any) -> None:
            if steps:
                raise OSError(errno.ENOSPC, "No space left on device")
            write(folder, steps, *more)

        with monkeypatch.context() as patch:
            patch.setattr(StateFolder, "write", write_the_first)
            with pytest.raises(OSError, match=r"(?i)no space left"):
                train(config, tmp_path / "run", parts=["policy"])
        assert not (tmp_path / "run" / "policy" / "results.json").exists()
        with pytest.raises(ValueError, match="rl begins from policy, which is not trained yet"):
            check_unfinished(tmp_path / "run", parts=["rl"])
        resume(tmp_path / "run", parts=["policy"])
        assert_same_net(whole, tmp_path / "run", "policy")

    @pytest.mark.parametrize("minutes", [None, 1e-9])  # in the second case the last step is saved before it is tested
    def test_a_kill_between_state_and_results_repeats_nothing(
        self, config: AlphaGoConfig, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: float | None
    ) -> None:
        def die(part: PolicyPart) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(PolicyPart, "finish", die)
            with pytest.raises(KeyboardInterrupt):
                train(replace(config, checkpoint_minutes=minutes), tmp_path / "run", parts=["policy"])
        told = (tmp_path / "run" / "policy" / "progress.jsonl").read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(PolicyPart, "turn", die)
            resume(tmp_path / "run", parts=["policy"])
        assert (tmp_path / "run" / "policy" / "progress.jsonl").read_bytes() == told
        assert results(tmp_path / "run")["policy"]["steps"] == config.policy_steps
        assert_same_net(whole, tmp_path / "run", "policy")


def test_a_game_without_local_features_has_random_rollouts(config: AlphaGoConfig, tmp_path: Path) -> None:
    write_games(tmp_path / "games.jsonl", generate("tictactoe", ["random"], 30))
    records = (str(tmp_path / "games.jsonl"),)
    train(replace(config, game="tictactoe", records=records, solved=0), tmp_path / "run", parts=["rollout"])
    assert "left out" in results(tmp_path / "run")["rollout"]
    assert "gives no local features: rollouts are random" in list(lines_of(tmp_path / "run"))[2]
    assert "rollout" not in model_files(tmp_path / "run", priors="uniform", lambda_=1.0)


def test_bad_input_is_told_before_anything_is_written(config: AlphaGoConfig, whole: Path, tmp_path: Path) -> None:
    for changes, message in (
        ({"game": "connect_four"}, "expected games of connect_four"),
        ({"records": ()}, "give files of games to learn from"),
        ({"ladder": ("randon",)}, "unknown agent"),
        ({"test_share": 1e-9}, "no game is left to test on"),
    ):
        with pytest.raises(ValueError, match=message):
            train(replace(config, **changes), tmp_path / "run")
    with pytest.raises(ValueError, match="test_share must be"):
        replace(config, test_share=0.0)
    with pytest.raises(ValueError, match=r"rl begins from policy, .*: train that too, by --step policy --step rl$"):
        train(config, tmp_path / "run", parts=["rl"])
    with pytest.raises(ValueError, match="unknown part 'polcy'"):
        train(config, tmp_path / "run", parts=["polcy"])
    assert not (tmp_path / "run").exists()
    with pytest.raises(FileExistsError, match="holds a run already"):
        train(config, whole)
    with pytest.raises(ValueError, match="all parts are finished"):
        resume(whole)
    with pytest.raises(FileNotFoundError, match="is a run of alphago, which has several networks: name one"):
        make(f"network({whole})", GAME)
    with pytest.raises(ValueError, match="only a part of one: resume"):
        resume(whole / "policy")
    with pytest.raises(FileNotFoundError, match="holds no training run"):
        resume(tmp_path)
    (tmp_path / "config.json").write_text('{"algorithm": "ppo"}')
    with pytest.raises(ValueError, match="a run of another kind"):
        resume(tmp_path)


def test_the_command_trains_goes_on_and_says_what_came_out(run: Run, config: AlphaGoConfig, tmp_path: Path) -> None:
    path = tmp_path / "ag"
    words = ["train", "alphago", GAME, "--records", config.records[0], "--out", str(path), "--network", "tiny"]
    words += ["--policy-steps", "2", "--rollout-steps", "2", "--ladder", "random", "--ladder-games", "2"]
    words += ["--solved", "0", "--batch-size", "8", "--backend", "torch"]
    _, told = run(*words, "--step", "policy")
    assert "policy: top 1" in told
    assert "value: not finished" in told
    _, told = run("train", "--resume", str(path), "--step", "rollout")
    assert "rollout: top 1" in told
    assert "--steps is no option of alphago" in run("train", "--resume", str(path), "--steps", "3", code=2)[1]
    assert "rollout is finished" in run("train", "--resume", str(path), "--step", "rollout", code=2)[1]
    assert "--step is no option of ppo" in run("train", "ppo", GAME, "--step", "policy", code=2)[1]
    assert "--policy-steps is no option of ppo" in run("train", "ppo", GAME, "--policy-steps", "2", code=2)[1]


def test_solved_positions_of_a_game_of_ones_own_are_read_again(tmp_path: Path) -> None:
    (tmp_path / "coins.py").write_text(
        "from plyground.envs import Game\nfrom tests.helpers.coin import COIN\ndef flip():\n    return Game(**COIN)\n"
    )
    place, path = f"{tmp_path / 'coins.py'}:flip", tmp_path / "solved.npz"
    records, game = list(generate(place, ["random"], 4)), make_game(place)
    found = solved_positions(game, records, 10, 0, path)
    again = solved_positions(game, [], 10, 0, path)
    assert found is not None
    assert again is not None
    assert (again.game, again.lines, again.value.tolist()) == (game, found.lines, [1.0])
    save_positions(path, replace(found, game=Game(**COIN)))  # as runs did before, by the name of the game
    assert solved_positions(game, [], 10, 0, path).lines == found.lines  # type: ignore[union-attr]
