"""Chess for those who learn it: AlphaZero, PPO and the Monte Carlo searches take it as they take any game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from plyground.agents.networks import read_network
from plyground.arena import match, train
from plyground.arena.training.alphazero import train as train_net
from tests.helpers.alphazero_play import SMALL_RUN
from tests.helpers.training_runs import SMALL

GAMES = ("minichess(max_quiet_plies=12)", "chess(max_quiet_plies=12)")  # so that games end soon

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", GAMES)
def test_alphazero_learns_and_its_net_plays_searches(game: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    progress = train_net(replace(SMALL_RUN, game=game, actors=0, steps=6000), run)
    assert progress.samples > 64
    assert progress.learned > 0
    assert read_network(run).config.game == game
    for other in ("mcts(simulations=20)", "puct(simulations=8)"):
        records = match(game, [f"alphazero({run}, simulations=8)", other], games=2)
        assert {len(set(record.players)) for record in records} == {2}
        assert all(np.isfinite(record.outcome).all() for record in records)


def test_ppo_learns_and_its_policy_plays(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert train(replace(SMALL, game=GAMES[1]), run).num_timesteps == 512
    first, second = match(GAMES[1], [f"ppo({run})", "random"], games=2)
    assert first.players == second.players[::-1]
