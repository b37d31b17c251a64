"""Whom a policy in training plays against, and the symmetric images in which it sees its games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete

torch = pytest.importorskip("torch")

from plyground.arena import train  # noqa: E402
from plyground.arena.training import new_model  # noqa: E402
from plyground.arena.training.league import League  # noqa: E402
from plyground.arena.training.symmetries import SymmetricVecEnv  # noqa: E402
from plyground.envs import Game, make_game  # noqa: E402
from plyground.envs.outside.elsewhere import load  # noqa: E402
from plyground.envs.vector.seats import SeatBatch  # noqa: E402
from plyground.envs.vector.stable_baselines import BoardVecEnv  # noqa: E402
from tests.helpers.coin import COIN  # noqa: E402
from tests.helpers.training_runs import SMALL  # noqa: E402


class TestLeague:
    @staticmethod
    def league(**changes: Any) -> League:
        league = League(make_game("tictactoe"), replace(SMALL, **changes))
        league.follow(Counting(league.game))
        return league

    def test_the_pool_keeps_the_oldest_and_spreads(self) -> None:
        league = self.league(pool=4)
        for steps in range(0, 1000, 10):
            league.add(steps)
            league.draw()
            ages = [league.snapshots[number].steps for number in league.pool]
            assert min(2, 1 + steps // 10) <= len(ages) <= 4
            assert ages[0] == 0
            assert ages[-1] == steps
            gaps = np.diff(ages)  # all alike, but the last may be shorter
            assert (gaps[:-1] == gaps[:1]).all()
            assert (gaps <= gaps[:1]).all()
        assert set(league.snapshots) == {*league.pool, *league.active_opponents} - {-1}

    def test_prioritised_prefers_whom_it_loses_to(self) -> None:
        league = self.league(pool=8, active_opponents=1)
        for steps in range(4):
            league.add(steps)
        league.scores = {-1: 1.0, 0: 1.0, 1: 1.0, 2: 0.0, 3: 1.0}
        active_opponents = []
        for _ in range(200):
            league.draw()
            active_opponents += league.active_opponents
        assert active_opponents.count(2) > 190

    def test_shares(self) -> None:
        league = self.league(self_play=0.25, opponents={"random": 3.0, "alphabeta(depth=1)": 1.0}, num_envs=4000)
        seats = SeatBatch(league.game, 4000, league, seed=0)
        league.seated[:] = 99
        league.begin(seats.batch, np.arange(4000))
        share = {number: float(np.mean(league.seated == number)) for number in (-1, -2, -3)}
        assert share == pytest.approx({-1: 0.25, -2: 0.75 * 0.75, -3: 0.25 * 0.75}, abs=0.03)

    def test_scores_are_means_of_the_last_games(self) -> None:
        league = self.league()
        batch = SeatBatch(league.game, 16, league, seed=0).batch
        league.seated[:] = [-1] * 8 + [-2] * 8
        rewards = np.array([1] * 8 + [0] * 8, np.float32)
        league.end(batch, np.arange(16), rewards)
        assert league.scores == {-1: 1.0, -2: 0.5}
        for _ in range(2000):
            league.end(batch, np.arange(8), np.full(8, -1, np.float32))
        assert league.scores[-1] < 0.01


class Counting(torch.nn.Module):  # pyright: ignore[reportUntypedBaseClass]
    """Stands for a network, as far as the pool is concerned."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.game = game
        self.observation_space, self.action_space = game.observation_space(), Discrete(game.num_actions)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {"game": self.game}

    def set_training_mode(self, mode: bool) -> None:
        self.train(mode)


def test_symmetry_shows_each_game_through_an_image() -> None:
    game = make_game("go(board_size=5)")
    seen = BoardVecEnv(game, 32, "random", "first", seed=3)
    env = SymmetricVecEnv(seen)
    shape = (32, *game.observation_shape)
    images = [(np.arange(25), np.arange(26)), *((one.cells, one.actions) for one in game.symmetries)]
    rng = np.random.default_rng(0)
    shown: Any = env.reset()
    ended = 0
    for _ in range(60):
        planes, masks, shown_masks = seen.seats.observations.reshape(32, 25, -1), seen.seats.masks, env.action_masks()
        for row, image in enumerate(env.images):
            cells, actions = images[image]
            assert (shown.reshape(shape)[row].reshape(25, -1) == planes[row][cells]).all()
            assert (shown_masks[row] == masks[row][actions]).all()
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in shown_masks])
        expected = np.array([images[image][1][action] for image, action in zip(env.images, chosen, strict=True)])
        before, drawn = seen.seats.batch.states.copy(), env.images.copy()
        legal = seen.seats.masks[np.arange(32), expected]
        assert legal.all()
        shown, _, dones, infos = env.step(chosen)
        ended += int(dones.sum())
        for row in np.flatnonzero(dones):
            last, cells = infos[row]["terminal_observation"].reshape(25, -1), images[drawn[row]][0]
            assert (last == seen.seats.final_observations[row].reshape(25, -1)[cells]).all()
        assert (before != seen.seats.batch.states).any()
    assert ended > 0
    assert len(set(env.images.tolist())) == 8
    with pytest.raises(ValueError, match="no symmetries"):
        SymmetricVecEnv(BoardVecEnv("checkers", 1))


DOORS = """
import numpy as np

opened = set()
seen = []


class Door:
    def act(self, observation, info):
        opened.add(id(self))
        seen.append(self)
        return int(np.flatnonzero(info["action_mask"])[0])

    def close(self):
        opened.discard(id(self))
"""


def test_a_run_closes_whom_it_has_met(tmp_path: Path) -> None:
    """Programs that had played against the learner, or on its ladder, went on while somebody held the model."""
    (tmp_path / "doors_of_runs.py").write_text(DOORS)
    door = f"{tmp_path}/doors_of_runs.py:Door"
    model = train(replace(SMALL, steps=128, self_play=0.0, opponents={door: 1.0}, ladder=(door,)), tmp_path / "run")
    assert model.num_timesteps >= 128
    assert len(load(f"{tmp_path}/doors_of_runs.py:seen")) > 20
    assert load(f"{tmp_path}/doors_of_runs.py:opened") == set()


def test_who_is_not_met_is_not_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ladder of a run without tests was, and the opponents of one that only plays itself, for half a minute."""
    compiled, prepared = list[list[str]](), list[object]()
    monkeypatch.setattr("plyground.arena.training.run.compile_players", lambda _, players: compiled.append([*players]))
    monkeypatch.setattr("plyground.arena.training.league.prepare", lambda other, batch: prepared.append(other))
    short = replace(SMALL, steps=128, ladder=("random",), ladder_every=0)
    for number, changes in enumerate(({}, {"self_play": 1.0}, {"self_play": 1.0, "ladder_every": 10**6})):
        train(replace(short, **changes), tmp_path / str(number))
    assert compiled == [["random"], [], ["random"]]
    assert len(prepared) == 1


def test_what_a_game_has_not_is_told_before_anybody_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asked for it waited for all opponents first."""
    monkeypatch.setattr("plyground.arena.training.model.League", None)
    monkeypatch.setattr("plyground.arena.training.model.make_game", lambda name: Game(**COIN))
    for changes, message in (({"network": "resnet"}, "a residual net needs"), ({"symmetry": True}, "no symmetries")):
        with pytest.raises(ValueError, match=message):
            new_model(replace(SMALL, **changes))
