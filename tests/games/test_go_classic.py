"""How our Go differs from ``pettingzoo.classic.go_v5``; in all else they are the same (`tests.compare.classic_go`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import go_v5

from plyground.envs import go, go_v0
from tests.compare.classic_go import as_ours


def test_spaces_are_the_same() -> None:
    env, classic = go_v0.env(), go_v5.env()
    assert env.possible_agents == classic.possible_agents
    for agent in env.possible_agents:
        assert env.observation_space(agent) == classic.observation_space(agent)
        assert env.action_space(agent) == classic.action_space(agent)


def test_a_plane_always_holds_the_same_players_stones() -> None:
    env: Any = go_v0.env(board_size=5)
    classic: Any = go_v5.env(board_size=5)
    for made in (env, classic):
        made.reset()
        for action in (0, 1, 2):
            made.step(action)
    ours, theirs = (made.observe("white_0")["observation"] for made in (env, classic))
    assert np.flatnonzero(ours[0, :, 0]).tolist() == [1]  # white's own stone
    assert np.flatnonzero(theirs[0, :, 0]).tolist() == [0, 2]  # documented as white's, and black's
    assert np.flatnonzero(theirs[0, :, 2]).tolist() == [1]  # the board before, in the other order
    np.testing.assert_array_equal(ours, as_ours(theirs, 1, 3))


@pytest.mark.parametrize(("make", "rewards"), [(go_v0.env, [0, 0]), (go_v5.env, [-1, 1])])
def test_a_tie_is_a_draw(make: Any, rewards: list[int]) -> None:
    env = make(board_size=5, komi=0)
    env.reset()
    env.step(25)
    env.step(25)
    assert list(env.rewards.values()) == rewards


def test_boards_of_two_sizes_live_in_one_process() -> None:
    classic = go_v5.env(board_size=5)
    go_v5.env(board_size=9)
    with pytest.raises(IndexError):
        classic.reset()
    small, large = go_v0.env(board_size=5), go_v0.env(board_size=9)
    for env, size in ((small, 5), (large, 9), (small, 5)):
        env.reset()
        env.step(size * size - 1)
        assert env.observe("white_0")["observation"][:, :, 1].sum() == 1


def test_superko() -> None:
    moves = ["A2", "B1", "B2", "C2", "pass", "D1", "E5", "A1", "C1"]
    env: Any
    for env, allowed in ((go_v0.env(board_size=5), 0), (go_v5.env(board_size=5), 1)):
        env.reset()
        for move in moves:
            env.step(go(board_size=5).str_to_action(move))
        assert env.observe("white_0")["action_mask"][go(board_size=5).str_to_action("B1")] == allowed
