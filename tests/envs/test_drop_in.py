"""Our environments and PettingZoo's classic ones, step by step over thousands of random games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3, tictactoe_v3

from plyground.envs import connect_four_v0, tictactoe_v0

PAIRS = [
    pytest.param(connect_four_v0, connect_four_v3, id="connect_four"),
    pytest.param(tictactoe_v0, tictactoe_v3, id="tictactoe"),
]
GAMES = 10_000
ILLEGAL = 0.02  # how often an action is drawn from all, not from the legal ones


def transcript(env: Any, actions: Iterator[float], illegal: float = ILLEGAL) -> Iterator[tuple[Any, ...]]:
    """Play one game, and yield all that can be seen before and after every step."""
    env.reset()
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        other = env.observe(next(name for name in env.possible_agents if name != agent))
        for shown in (observation, other):
            yield "sees", shown["observation"].tobytes(), shown["action_mask"].tobytes()
            yield "shapes", *((a.shape, a.dtype, type(a)) for a in (shown["observation"], shown["action_mask"]))
        yield "last", agent, reward, terminated, truncated
        if terminated or truncated:
            action = None
        else:
            legal = np.flatnonzero(observation["action_mask"])
            choices = range(env.action_space(agent).n) if next(actions) < illegal else legal
            action = int(choices[int(next(actions) * len(choices))])
        env.step(action)
        yield "played", action, env.agent_selection, tuple(env.agents), env.num_agents
        for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
            yield name, tuple(getattr(env, name).items())
        yield "infos", tuple(env.infos)


def numbers(seed: int) -> Iterator[float]:
    rng = np.random.default_rng(seed)
    while True:
        yield from rng.random(1000).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_random_games_are_identical_record_by_record(ours: Any, theirs: Any) -> None:
    env, classic = ours.env(), theirs.env()
    ours_random, theirs_random = numbers(0), numbers(0)
    illegal = 0
    for _ in range(GAMES):
        record = None
        for record, expected in zip(transcript(env, ours_random), transcript(classic, theirs_random), strict=True):
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
