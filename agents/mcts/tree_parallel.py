"""Tree parallelization of UCT: several threads search one tree at the same time, without locks.

A simulation that is on its way counts as ``loss`` lost ones in the nodes that it went through, so that the other
threads turn elsewhere (*virtual loss*); when its result is backed up, they are taken back. All counts are changed by
atomic additions, so none is lost. A node is expanded by the thread that first puts `_BUSY` into its ``child_count``;
the number of children takes its place when they are completely written. Who meets the node meanwhile, plays a rollout
from there. With one thread each simulation is that of `plyground.agents.mcts.tree.simulate`, number for number.

Sources: G. Chaslot, M. Winands, J. van den Herik, "Parallel Monte-Carlo tree search", CG 2008, section 3.3 (virtual
loss); M. Enzenberger and M. Müller, "A lock-free multithreaded Monte-Carlo tree search algorithm", ACG 2009, who let
the counts be wrong now and then instead of adding atomically.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.jit import helper, kernel
from .atomic import compare_and_swap, fetch_add, load, store
from .tree import Tree, rollout, ucb, write_children

__all__ = ["Selection", "add_result", "choose_child", "simulate_together", "try_to_expand"]

_BLOCK = 16  # simulations that a thread takes at a time
_BUSY = -1  # the child_count of a node that a thread is expanding


class Selection(NamedTuple):
    """How a child is chosen."""

    c: float  # how much to explore
    fpu: float  # the score of a child that was never visited
    loss: int  # lost simulations that one on its way counts for
    top: float  # the highest utility: a loss is -top


@helper
def choose_child(tree: Tree, pending: NDArray[np.int32], how: Selection, node: int) -> int:
    """Step 1, selection: return the first child that was never visited, else the one with the highest `ucb`.

    The simulations that are on their way through a child count as lost there; for ln N they do not count yet.
    """
    log_visits = np.log(max(load(tree.visits, node), 1))
    first = tree.first_child[node]
    best, best_score = first, -np.inf
    for child in range(first, first + load(tree.child_count, node)):
        visits, total = load(tree.visits, child), load(tree.total, child)
        if how.loss > 0:
            losses = how.loss * load(pending, child)
            visits += losses
            total -= losses * how.top
        if visits > 0:
            score = ucb(total / visits, visits, log_visits, how.c)
        elif how.fpu == np.inf:
            return child
        else:
            score = how.fpu
        if score > best_score:
            best, best_score = child, score
    return best


@helper
def try_to_expand(game: Any, tree: Tree, node: int, state: Any, actions: Any, rng: Any) -> bool:
    """Step 2, expansion: return False if another thread expands the node just now, or there is no room for it."""
    if not compare_and_swap(tree.child_count, node, 0, _BUSY):
        return load(tree.child_count, node) > 0
    first = load(tree.size, 0)
    while first + actions.size <= tree.visits.size:
        count = game.legal_actions(state, actions)
        if compare_and_swap(tree.size, 0, first, first + count):
            write_children(tree, first, game.player(state), actions, count, rng)
            tree.first_child[node] = first
            store(tree.child_count, node, count)
            return True
        first = load(tree.size, 0)
    store(tree.child_count, node, 0)
    return False


@helper
def add_result(tree: Tree, pending: NDArray[np.int32], how: Selection, length: int, utility: float) -> None:
    """Step 4, back-propagation: add ``utility``, player 0's, along the path, and take the virtual losses back."""
    for i in range(length):
        node = tree.path[i]
        fetch_add(tree.visits, node, 1)
        fetch_add(tree.total, node, utility if tree.mover[node] == 0 else -utility)
        if how.loss > 0 and i > 0:
            fetch_add(pending, node, -1)


@helper
def take(left: NDArray[np.int64]) -> int:
    """Take some of the simulations that are left, and return how many: several, since this is a place of contention."""
    seen = load(left, 0)
    while seen > 0:
        wanted = min(seen, _BLOCK)
        if compare_and_swap(left, 0, seen, seen - wanted):
            return wanted
        seen = load(left, 0)
    return 0


@kernel
def simulate_together(game, root, scratch, tree, pending, how, actions, rng, left, threads):
    """Run simulations from the state ``root[0]``, beside other threads over the same tree.

    Ends when none is left, or the tree has to grow; the tree is then at rest once all threads have ended.

    Args:
        game: the game.
        root: [1] the state at the root, which has its children.
        scratch: [1] states, of this thread.
        tree: shared; but its ``path`` is this thread's.
        pending: [nodes] shared: the simulations on their way through a node.
        how: a child is chosen.
        actions: [num_actions] scratch, of this thread.
        rng: of `plyground.envs.jit.prng`, of this thread.
        left: [1] shared: simulations that no thread has taken.
        threads: how many share the tree.
    """
    mine = 0
    while tree.full[0] or load(tree.size, 0) + threads * actions.size <= tree.visits.size:
        if mine == 0:
            mine = take(left)
            if mine == 0:
                break
        mine -= 1
        scratch[0] = root[0]
        state = scratch[0]
        node = 0
        length = 1
        tree.path[0] = 0
        while True:
            if load(tree.child_count, node) <= 0:
                if (load(tree.visits, node) == 0 and node != 0) or length == tree.path.size or game.is_terminal(state):
                    break
                if not try_to_expand(game, tree, node, state, actions, rng):
                    break
            node = choose_child(tree, pending, how, node)
            if how.loss > 0:
                fetch_add(pending, node, 1)
            game.play(state, tree.action[node])
            tree.path[length] = node
            length += 1
        rollout(game, state, actions, rng)
        add_result(tree, pending, how, length, game.utility(state, 0))
    fetch_add(left, 0, mine)
