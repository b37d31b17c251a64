"""The tree of `PUCT` and its kernels: selecting a batch of leaves, expanding them with priors, backing up.

As in `plyground.agents.mcts.tree`, a node stands for the action that leads into it, and its value is from the point of
view of the *mover*, the player who chose that action.

Sources: D. Silver et al., Nature 529 (2016), methods, "Search algorithm"; Science 362 (2018), supplement, "Search".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.jit import helper, kernel
from ..mcts.tree import descend, has_room
from ..repetitions import Repeats, is_drawn, legal_below, mark_drawn, note, per_node
from .forest.priors import puct

__all__ = [
    "PriorTree",
    "absorb",
    "add_root_noise",
    "collect",
    "new_prior_tree",
    "puct",
    "scale_root_priors",
    "select_child",
]

_LARGE = 2.0**32  # a unit for priors whose sum is too large for a float: a power of 2, which loses nothing


class PriorTree(NamedTuple):
    """Node 0 is the root. The children of a node stand side by side, the one with the highest prior first."""

    visits: NDArray[np.int32]  # [nodes] N, without those on their way
    total: NDArray[np.float64]  # [nodes] W: the sum of the mover's values; Q = W / N
    prior: NDArray[np.float64]  # [nodes] P, of all children of a node 1 together
    pending: NDArray[np.int32]  # [nodes] leaves of the current batch that lie at or below the node
    action: NDArray[np.int32]  # [nodes] the action that leads here
    mover: NDArray[np.int8]  # [nodes] the player, 0 or 1, who chose it
    first_child: NDArray[np.int32]  # [nodes]
    child_count: NDArray[np.int32]  # [nodes] 0: not expanded, or terminal
    size: NDArray[np.int64]  # [1] how many nodes are in use
    deepest: NDArray[np.int64]  # [1] plies from the root to the deepest visited node
    full: NDArray[np.bool_]  # [1] whether a leaf found no room for its children, and stays a leaf
    paths: NDArray[np.int32]  # [batch, plies + 1] the nodes on the way to each leaf of the batch
    lengths: NDArray[np.int64]  # [batch] how many they are
    legal: NDArray[np.int32]  # [batch, num_actions] what may be played at each leaf
    counts: NDArray[np.int64]  # [batch] how many actions these are


def new_prior_tree(nodes: int, plies: int, batch: int, num_actions: int) -> PriorTree:
    """Return a tree that has only its root, with room for ``nodes``."""
    return PriorTree(
        visits=np.zeros(nodes, np.int32),
        total=np.zeros(nodes),
        prior=np.zeros(nodes),
        pending=np.zeros(nodes, np.int32),
        action=np.zeros(nodes, np.int32),
        mover=np.zeros(nodes, np.int8),
        first_child=np.zeros(nodes, np.int32),
        child_count=np.zeros(nodes, np.int32),
        size=np.ones(1, np.int64),
        deepest=np.zeros(1, np.int64),
        full=np.zeros(1, np.bool_),
        paths=np.zeros((batch, plies + 1), np.int32),
        lengths=np.zeros(batch, np.int64),
        legal=np.zeros((batch, num_actions), np.int32),
        counts=np.zeros(batch, np.int64),
    )


@helper
def select_child(tree: Any, node: int, how: tuple[float, float, float, int, float]) -> int:
    """Return the child with the highest `puct`, where each pending leaf counts as ``virtual_loss`` losses (of -1).

    Values times ``unit`` are shares of the largest utility, as fpu and losses are. The constant is AlphaZero's ``C(s) =
    ln((1 + N(s) + c_base) / c_base) + c``; with an infinite ``c_base`` it is ``c``. Where no child was visited, all
    scores are the same, and the first child has the highest prior.
    """
    c, c_base, fpu, virtual_loss, unit = how
    first = tree.first_child[node]
    sibling_visits = 0
    for child in range(first, first + tree.child_count[node]):
        sibling_visits += tree.visits[child] + virtual_loss * tree.pending[child]
    if c_base != np.inf:
        c = c + np.log((1 + sibling_visits + c_base) / c_base)
    best, best_score = first, -np.inf
    for child in range(first, first + tree.child_count[node]):
        losses = virtual_loss * tree.pending[child]
        visits = tree.visits[child] + losses
        q = (tree.total[child] * unit - losses) / visits if visits > 0 else fpu
        score = puct(q, tree.prior[child], visits, sibling_visits, c)
        if score > best_score:
            best, best_score = child, score
    return best


@kernel
def collect(game, root, leaves, tree, batch, how, repeats, look):
    """Select up to ``batch`` unfinished leaves, and write their states into ``leaves``.

    The tree gets the way to each, and what may be played there.

    Simulations that come to the end of the game, or to a draw by repetition, are backed up at once. A leaf that is in
    the batch already ends it, so that no leaf is evaluated twice.

    Args:
        game: the game.
        root: [1] the state at the root.
        leaves: [at least batch] is written to.
        tree: the tree.
        batch: how many simulations there may be.
        how: the numbers that `select_child` needs.
        repeats: a `Repeats` of the tree, or None where it does not matter that a position comes again.
        look: [1] scratch.

    Returns:
        How many leaves there are, and how many simulations ended there; together at most ``batch``.
    """
    found, ended = 0, 0
    while found + ended < batch:
        leaves[found] = root[0]
        state = leaves[found]
        path = tree.paths[found]
        path[0] = 0
        length = descend(game, tree, path, 1, state, select_child, how)
        node = path[length - 1]
        if tree.pending[node] > 0:
            break
        tree.lengths[found] = length
        tree.deepest[0] = max(tree.deepest[0], length - 1)
        terminal = game.is_terminal(state)
        drawn = not terminal and is_drawn(game, state, path, length - 1, repeats)
        mark_drawn(tree, path, length, repeats, drawn)
        if terminal or drawn:
            utility = 0.0 if drawn else float(game.utility(state, 0))
            for i in range(length):
                tree.visits[path[i]] += 1
                tree.total[path[i]] += utility if tree.mover[path[i]] == 0 else -utility
            ended += 1
        else:
            tree.counts[found] = legal_below(game, state, path, length - 1, repeats, tree.legal[found], look)
            for i in range(length):
                tree.pending[path[i]] += 1
            found += 1
    return found, ended


@kernel
def absorb(game, leaves, tree, count, priors, values, repeats):
    """Expand the first ``count`` leaves, and back up what they are worth.

    Args:
        game: the game.
        leaves: the states at the leaves, [at least count].
        tree: the tree, with the way to each leaf, and what may be played there.
        count: how many leaves there are.
        priors: [count, num_actions] for each leaf; those of what may be played are scaled to sum to 1.
        values: [count] for the player to move at each leaf; or empty: then nothing is backed up.
        repeats: a `Repeats` of the tree, or None.
    """
    for leaf in range(count):
        _expand(game, leaves[leaf], tree, leaf, priors, repeats)
    for leaf in range(values.size):
        # The nodes on the way are no longer pending, which takes the virtual losses back.
        player = game.player(leaves[leaf])
        for i in range(tree.lengths[leaf]):
            node = tree.paths[leaf, i]
            tree.pending[node] -= 1
            tree.visits[node] += 1
            tree.total[node] += values[leaf] if tree.mover[node] == player else -values[leaf]


@helper
def _expand(game: Any, state: Any, tree: PriorTree, leaf: int, priors: Any, repeats: Any) -> None:
    """Give a leaf its children, the one with the highest prior first, the others in the order of their actions.

    In a tree that has no room for them, the leaf stays as it is, and is evaluated anew when it is met again.
    """
    actions, legal = tree.legal[leaf], tree.counts[leaf]
    if not has_room(tree, actions.size):
        tree.full[0] = True
        return
    node = tree.paths[leaf, tree.lengths[leaf] - 1]
    note(game, node, state, repeats)
    total = 0.0
    for i in range(legal):
        total += priors[leaf, actions[i]]
    first = tree.size[0]
    tree.size[0] += legal
    tree.first_child[node] = first
    tree.child_count[node] = legal
    best = 0
    for i in range(legal):
        if priors[leaf, actions[i]] > priors[leaf, actions[best]]:
            best = i
    for i in range(legal):
        # To sort them all took longer, in Go, than everything else in the tree.
        action = actions[best] if i == 0 else actions[i - 1] if i <= best else actions[i]
        child = first + i
        tree.prior[child] = priors[leaf, action] / total if total > 0 else 1.0 / legal
        tree.action[child] = action
        tree.visits[child] = tree.pending[child] = tree.child_count[child] = 0
        tree.total[child] = 0.0
        tree.mover[child] = game.player(state)
    if total == np.inf:  # the priors are finite, and so is their sum in a unit that is large
        total = 0.0
        for i in range(legal):
            total += priors[leaf, actions[i]] / _LARGE
        for child in range(first, first + legal):
            tree.prior[child] = priors[leaf, tree.action[child]] / _LARGE / total


def scale_root_priors(tree: PriorTree, repeats: Repeats | None = None) -> None:
    """Make the priors at the root sum to 1, those with the highest first; where all are 0, they become the same."""
    priors = tree.prior[1 : 1 + tree.child_count[0]]
    _sort_root(tree, priors.copy(), repeats)
    priors[:] = priors / priors.sum() if priors.any() else 1 / priors.size


def add_root_noise(
    tree: PriorTree, epsilon: float, eta: NDArray[np.float64], repeats: Repeats | None = None
) -> NDArray[np.float64]:
    """Mix noise ``eta`` [children] into the priors at the root: ``(1 - ε) P + ε η``.

    The children change places, so that those with the highest prior stand first again.

    Returns:
        The priors without the noise, child by child.
    """
    children = slice(1, 1 + eta.size)
    mixed = (1 - epsilon) * tree.prior[children] + epsilon * eta
    order = _sort_root(tree, mixed, repeats)
    clean = tree.prior[children].copy()
    tree.prior[children] = mixed[order]
    return clean


def _sort_root(tree: PriorTree, by: NDArray[np.float64], repeats: Repeats | None) -> NDArray[np.intp]:
    """Sort the children of the root, those with the most first, and return where each came from."""
    children, order = slice(1, 1 + by.size), np.argsort(-by, kind="stable")
    for array in (tree.visits, tree.total, tree.prior, tree.action, tree.first_child, tree.child_count):
        array[children] = array[children][order]  # the mover is the same, and nothing is pending
    for array in per_node(repeats).values():
        array[children] = array[children][order]
    return order
