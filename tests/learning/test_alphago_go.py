"""AlphaGo's pipeline on Go itself, which no solver knows: it forbids to repeat a position."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from plyground.arena import match, write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago import train
from plyground.arena.training.alphago.truth import solved_positions
from plyground.envs import make_game
from tests.helpers.alphago_runs import small_run

GAME = "go(board_size=3)"


def test_there_are_no_solved_positions(tmp_path: Path) -> None:
    """The pipeline ended there, at its first test."""
    assert solved_positions(make_game(GAME), [], 5, 0, tmp_path / "solved.npz") is None


@pytest.mark.slow
def test_all_parts_are_trained_and_play(tmp_path: Path) -> None:
    write_games(tmp_path / "games.jsonl", generate(GAME, ["random"], 20))
    steps = {"policy_steps": 2, "rollout_steps": 2, "value_games": 20, "value_steps": 2, "test_every": 1}
    config = small_run(
        GAME,
        tmp_path / "games.jsonl",
        network="tiny",
        batch_size=16,
        rl_games=4,
        ladder=("random",),
        ladder_games=2,
        **steps,
    )
    assert train(config, tmp_path / "run").part == "value"
    marks = json.loads((tmp_path / "run" / "rollout" / "results.json").read_text())["accuracy"]
    for name in ("top 1", "top 5"):  # by ply, moves that are no candidates were left out
        found = sum(one["positions"] * one[name] for one in marks["by ply"].values())
        assert found == pytest.approx(marks["positions"] * marks[name])
    for rollout in ("policy", "heavy"):
        player = f"alphago({str(tmp_path / 'run')!r}, simulations=8, rollout={rollout})"
        assert len(match(GAME, [player, "random"], 2)) == 2
