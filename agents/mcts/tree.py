"""The search tree of Monte Carlo tree search: a struct of preallocated arrays, and the four steps of UCT over it.

A node stands for the action that leads into it. Its value is from the point of view of the *mover*, the player who
chose that action, so the mover picks the child with the highest mean, whichever side it is.

Source: L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006; the four steps as in C. Browne et
al., "A survey of Monte Carlo tree search methods", IEEE TCIAIG 4 (2012), section 3.1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.jit import helper, kernel
from ...envs.jit.prng import below

__all__ = [
    "Tree",
    "add_children",
    "backpropagate",
    "expand",
    "has_room",
    "new_tree",
    "rollout",
    "select_child",
    "simulate",
    "ucb",
    "write_children",
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
    full: NDArray[np.bool_]  # [1] whether the tree may not grow: then nodes without room for children stay leaves
    path: NDArray[np.int32]  # [plies + 1] the nodes of the current simulation


def new_tree(nodes: int, plies: int) -> Tree:
    """Return a tree that has only its root, with room for ``nodes``."""
    size = np.ones(1, np.int64)
    return Tree(
        visits=np.zeros(nodes, np.int32),
        total=np.zeros(nodes),
        action=np.zeros(nodes, np.int32),
        mover=np.zeros(nodes, np.int8),
        first_child=np.zeros(nodes, np.int32),
        child_count=np.zeros(nodes, np.int32),
        size=size,
        full=np.zeros(1, np.bool_),
        path=np.zeros(plies + 1, np.int32),
    )


@helper
def ucb(mean: float, visits: int, log_parent_visits: float, c: float) -> float:
    """Return UCB1 as UCT uses it: ``mean + c · sqrt(ln N / n)`` (Kocsis and Szepesvári 2006, section 2.2)."""
    return mean + c * np.sqrt(log_parent_visits / visits)


@helper
def select_child(tree: Tree, node: int, c: float) -> int:
    """Step 1, selection: return the first child that was never visited, else the one with the highest `ucb`."""
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
def expand(game: Any, tree: Tree, node: int, state: Any, actions: Any, rng: Any) -> None:
    """Step 2, expansion: give the node a child for each legal action, in random order."""
    add_children(tree, node, game.player(state), actions, game.legal_actions(state, actions), rng)


@kernel
def add_children(tree: Tree, node: int, player: int, actions: Any, count: int, rng: Any) -> None:
    """Give the node a child for each of ``player``'s first ``count`` actions, in random order."""
    first = tree.size[0]
    tree.size[0] += count
    tree.first_child[node] = first
    tree.child_count[node] = count
    write_children(tree, first, player, actions, count, rng)


@helper(inline="always")  # as a call it cost 8 % of the simulations per second
def write_children(tree: Tree, first: int, player: int, actions: Any, count: int, rng: Any) -> None:
    """Write nodes for ``player``'s first ``count`` actions, in random order, from the place ``first`` on."""
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        actions[i], actions[j] = actions[j], actions[i]
    for i in range(count):
        child = first + i
        tree.visits[child] = 0
        tree.total[child] = 0.0
        tree.action[child] = actions[i]
        tree.mover[child] = player
        tree.child_count[child] = 0


@helper
def rollout(game: Any, state: Any, actions: Any, rng: Any) -> None:
    """Step 3, simulation: play random moves to the end of the game, in place."""
    while not game.is_terminal(state):
        game.play(state, game.random_action(state, actions, rng))


@helper
def backpropagate(tree: Tree, length: int, utility: float) -> None:
    """Step 4, back-propagation: add the result to the first ``length`` nodes of the path. ``utility`` is player 0's."""
    for i in range(length):
        node = tree.path[i]
        tree.visits[node] += 1
        tree.total[node] += utility if tree.mover[node] == 0 else -utility


@helper
def has_room(tree: Tree, count: int) -> bool:
    """Return whether ``count`` more nodes fit into the tree."""
    return tree.size[0] + count <= tree.visits.size


@kernel
def simulate(game, root, scratch, tree, actions, rng, c, simulations):
    """Run simulations from the state ``root[0]``, and return how many were done before the tree had to grow.

    A node that is reached for the first time is rolled out from, and expanded when it is reached again, so that each
    simulation adds one visited node, and memory is spent only below nodes that are visited twice. In a tree that may
    not grow, a node that has no room for children is rolled out from again.
    """
    for done in range(simulations):
        if not tree.full[0] and not has_room(tree, actions.size):
            return done
        scratch[0] = root[0]
        state = scratch[0]
        node = 0
        length = 1
        tree.path[0] = 0
        while True:
            if tree.child_count[node] == 0:
                if (tree.visits[node] == 0 and node != 0) or length == tree.path.size or game.is_terminal(state):
                    break
                if not has_room(tree, actions.size):
                    break
                expand(game, tree, node, state, actions, rng)
            node = select_child(tree, node, c)
            game.play(state, tree.action[node])
            tree.path[length] = node
            length += 1
        rollout(game, state, actions, rng)
        backpropagate(tree, length, game.utility(state, 0))
    return simulations
