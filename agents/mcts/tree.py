"""The search tree of UCT, a struct of preallocated arrays, and the steps of a simulation over it.

The third of the four steps, the rollout, is in `policies`.

A node stands for the action that leads into it. Its value is from the point of view of the *mover*, the player who
chose that action, so the mover picks the child with the highest mean, whichever side it is.

Source: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006; the four steps as in C. Browne et
al., "A survey of Monte Carlo tree search methods", IEEE TCIAIG 4 (2012), section 3.1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.jit import helper
from ...envs.jit.prng import below

__all__ = [
    "Tree",
    "add_children",
    "backpropagate",
    "clear",
    "descend",
    "exploration",
    "has_room",
    "new_tree",
    "select_child",
    "shuffle",
    "ucb",
]


class Tree(NamedTuple):
    """Node 0 is the root. The children of a node stand side by side."""

    visits: NDArray[np.int32]  # [nodes] N
    total: NDArray[np.float64]  # [nodes] W: the sum of the mover's utilities; Q = W / N
    action: NDArray[np.int32]  # [nodes] the action that leads here
    mover: NDArray[np.int8]  # [nodes] the player, 0 or 1, who chose it
    first_child: NDArray[np.int32]  # [nodes]
    child_count: NDArray[np.int32]  # [nodes] 0: not expanded, or terminal
    size: NDArray[np.int64]  # [1] how many nodes are in use
    deepest: NDArray[np.int64]  # [1] plies from the root to the deepest visited node
    full: NDArray[np.bool_]  # [1] whether the tree may not grow: then nodes without room for children stay leaves
    path: NDArray[np.int32]  # [plies + 1] the nodes of the current simulation


def new_tree(nodes: int, plies: int) -> Tree:
    """Return a tree that has only its root, with room for ``nodes``."""
    return Tree(
        visits=np.zeros(nodes, np.int32),
        total=np.zeros(nodes),
        action=np.zeros(nodes, np.int32),
        mover=np.zeros(nodes, np.int8),
        first_child=np.zeros(nodes, np.int32),
        child_count=np.zeros(nodes, np.int32),
        size=np.ones(1, np.int64),
        deepest=np.zeros(1, np.int64),
        full=np.zeros(1, np.bool_),
        path=np.zeros(plies + 1, np.int32),
    )


@helper
def clear(tree: Tree, mover: int) -> None:
    """Leave nothing but a root in the tree, as if ``mover`` had just moved."""
    tree.size[0] = 1
    tree.deepest[0] = 0
    tree.full[0] = False
    tree.visits[0] = tree.child_count[0] = 0
    tree.total[0] = 0.0
    tree.mover[0] = mover


@helper
def ucb(mean: float, visits: int, log_parent_visits: float, c: float) -> float:
    """Return UCB1 as UCT uses it: ``mean + c · sqrt(ln N / n)`` (Kocsis and Szepesvári 2006, section 2.2)."""
    return mean + c * np.sqrt(log_parent_visits / visits)


def exploration(c: float, game: Game) -> float:
    """Return ``c`` in the units of the game's utilities: UCB1 is for means within 1 (Auer et al. 2002).

    A game that names no largest utility has no unit, and its means count as they are.
    """
    return float(c) * (float(game.max_utility) if game.max_utility < math.inf else 1.0)


@helper
def select_child(tree: Tree, node: int, c: float) -> int:
    """Return the first child that was never visited, else the one with the highest `ucb`."""
    first = tree.first_child[node]
    log_visits = np.log(tree.visits[node])
    best, best_score = first, -np.inf
    for child in range(first, first + tree.child_count[node]):
        visits = tree.visits[child]
        if visits == 0:
            return child
        score = ucb(tree.total[child] / visits, visits, log_visits, c)
        if score > best_score:
            best, best_score = child, score
    return best


@helper
def descend(game: Any, tree: Any, path: Any, length: int, state: Any, select: Any, how: Any) -> int:
    """Step 1, selection: play on from the end of the path, in place, to a node without children.

    Args:
        game: the game.
        tree: a `Tree`, or one of another kind with the same fields for its shape.
        path: [plies + 1] the nodes of the simulation so far, to which those that are chosen are added.
        length: the number of nodes on the path; the last of them is the one at ``state``.
        state: the state at the end of the path.
        select: the rule ``select(tree, node, how)`` that returns one of the node's children.
        how: the numbers that ``select`` needs.

    Returns:
        The number of nodes on the path.
    """
    node = np.int64(path[length - 1])  # of one type, so that `select` is compiled once, and `play` below
    while tree.child_count[node] > 0:
        node = np.int64(select(tree, node, how))
        game.play(state, np.int64(tree.action[node]))
        path[length] = node
        length += 1
    return length


@helper
def shuffle(actions: Any, count: int, rng: Any) -> None:
    """Put the first ``count`` actions into random order."""
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        actions[i], actions[j] = actions[j], actions[i]


@helper
def add_children(tree: Tree, node: int, player: int, actions: Any, count: int, rng: Any) -> None:
    """Step 2, expansion: give the node a child for each of ``player``'s first ``count`` actions, in random order."""
    first = tree.size[0]
    tree.size[0] += count
    tree.first_child[node] = first
    tree.child_count[node] = count
    shuffle(actions, count, rng)
    for i in range(count):
        child = first + i
        tree.visits[child] = 0
        tree.total[child] = 0.0
        tree.action[child] = actions[i]
        tree.mover[child] = player
        tree.child_count[child] = 0


@helper
def backpropagate(tree: Tree, length: int, utility: float) -> None:
    """Step 4, back-propagation: add the result to the first ``length`` nodes of the path. ``utility`` is player 0's."""
    for i in range(length):
        node = tree.path[i]
        tree.visits[node] += 1
        tree.total[node] += utility if tree.mover[node] == 0 else -utility
    tree.deepest[0] = max(tree.deepest[0], length - 1)


@helper
def has_room(tree: Any, count: int) -> bool:
    """Return whether ``count`` more nodes fit into the tree."""
    return tree.size[0] + count <= tree.visits.size
