"""The trees of a forest: one struct of preallocated arrays, a row for each game.

A *node* is a position that the evaluator was asked about; its *edges* are the actions there, side by side, the one with
the highest prior first. Values count from -1 to 1: utilities divided by the largest of the game. Those of an edge are
from the point of view of the player who chooses it. What is proved is kept as the utility itself, which divided and
multiplied again may be another number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs import Game

__all__ = ["DRAWN", "EDGE", "MOST_EDGES", "NODE", "ROW", "Trees", "new_trees", "size_of_trees"]


def _record(*fields: tuple[str, type]) -> np.dtype[Any]:
    """Return the dtype of a record whose fields are attributes in plain Python, too."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


NODE = _record(
    ("value", np.float64),  # for the player to move: what the evaluator said, or where it is proved, the utility
    ("first", np.int32),  # its first edge
    ("count", np.int32),  # how many edges it has
    ("player", np.int8),  # who is to move
    ("proved", np.bool_),
)

MOST_EDGES = 2**31 - 1  # of a tree: it counts them with 32 bits
DRAWN = -2  # in place of a node

EDGE = _record(
    ("total", np.float64),  # W: the sum of the values; Q = W / N
    ("exact", np.float64),  # the utility, where it is proved, or minus infinity
    ("prior", np.float32),  # P, of all edges of a node 1 together
    ("visits", np.int32),  # N
    ("action", np.int32),
    ("child", np.int32),  # the node that it leads to, or -1; `DRAWN` where its visits were draws by repetition
)

ROW = _record(
    ("nodes", np.int32),  # nodes in use; 0: the root is to be evaluated
    ("edges", np.int32),  # edges in use
    ("simulations", np.int32),  # of this search
    ("left", np.int32),  # simulations that have not begun
    ("leaves", np.int32),  # leaves that wait for the evaluator
    ("considered", np.int32),  # candidates that sequential halving has left
    ("phases", np.int32),  # halvings until there is one
    ("rounds", np.int32),  # visits that each candidate still gets before the next halving
    ("turn", np.int32),  # the candidate that is visited next
    ("deepest", np.int32),  # plies below the root of the deepest leaf
    ("noisy", np.bool_),  # whether a PUCT root has noise, and playouts that are forced
    ("full", np.bool_),  # whether a leaf found no room for itself, and was not kept
)


class Trees(NamedTuple):
    """A row for each game; a row's root is its node 0."""

    rows: NDArray[Any]  # [rows] of ROW
    nodes: NDArray[Any]  # [rows, nodes] of NODE
    edges: NDArray[Any]  # [rows, edges] of EDGE
    states: NDArray[Any]  # [rows, nodes] the positions at the nodes
    candidates: NDArray[np.int32]  # [rows, considered] edges at the root
    noise: NDArray[np.float64]  # [rows, num_actions] Gumbel or Dirichlet noise of the edges at the root
    before: NDArray[np.int32]  # [rows, num_actions] the visits of the edges at a Gumbel root before this search
    scores: NDArray[np.float64]  # [rows, num_actions] scratch
    visited: NDArray[np.int32]  # [rows, num_actions] scratch
    leaves: NDArray[Any]  # [rows, leaves] the positions that wait for the evaluator
    trials: NDArray[Any]  # [rows] scratch: a position after a leaf
    legal: NDArray[np.int32]  # [rows, leaves, num_actions] their legal actions
    counts: NDArray[np.int32]  # [rows, leaves] how many these are
    path_nodes: NDArray[np.int32]  # [rows, leaves, plies] the nodes on the way to each leaf
    path_edges: NDArray[np.int32]  # [rows, leaves, plies] the edges between them
    lengths: NDArray[np.int32]  # [rows, leaves] how many these are


def new_trees(game: Game, rows: int, nodes: int, edges: int, leaves: int, considered: int) -> Trees:
    """Return empty trees.

    Args:
        game: the game.
        rows: the number of trees.
        nodes: room in each.
        edges: room in each, of all nodes together.
        leaves: how many wait for the evaluator at a time, in each tree.
        considered: candidates at a root, at most.
    """
    plies = min(game.max_plies, nodes) + 1
    return Trees(
        rows=np.zeros(rows, ROW),
        nodes=np.zeros((rows, nodes), NODE),
        edges=np.zeros((rows, edges), EDGE),
        states=np.zeros((rows, nodes), game.dtype),
        candidates=np.zeros((rows, considered), np.int32),
        noise=np.zeros((rows, game.num_actions)),
        before=np.zeros((rows, game.num_actions), np.int32),
        scores=np.zeros((rows, game.num_actions)),
        visited=np.zeros((rows, game.num_actions), np.int32),
        leaves=np.zeros((rows, leaves), game.dtype),
        trials=np.zeros(rows, game.dtype),
        legal=np.zeros((rows, leaves, game.num_actions), np.int32),
        counts=np.zeros((rows, leaves), np.int32),
        path_nodes=np.zeros((rows, leaves, plies), np.int32),
        path_edges=np.zeros((rows, leaves, plies), np.int32),
        lengths=np.zeros((rows, leaves), np.int32),
    )


def size_of_trees(trees: Trees) -> int:
    """Return the bytes that the arrays take."""
    return sum(array.nbytes for array in trees)
