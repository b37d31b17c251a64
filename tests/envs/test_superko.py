"""Superko: what an environment forbids that a state knows nothing of, and agents that keep to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, AlphaBeta, Minimax, Random
from plyground.envs import go, go_v0
from tests.helpers.go_oracle import after, grid_of


def stones_first(mask: Any) -> Any:
    """Return the actions of a mask, with the pass only where it is the only one: such games get to superkos."""
    actions = np.flatnonzero(mask)
    return actions[:-1] if actions.size > 1 else actions


@pytest.mark.slow
@pytest.mark.parametrize("superko", ["positional", "situational"])
def test_environments_forbid_what_was_there_before(superko: str, rng: np.random.Generator) -> None:
    env: Any = go_v0.raw_env(board_size=3, superko=superko)
    game = env.game
    forbidden = 0
    for _ in range(60):
        env.reset()
        seen: set[Any] = set()
        while not env.terminations[env.agent_selection]:
            state = env.infos[env.agent_selection]["state"]
            turn, grid = game.player(state), grid_of(game, state)
            seen.add((grid, turn))
            mask = env.last()[0]["action_mask"]
            for action in game.actions(state):
                board = grid if action == 9 else after(grid, action // 3, action % 3, turn + 1)
                before = {(board, 1 - turn)} if superko == "situational" else {(board, 0), (board, 1)}
                assert mask[action] == (action == 9 or not before & seen)
                forbidden += mask[action] == 0
            env.step(int(rng.choice(stones_first(mask))))
    assert forbidden > 20


def test_sending_two_and_returning_one_is_a_matter_of_superko() -> None:
    moves = ["A2", "B1", "B2", "C2", "pass", "D1", "E5", "A1", "C1"]
    for superko, allowed in (("positional", False), ("situational", True), ("simple", True)):
        env: Any = go_v0.raw_env(board_size=5, superko=superko)
        env.reset(options={"moves": moves})
        action = env.game.str_to_action("B1")
        assert env.last()[0]["action_mask"][action] == allowed
        if allowed:
            env.reset(options={"moves": [*moves, "B1"]})
            continue
        before = env.infos["black_0"]["state"]
        with pytest.raises(ValueError, match="move B1 at index 9 is illegal in go: it repeats a position"):
            env.reset(options={"moves": [*moves, "B1"]})
        with pytest.raises(ValueError, match="is illegal for white_0"):
            env.step(action)
        assert env.infos["black_0"]["state"] is before


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [lambda g: MCTS(g, 200, seed=0), lambda g: AlphaBeta(g, 2), lambda g: Minimax(g, 1), Random]
)
def test_agents_keep_to_superko(make: Any) -> None:
    env: Any = go_v0.raw_env(board_size=3, komi=0.5)
    agent, rng = make(env.game), np.random.default_rng(0)
    forbidden = 0
    for _ in range(30):
        env.reset()
        while not env.terminations[env.agent_selection]:
            observation, _, _, _, info = env.last()
            actions = np.flatnonzero(observation["action_mask"])
            forbidden += actions.size < len(env.game.actions(info["state"]))
            action = agent.act(observation, info)
            assert action in actions
            env.step(int(rng.choice(stones_first(observation["action_mask"]))))
    assert forbidden > 10


@pytest.mark.slow
def test_a_search_prefers_the_next_best_to_what_is_forbidden() -> None:
    game = go(board_size=3, komi=0.5)
    state = game.new_state()
    agent = AlphaBeta(game, depth=3)
    mask = np.ones(10, np.int8)
    best = agent.analyse(state).best_action
    mask[best] = 0
    assert agent.analyse(state, mask).best_action != best
    with pytest.raises(ValueError, match="the mask leaves no action"):
        agent.analyse(state, np.zeros(10))
    with pytest.raises(ValueError, match=r"has shape \(10,\), got \(9,\)"):
        agent.analyse(state, np.ones(9))
