"""The memory of a forest: as much as it says, and what becomes of a tree that is full."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from plyground.agents.puct.forest import Forest
from plyground.agents.puct.forest.trees import new_trees
from plyground.envs import make_game
from tests.helpers.forest_games import answers, positions

SMALL = "connect_four(rows=4, columns=5)"


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_a_full_tree_goes_on(root: Any) -> None:
    game = make_game(SMALL)
    states = positions(game, 8)
    small, large = (Forest(game, 8, root=root, simulations=40, proofs=False, seed=0) for _ in range(2))
    small.trees = new_trees(game, 8, 81, 86, 1, 5)  # an edge for each node, and those at the root
    found = small.search(states, answers)
    assert small.trees.rows["full"].any()
    assert small.trees.rows["edges"].max() <= small.trees.edges.shape[1]
    assert found.visits.sum(axis=1).tolist() == [40] * 8
    large.search(states, answers)
    assert small.evaluations >= large.evaluations  # leaves without room are evaluated again


def test_memory_is_as_stated_and_never_grows() -> None:
    game = make_game(SMALL)
    trees = Forest(game, 16, simulations=20, seed=0)
    nodes = 2 * 20 + 1
    stated, parts = trees.nbytes, trees.trees
    assert parts.nodes.shape == parts.states.shape == (16, nodes)
    assert parts.edges.shape == (16, 5 + 5 * nodes)
    states = np.repeat(game.initial, 16)
    for _ in range(6):
        found = trees.search(states, answers)
        trees.keep(found.actions)
        for state, action in zip(states, found.actions, strict=True):
            game.play(state, action)
    assert trees.trees is parts
    assert trees.nbytes == stated


def test_hardly_more_is_taken_than_is_stated() -> None:
    game = make_game(SMALL)
    states = positions(game, 64)
    Forest(game, 64, simulations=2, seed=0).search(states, answers)  # what is compiled stays
    tracemalloc.start()  # NumPy tells it how much it takes
    try:
        trees = Forest(game, 64, simulations=200, seed=0)
        taken = tracemalloc.get_traced_memory()[0]
        assert trees.nbytes < taken < 1.02 * trees.nbytes
        trees.search(states, answers)
        assert tracemalloc.get_traced_memory()[0] < taken + 0.02 * trees.nbytes
    finally:
        tracemalloc.stop()
