"""The policy by play of AlphaGo's pipeline, with each of its baselines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from plyground.agents.networks import read_network
from plyground.arena import write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago import AlphaGoProgress, train
from tests.helpers.alphago_runs import small_run


def test_openings_that_may_be_longer_than_games_end_no_run(tmp_path: Path) -> None:
    """Tests had exactly as many random plies as openings of play have at most: they found no game, at the end."""
    write_games(tmp_path / "games.jsonl", generate("tictactoe", ["random"], 40))
    settings: dict[str, Any] = {"network": "mlp", "batch_size": 16, "policy_steps": 2, "rl_games": 4}
    settings |= {"ladder": (), "ladder_games": 2, "solved": 0, "opening_plies": 9}
    config = small_run("tictactoe", tmp_path / "games.jsonl", **settings)
    assert train(config, tmp_path / "run", parts=["policy", "rl"]).part == "rl"


def test_openings_longer_than_any_game_are_refused(tmp_path: Path) -> None:
    """They were cut to its length, and nobody was told."""
    write_games(tmp_path / "games.jsonl", generate("tictactoe", ["random"], 40))
    config = small_run("tictactoe", tmp_path / "games.jsonl", opening_plies=10)
    with pytest.raises(ValueError, match="opening_plies must be from 0 to 9, got 10"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("baseline", "is_learned"), [("mean", False), ("none", False), ("value", True)])
def test_the_value_that_is_a_baseline_is_learned_beside(baseline: Any, is_learned: bool, tmp_path: Path) -> None:
    write_games(tmp_path / "games.jsonl", generate("tictactoe", ["random"], 40))
    settings: dict[str, Any] = {"network": "mlp", "batch_size": 16, "policy_steps": 2, "rl_games": 4}
    settings |= {"ladder": (), "ladder_games": 2, "solved": 0, "baseline": baseline}
    seen: list[AlphaGoProgress] = []
    train(
        small_run("tictactoe", tmp_path / "games.jsonl", **settings),
        tmp_path / "run",
        seen.append,
        parts=["policy", "rl"],
    )
    before, after = (read_network(tmp_path / "run" / part).weights for part in ("policy", "rl"))
    heads = {name.partition(".")[0] for name in before if (before[name] != after[name]).any()}
    assert "policy" in heads
    assert ("value" in heads) == ("value" in seen[-1].losses) == is_learned
