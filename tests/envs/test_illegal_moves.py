"""What an illegal move costs: as much as the worst result, wherever it is made."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from plyground.arena import GameRecord, match, play, standings
from plyground.envs import BoardGameEnv, BoardVectorEnv, SeatBatch, SoloEnv, make_game, tictactoe

GAME = make_game("othello(size=4, by_discs=True)")  # up to 16 discs
PASS = 16  # which is illegal at first
LEGAL = GAME.actions(GAME.new_state())[0]


def passer(observation: Any, info: Any) -> int:
    return PASS


def test_the_environment_gives_the_worst_reward() -> None:
    env = BoardGameEnv(GAME)
    env.reset()
    env.step(PASS)
    assert env.rewards == {"player_0": -16, "player_1": 0}


def test_so_do_those_of_one_seat() -> None:
    solo = SoloEnv(GAME, "random", "first")
    solo.reset(seed=0)
    assert solo.step(PASS)[1:3] == (-16, True)
    seats = SeatBatch(GAME, 2, "random", "first", seed=0)
    seats.reset()
    assert seats.step([PASS, LEGAL])[1].tolist() == [-16, 0]
    envs = BoardVectorEnv(GAME, 2, "random", "first")
    envs.reset(seed=0)
    assert envs.step([LEGAL, PASS])[1].tolist() == [0, -16]


def test_in_batches_of_stable_baselines() -> None:
    pytest.importorskip("stable_baselines3")
    from plyground.envs.vector.stable_baselines import BoardVecEnv

    env = BoardVecEnv(GAME, 1, "random", "first", seed=0)
    env.reset()
    infos = env.step(np.array([PASS]))[3]
    assert infos[0]["episode"]["r"] == -16


def test_a_game_without_a_worst_result_gives_minus_one() -> None:
    game = tictactoe().replace(max_utility=math.inf, evaluate=tictactoe().evaluate)
    env = BoardGameEnv(game)
    env.reset(options={"moves": [4]})
    env.step(4)
    assert list(env.rewards.values()) == [0, -1]


def test_records_tell_of_it_as_a_loss() -> None:
    record = play(BoardGameEnv(GAME), [passer, "random"], seed=0)
    assert (record.ending, record.outcome, record.points, record.loser) == ("illegal", [-16, 0], (0, 1), "passer")
    assert GameRecord.from_json(record.to_json()) == record
    games = match(GAME, [passer, "random"], games=2, seed=0, opening_plies=0)
    assert [(record.ending, min(record.outcome), record.loser) for record in games] == [("illegal", -16, "passer")] * 2
    assert [line.total.points for line in standings(games)] == [2, 0]
