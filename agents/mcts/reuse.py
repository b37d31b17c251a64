"""Keeping what a search tree knows of the position that the game has come to.

The agent sees positions, not moves, so the new root is found by its state among the nodes below the old one: its
children, grandchildren, and so on where one player moves several times.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.jit import bind, kernel
from ..search import MOST_KEPT

__all__ = ["compile_reuse", "find", "subtree", "way_to"]

_LEVELS = 8  # the most plies between two positions that an agent is asked about; after more the tree is forgotten


@kernel
def _next_level(game, tree, nodes, states, next_nodes, next_states):
    """Write the visited children of ``nodes``, and their states, and return how many there are."""
    count = 0
    for i in range(nodes.size):
        first = tree.first_child[nodes[i]]
        for child in range(first, first + tree.child_count[nodes[i]]):
            if tree.visits[child] > 0:
                next_nodes[count] = child
                next_states[count] = states[i]
                game.play(next_states[count], tree.action[child])
                count += 1
    return count


def compile_reuse(game: Game, tree: Any) -> None:
    """Compile what `find` and `subtree` call for trees of this kind."""
    nodes, states, places = np.zeros(1, np.int64), np.zeros(1, game.dtype), np.zeros(1, np.int32)
    bind(_next_level, game, tree, nodes, states, nodes, states)
    bind(_copy, tree, 0, np.zeros(1, np.bool_), tree, places, places)


def find(game: Game, tree: Any, root: State, target: State) -> int | None:
    """Return the node of ``tree``, whose root is the state ``root``, at which ``target`` stands, or None.

    It is None too where the node has more than `MOST_KEPT` visits.

    ``tree`` is a `Tree` or a `PriorTree`. The state is looked for until the player who was to move at the root is to
    move again.
    """
    if tree.child_count[0] == 0:
        return None
    player = tree.mover[tree.first_child[0]]
    nodes, states = np.zeros(1, np.int64), np.array([root], game.dtype)
    for level in range(_LEVELS + 1):
        if not nodes.size:  # no line goes on, or none has a visited child
            break
        same = nodes[_equal(states, target)]
        if same.size:
            node = int(same[np.argmax(tree.visits[same])])
            return node if tree.visits[node] <= MOST_KEPT else None
        open_nodes = tree.child_count[nodes] > 0
        if level > 0:
            open_nodes &= tree.mover[tree.first_child[nodes]] != player
        nodes, states = nodes[open_nodes], states[open_nodes]
        most = int(tree.child_count[nodes].sum())
        next_nodes, next_states = np.empty(most, np.int64), np.empty(most, game.dtype)
        count = _next_level(game, tree, nodes, states, next_nodes, next_states)
        nodes, states = next_nodes[:count], next_states[:count]
    return None


def way_to(tree: Any, node: int) -> list[int]:
    """Return the nodes from the root to ``node``, both included."""
    way = [node]
    while way[-1] > 0:
        child = way[-1]
        first, count = tree.first_child[:child], tree.child_count[:child]  # parents stand before their children
        way.append(int(np.flatnonzero((first <= child) & (child < first + count))[0]))
    return way[::-1]


def _equal(states: NDArray[np.void], target: State) -> NDArray[np.bool_]:
    """Return which states are ``target``, field by field: the padding between the fields may differ."""
    same = np.ones(states.size, np.bool_)
    for name in states.dtype.names or ():
        found = states[name].reshape(states.size, -1)
        same &= (found == np.asarray(target[name]).reshape(1, -1)).all(axis=1)
    return same


@kernel
def _copy(old, node, allowed, new, origin, plies):
    """Copy the subtree of ``node`` breadth first, so that children stay side by side, behind their parents.

    Written are the nodes that they were into ``origin``, and their plies from the new root into ``plies``.
    """
    origin[0] = node
    plies[0] = 0
    new.deepest[0] = 0
    size = 1
    i = 0
    while i < size:
        source = origin[i]
        new.visits[i], new.total[i] = old.visits[source], old.total[source]
        new.action[i], new.mover[i] = old.action[source], old.mover[source]
        new.first_child[i] = size
        if new.visits[i] > 0:
            new.deepest[0] = max(new.deepest[0], plies[i])
        for child in range(old.first_child[source], old.first_child[source] + old.child_count[source]):
            if i > 0 or allowed[old.action[child]]:
                origin[size] = child
                plies[size] = plies[i] + 1
                size += 1
            else:
                new.visits[0] -= old.visits[child]
                new.total[0] -= old.total[child] if old.mover[child] == old.mover[node] else -old.total[child]
        new.child_count[i] = size - new.first_child[i]
        i += 1
    new.size[0] = size


def subtree(tree: Any, node: int, actions: NDArray[np.int32], new: Any) -> NDArray[np.int32] | None:
    """Copy the subtree of ``node`` into ``new``, but only the children of ``node`` that ``actions`` lead to.

    Args:
        tree: a `Tree` or a `PriorTree`; not changed.
        node: the new root.
        actions: the actions that may be played at the new root.
        new: a tree of the same kind, with at least as much room as is in use in ``tree``. Its arrays that a `Tree` does
            not have are the caller's to fill, with the help of the result.

    Returns:
        [nodes] for each node of ``new`` the node of ``tree`` it was copied from; or None if ``node`` lacks a child for
        one of the actions.
    """
    first, count = int(tree.first_child[node]), int(tree.child_count[node])
    known = tree.action[first : first + count]
    if not np.isin(actions, known).all():
        return None
    allowed = np.zeros(int(known.max()) + 1, np.bool_)
    allowed[actions] = True
    origin, plies = np.empty((2, int(tree.size[0])), np.int32)
    _copy(tree, node, allowed, new, origin, plies)
    return origin[: int(new.size[0])]
