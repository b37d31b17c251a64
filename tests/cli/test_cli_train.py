"""``plyground train``: options, a run, and its policy in a match."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from plyground.arena import TrainingConfig
from plyground.arena.cli.parts.trained import further
from plyground.arena.training.alphazero import AlphaZeroConfig
from tests.helpers.command_line import Run

BAD_SHARES = ("random*null", "random*true", "random*[1]", "random*NaN", "random*1e999", "random*x")


def test_train_and_play_the_policy(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    folder = tmp_path / "run"
    options = ("--num-envs", "4", "--opponent", "random*0.5", "--opponent", "minimax(depth=1)", "--network", "mlp")
    options += (
        "--ladder-games",
        "2",
        "--ladder",
        "random",
        "--ladder",
        "minimax(depth=1)",
        "--symmetry",
        "--seed",
        "0",
    )
    settings = ("--settings", "n_steps=8, batch_size=16")
    _, err = run("train", "ppo", "tictactoe", "--out", str(folder), "--steps", "64", *options, *settings)
    assert f"64 steps; go on with --resume {folder} --steps 128" in err.replace("\n", " ")
    config = TrainingConfig.load(folder / "config.json")
    assert config.opponents == {"random": 0.5, "minimax(depth=1)": 1.0}
    assert (config.ladder_games, config.ladder) == (2, ("random", "minimax(depth=1)"))
    assert (config.symmetry, config.num_envs, config.settings) == (True, 4, {"n_steps": 8, "batch_size": 16})
    _, err = run("train", "--resume", str(folder), "--steps", "128")
    assert f"{folder}: 128 steps" in err.replace("\n", " ")
    result = json.loads(run("match", f"ppo({folder})", "random", "-g", "tictactoe", "--games", "2", "--json")[0])
    assert {player["name"] for player in result["players"]} == {f"ppo({folder})", "random"}


@pytest.mark.parametrize(
    ("game", "folder"),
    [
        ("tictactoe", "ppo-tictactoe"),
        ("mnk(m=3, n=3)", "ppo-mnk(m=3, n=3)"),
        ("./nim.py:nim", "ppo-nim"),
        ("./nim.py:piles( names='a/b:c' )", "ppo-piles( names='a-b:c' )"),
    ],
)
def test_the_folder_is_named_after_the_game(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, folder: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nim.py").write_text(
        "from plyground.envs import tictactoe as nim\ndef piles(names=''):\n    return nim().replace()\n"
    )
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "config.json").touch()
    assert f"{folder!r} holds a run already" in run("train", "ppo", game, "--steps", "8", code=2)[1]


def test_train_by_alphazero_and_go_on(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "az"
    small = ("--num-envs", "4", "--simulations", "4", "--network", "tiny", "--batch-size", "16", "--learn-after", "30")
    small += ("--no-symmetry", "--ladder-every", "0", "--backend", "torch")
    _, err = run("train", "alphazero", "tictactoe", "--out", str(folder), "--steps", "24", *small)
    # A turn is 8 plies of 4 games: the first end at or after 24.
    assert f"32 steps; go on with --resume {folder} --steps 64" in err.replace("\n", " ")
    assert "the network has learned nothing yet: a run begins to learn after 30 samples" in err.replace("\n", " ")
    config = AlphaZeroConfig.load(folder / "config.json")
    assert (config.steps, config.minutes, config.symmetry, config.simulations) == (24, None, False, 4)
    _, err = run("train", "--resume", str(folder), "--steps", "48")
    assert f"{folder}: 64 steps" in err.replace("\n", " ")
    assert "nothing yet" not in err
    assert "nothing left to do" in run("train", "--resume", str(folder), code=2)[1]
    run("train", "--resume", str(folder), "--steps", "72", "--threads", "2", "--backend", "torch")
    assert AlphaZeroConfig.load(folder / "config.json").threads == 2
    wrong = run("train", "--resume", str(folder), "--seed", "1", code=2)[1]
    assert "leave out --seed, and" in wrong
    wrong = run("train", "ppo", "connect_four", "--resume", str(folder), code=2)[1]
    assert "leave out the algorithm, the game, and give no more than" in wrong
    assert "give no more than --steps, --minutes, --threads, --network-threads, --device, --backend" in wrong
    found = json.loads(run("evaluate", str(folder), "--positions", "2", "--ladder", "none", "--json")[0])
    assert (found["player"], found["game"]) == (str(folder), "tictactoe")
    curve = json.loads(run("evaluate", str(folder), "--curve", "--positions", "2", "--ladder", "none", "--json")[0])
    assert [point["steps"] for point in curve] == [32, 64, 96]
    wrong = run("train", "alphazero", "tictactoe", "--out", str(tmp_path / "no"), "--self-play", "0.5", code=2)[1]
    assert "--self-play is no option of alphazero: Choose from" in wrong  # none is near
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("limits", "done", "advice"),
    [
        ({"steps": 1000, "minutes": 2.0}, (500, 125.0), " --minutes 4"),
        ({"steps": 1000, "minutes": 2.0}, (1000, 10.0), " --steps 2000"),
        ({"steps": 1000, "minutes": 0.05}, (1000, 7.0), " --steps 2000 --minutes 1"),
        ({"steps": 1000, "minutes": 2.0}, (500, 10.0), ""),  # after Ctrl-C
    ],
)
def test_the_advice_names_the_limits_that_are_reached(
    tmp_path: Path, limits: dict[str, Any], done: tuple[int, float], advice: str
) -> None:
    """The others stay what they are where a run goes on."""
    config, (steps, seconds) = AlphaZeroConfig("tictactoe", **limits), done
    state = tmp_path / "state" / f"step_{steps:09d}"
    state.mkdir(parents=True)
    (state / "state.json").write_text(json.dumps({"seconds": seconds}))
    config.save(tmp_path / "config.json")
    assert further(config, tmp_path, steps) == advice


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("ppo --opponent random*0.5 --opponent random*3", "--opponent gives 'random' twice: give it once"),
        *((f"ppo --opponent {one}", f"cannot read the share in '{one}': expected a number") for one in BAD_SHARES),
        ("ppo --blocks 2", "--blocks is for --network resnet"),
        ("a2c --exploration-steps 500", "--exploration-steps is for dqn"),
        ("ppo --opponent random --self-play 1", "--opponent is for --self-play below 1"),
        ("ppo --self-play 0 --sampling uniform", "--sampling is for --self-play above 0"),
        ("ppo --sampling latest --pool 3", "--pool is for --self-play above 0, and another --sampling than latest"),
        ("ppo --self-play 0 --snapshot-every 10", "--snapshot-every is for --self-play above 0, and another"),
        ("ppo --self-play 0 --active-opponents 2", "--active-opponents is for --self-play above 0, and another"),
        ("dqn --ladder-every 0 --ladder random", "--ladder is for --ladder-every above 0"),
        ("alphazero --ladder-every 0 --ladder-games 4", "--ladder-games is for --ladder-every above 0"),
        ("alphazero --ladder-every 0 --positions 50", "--positions is for --ladder-every above 0"),
        ("alphazero --temperature-plies 30", "--temperature-plies is for --root puct"),
        ("alphazero --forced 1 --root gumbel", "--forced is for --root puct"),
        ("alphazero --noise-alpha 0.1", "--noise-alpha is for --root puct"),
        ("alphazero --root puct --considered 4", "--considered is for --root gumbel"),
        ("alphazero --root puct --c-visit 4", "--c-visit is for --root gumbel"),
        ("alphazero --root puct --c-scale 0.1", "--c-scale is for --root gumbel"),
        ("alphazero --cheap-simulations 4", "--cheap-simulations is for --full-share below 1"),
        ("alphazero --schedule constant --decay-after 5", "--decay-after is for --schedule inverse_root"),
        ("alphazero --gating-score 0.6", "--gating-score is for --gating-games above 0"),
        ("alphazero --gating-every 100 --gating-games 0", "--gating-every is for --gating-games above 0"),
    ],
)
def test_what_would_do_nothing_is_refused(run: Run, tmp_path: Path, words: str, message: str) -> None:
    algorithm, *options = words.split()
    out = tmp_path / "run"
    assert message in " ".join(run("train", algorithm, "tictactoe", "--out", str(out), *options, code=2)[1].split())
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("alphazero --actors 1 --ray", "actors on a cluster need Ray"),
        ("alphazero --opening-plies 10", "opening_plies must be from 0 to 9, got 10"),
        ("ppo --opening-plies 10", "opening_plies must be from 0 to 9, got 10"),
    ],
)
def test_what_a_run_would_find_out_as_it_begins_is_told_before(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    """After seconds, in which torch was loaded and the folder made."""

    def begun(*_: Any) -> None:
        raise AssertionError("the run has begun")

    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    monkeypatch.setattr("plyground.arena.training.alphazero.run.AlphaZeroSession", begun)
    monkeypatch.setattr("plyground.arena.training.run.new_model", begun)
    algorithm, *options = words.split()
    said = run("train", algorithm, "tictactoe", "--out", str(tmp_path / "run"), *options, code=2)[1]
    assert message in said
    assert "compiling" not in said  # the first line of a bar
    assert not (tmp_path / "run").exists()


def test_a_run_on_a_cluster_does_not_go_on_without_ray(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    AlphaZeroConfig("tictactoe", actors=1, ray=True).save(tmp_path / "config.json")
    state = tmp_path / "state" / "step_000000032"
    state.mkdir(parents=True)
    (state / "state.json").write_text(json.dumps({"seconds": 1}))
    said = run("train", "--resume", str(tmp_path), code=2)[1]
    assert said.startswith("error: actors on a cluster need Ray")


def test_an_unknown_algorithm_is_compared_with_all(run: Run) -> None:
    wrong = run("train", "alphazeo", "tictactoe", "--simulations", "8", code=2)[1]  # which no ppo has
    assert "unknown algorithm 'alphazeo': did you mean 'alphazero'? Choose from: a2c, alphago, alphazero, dqn" in wrong
