"""Visits have 32 bits: what cannot be counted is not searched, and trees with nearly as many are not kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.agents import MCTS, PUCT, FlatMonteCarlo
from plyground.agents.puct import forest_search
from plyground.agents.puct.forest import Forest
from plyground.agents.settings import MOST_SIMULATIONS
from plyground.envs import tictactoe
from tests.helpers.forest_games import answers

GAME = tictactoe()


@pytest.mark.parametrize("kind", [MCTS, PUCT, FlatMonteCarlo])
def test_more_simulations_than_can_be_counted_are_refused(kind: Any) -> None:
    assert kind(GAME, MOST_SIMULATIONS).simulations == MOST_SIMULATIONS
    with pytest.raises(ValueError, match=r"^simulations must be a whole number up to 2147483647, got 2147483648"):
        kind(GAME, 2**31)


@pytest.mark.parametrize("kind", [MCTS, PUCT])
def test_a_tree_with_nearly_as_many_is_not_kept(kind: Any) -> None:
    for visits, kept in ((2**30, 2**30), (2**31 - 51, 0)):
        agent: Any = kind(GAME, 100, reuse_tree=True, seed=0)
        agent.analyse(GAME.new_state())
        tree = agent._tree if kind is PUCT else agent._searchers[0].tree
        tree.visits[0] = visits
        found = agent.analyse(GAME.new_state())
        assert found.statistics["simulations kept"] == kept
        assert found.leaves == 100


def test_uct_ends_where_it_cannot_count_on() -> None:
    """Whatever ends it: simulations that were set later, a robust child that is looked for, or seconds alone."""
    searcher = MCTS(GAME, seed=0)._searchers[0]
    searcher.start(GAME.new_state(), np.arange(9, dtype=np.int32), False)
    assert searcher.tree is not None
    searcher.tree.visits[0] = MOST_SIMULATIONS - 5
    assert searcher.run(100, None, lambda: False) == 5
    assert searcher.tree.visits[0] == MOST_SIMULATIONS
    assert searcher.run(1, None, lambda: False) == 0


def test_puct_ends_where_it_cannot_count_on() -> None:
    agent = PUCT(GAME, 20, seed=0)
    agent.analyse(GAME.new_state())
    tree = agent._tree
    assert tree is not None
    tree.visits[0] = MOST_SIMULATIONS - 5
    agent.simulations = 100
    assert agent._run(tree, int(tree.visits[0]), 0.0)[1] == 5
    assert tree.visits[0] == MOST_SIMULATIONS


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_row_of_a_forest_begins_anew(root: Any) -> None:
    trees, fresh = (Forest(GAME, 1, simulations=20, root=root, noise=0, seed=0) for _ in range(2))
    trees.search(GAME.initial, answers)
    trees.trees.edges["visits"][0, :9] = [2**30, *[0] * 8]
    assert trees.search(GAME.initial, answers).visits.sum() > 2**30  # it is kept
    assert (trees.search(GAME.initial, answers).visits == fresh.search(GAME.initial, answers).visits).all()


def test_edges_of_a_forest(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"^simulations=1073741824 need .* edges a tree, and it can have 2147483647"):
        Forest(GAME, 1, simulations=2**30)
    monkeypatch.setattr(forest_search, "MOST_EDGES", 10_000)  # with a limit that memory does not reach before
    trees = PUCT(GAME, seconds=0.1, root="gumbel")._planted().forest.trees
    assert 9_000 < trees.edges.shape[1] <= 10_000
