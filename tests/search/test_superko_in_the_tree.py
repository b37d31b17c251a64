"""Positions that may not come again, inside the tree of UCT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS
from plyground.agents.mcts.superko import Followed
from plyground.agents.mcts.tree import Tree
from plyground.envs import Game, go


def repeated(game: Game, root: Any, tree: Tree, past: set[int]) -> int:
    """Return how many nodes of the tree stand for a position that was on the way to them, or in the past."""
    count, queue = 0, [(0, root.copy(), past | {int(game.repetition_key(root))})]
    while queue:
        node, state, seen = queue.pop()
        for child in range(tree.first_child[node], tree.first_child[node] + tree.child_count[node]):
            after, action = state.copy(), int(tree.action[child])
            game.play(after, action)
            key = int(game.repetition_key(after))
            count += action != game.num_actions - 1 and key in seen
            if tree.visits[child] > 0:
                queue.append((child, after, seen | {key}))
    return count


def _played(moves: int, seed: int) -> tuple[Game, Any]:
    """Return a full board, on which captures bring positions back soon."""
    game, rng = go(board_size=2, superko="positional"), np.random.default_rng(seed)
    state = game.new_state()
    for _ in range(moves):
        game.play(state, int(rng.choice([a for a in game.actions(state) if a < 4] or [4])))
    return game, state


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"rollout": "random"}, pytest.param({"rollout": "random", "rave": 100, "fpu": 1.0}, marks=pytest.mark.slow)],
)
def test_no_position_comes_again_in_the_tree(options: dict[str, Any]) -> None:
    found = {True: 0, False: 0}
    for seed in range(4):
        game, state = _played(4, seed)
        for superko in found:
            agent = MCTS(game, 3000, seed=0, superko=superko, **options)
            agent.analyse(state)
            tree = agent._searchers[0].tree
            assert tree is not None
            found[superko] += repeated(game, state, tree, set())
    assert found[True] == 0
    assert found[False] > 0


@pytest.mark.parametrize("reuse", [False, True])
def test_nor_one_of_the_game_before_the_root(reuse: bool) -> None:
    game = go(board_size=2, superko="positional")
    agent = MCTS(game, 400, seed=0, rollout="random", reuse_tree=reuse)
    state, past = game.new_state(), list[int]()
    rng = np.random.default_rng(1)
    for _ in range(20):
        actions = np.zeros(game.num_actions, np.int8)
        for action in game.actions(state):
            after = state.copy()
            game.play(after, action)
            actions[action] = action == 4 or int(game.repetition_key(after)) not in past
        found = agent.analyse(state, actions)
        tree = agent._searchers[0].tree
        assert tree is not None
        assert repeated(game, state, tree, set(past)) == 0
        past.append(int(game.repetition_key(state)))
        # The agent plays its own moves; the opponent's are any, and the agent does not see them.
        action = found.best_action
        game.play(state, action)
        past.append(int(game.repetition_key(state)))
        answers = [a for a in game.actions(state) if a < 4]
        if game.is_terminal(state) or not answers:
            break
        game.play(state, int(rng.choice(answers)))
        if game.is_terminal(state) or int(game.repetition_key(state)) in past:
            break
    assert len(past) > 2


def test_many_games_at_once_are_played_without_it_alone() -> None:
    for superko in (True, False):
        agent = MCTS("go(board_size=3)", 10, rollout="random", superko=superko)
        assert (agent.copies() is None) is (agent.batched() is None) is superko


def test_the_past_is_that_of_one_game() -> None:
    game = go(board_size=3)
    followed, first = Followed(game), game.new_state()
    assert followed.past(first).size == 0
    followed.play(first, 4)
    after, answered = game.play_moves([4]), game.play_moves([4, 0])
    keys = [int(game.repetition_key(state)) for state in (first, after)]
    assert followed.past(answered).tolist() == keys
    followed.play(answered, 8)
    assert followed.past(game.play_moves([4, 0, 8, 2])).size == 4
    assert followed.past(game.play_moves([4, 1])).size == 0  # another game
    followed.play(first, 4)
    followed.forget()
    assert followed.past(answered).size == 0
