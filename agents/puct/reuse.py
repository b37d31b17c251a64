"""What the tree of `PUCT` knows of the position that the game has come to, as a tree of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ..mcts.reuse import find, subtree, way_to
from ..repetitions import Repeats, kept_past, moved
from .tree import PriorTree, new_prior_tree, scale_root_priors

__all__ = ["tree_below"]


def tree_below(
    game: Game,
    tree: PriorTree,
    repeats: Repeats | None,
    states: tuple[State, State],
    actions: NDArray[np.int32],
    clean: NDArray[np.float64],
    past: NDArray[np.uint64] | None,
) -> tuple[PriorTree, Repeats | None] | None:
    """Return the tree below a position, and what it must know of positions, or None where nothing is known of that.

    Args:
        game: the game.
        tree: the tree, whose root gets back the priors without noise.
        repeats: what it knows of positions; None where it does not matter that they come again.
        states: those at its root, and at the root of the new one.
        actions: what may be played there.
        clean: the priors at the old root without noise, child by child.
        past: the keys of the positions before the new root, as far as they are known.
    """
    node, before = find(game, tree, *states), None
    if node is None:
        return None
    if repeats is not None:
        before = kept_past(game, repeats.past, repeats.key[way_to(tree, node)], past)
        if before is None:
            return None
    tree.prior[1 : 1 + clean.size] = clean
    batch, num_actions = tree.legal.shape
    new = new_prior_tree(tree.visits.size, game.max_plies, batch, num_actions)
    if (origin := subtree(tree, node, actions, new)) is None:
        return None
    if repeats is not None and before is not None:
        repeats = moved(repeats, origin, before)
    new.prior[: origin.size] = tree.prior[origin]
    if tree.child_count[node] > actions.size:
        scale_root_priors(new, repeats)
    return new, repeats
