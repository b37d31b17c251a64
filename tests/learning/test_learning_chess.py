"""Chess for those who learn it: each kind of training, and the Monte Carlo searches, take it as they take any game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from plyground.agents.networks import read_network
from plyground.arena import match, train, write_games
from plyground.arena.generation import generate
from plyground.arena.training.alphago import train as train_pipeline
from plyground.arena.training.alphago import value
from plyground.arena.training.alphazero import train as train_net
from tests.helpers.alphago_runs import small_run
from tests.helpers.alphazero_play import SMALL_RUN
from tests.helpers.training_runs import ALL

GAMES = ("minichess", "chess(max_quiet_plies=12)")  # which ends sooner

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", GAMES)
def test_alphazero_learns_and_its_net_plays_searches(game: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    progress = train_net(replace(SMALL_RUN, game=game, actors=0, steps=2000), run)
    assert progress.samples > 64
    assert progress.learned > 0
    assert read_network(run).config.game == game
    for other in ("mcts(simulations=20)", "puct(simulations=8)"):
        records = match(game, [f"alphazero({run}, simulations=8)", other], games=2)
        assert {len(set(record.players)) for record in records} == {2}
        assert all(np.isfinite(record.outcome).all() for record in records)


@pytest.mark.parametrize("algorithm", ALL)
def test_stable_baselines_learns_and_its_policy_plays(algorithm: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    model = train(replace(ALL[algorithm], game=GAMES[1]), run)
    assert model.num_timesteps >= 512
    assert model.policy.optimizer.state  # it has taken steps
    first, second = match(GAMES[1], [f"{algorithm}({run})", "random"], games=2)
    assert first.players == second.players[::-1]


def test_alphago_learns_from_games_and_by_play_and_its_nets_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value, "_ROWS", 16)  # games at a time: a network for chess has 4,672 outputs
    run, records = tmp_path / "run", tmp_path / "games.jsonl"
    write_games(records, generate(GAMES[1], ["random"], 20))
    small = small_run(
        GAMES[1],
        records,
        network="tiny",
        batch_size=16,
        policy_steps=2,
        rl_games=4,
        value_games=4,
        value_steps=2,
        contrast=False,
        ladder=("random",),
        ladder_games=2,
        solved=0,
    )
    assert train_pipeline(replace(small, rl_steps=2), run).part == "value"
    for part in ("policy", "rl", "value"):
        assert read_network(run / part).config.game == GAMES[1]
    assert not (run / "rollout" / "model.npz").read_bytes()  # chess has no features of moves for a rollout policy
    for rollout in ("policy", "random"):
        first, second = match(GAMES[1], [f"alphago({run}, simulations=8, rollout={rollout})", "random"], games=2)
        assert first.players == second.players[::-1]
