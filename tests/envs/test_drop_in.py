"""Our environments and PettingZoo's classic ones, step by step over thousands of random games."""

from __future__ import annotations

from typing import Any

import pytest
from pettingzoo.classic import connect_four_v3, tictactoe_v3

from plyground.envs import connect_four_v0, tictactoe_v0
from tests.helpers.transcripts import at_random, transcript

PAIRS = [
    pytest.param(connect_four_v0, connect_four_v3, id="connect_four"),
    pytest.param(tictactoe_v0, tictactoe_v3, id="tictactoe"),
]
GAMES = 5_000
ILLEGAL = 0.02  # how often an action is drawn from all, not from the legal ones


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_random_games_are_identical_record_by_record(ours: Any, theirs: Any) -> None:
    env, classic = ours.env(), theirs.env()
    our_choice, their_choice = at_random(0, ILLEGAL), at_random(0, ILLEGAL)
    illegal = 0
    for _ in range(GAMES):
        record = None
        for record, expected in zip(transcript(env, our_choice), transcript(classic, their_choice), strict=True):
            assert record == expected
            illegal += record[0] == "truncations" and dict(record[1]) == dict.fromkeys(env.possible_agents, True)
        assert record is not None
    assert illegal > GAMES / 100  # illegal moves did end some games


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_spaces_are_the_same(ours: Any, theirs: Any) -> None:
    env, classic = ours.env(), theirs.env()
    assert env.possible_agents == classic.possible_agents
    assert env.max_num_agents == classic.max_num_agents
    for agent in env.possible_agents:
        assert env.observation_space(agent) == classic.observation_space(agent)
        assert env.action_space(agent) == classic.action_space(agent)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_raw_env_refuses_what_the_classic_one_refuses(ours: Any, theirs: Any) -> None:
    for env, error in ((ours.raw_env(), ValueError), (theirs.raw_env(), AssertionError)):
        env.reset()
        agent = env.agent_selection
        moves = [0, 0, 0, 0, 0, 0] if env.action_space(agent).n == 7 else [0]
        for move in moves:
            env.step(move)
        with pytest.raises(error):
            env.step(0)
