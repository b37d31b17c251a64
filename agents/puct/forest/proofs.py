"""What is known for certain: results of finished games go up the trees as long as they prove something.

A node is proved when an edge of it is proved to win, or when all are proved; its value is then that of the best.
Source: M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree search solver", Computers and Games 2008.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.jit import helper

__all__ = ["UNPROVED", "best_proved", "edge_value", "is_choice", "is_lost", "is_proved", "prove_edge", "share"]

UNPROVED = -np.inf  # in place of a utility: a flag beside it would make an edge larger by a quarter


@helper
def share(utility: float, rule: Any) -> float:
    """Return a utility as a value from -1 to 1, as precise as those of the evaluator: 32 bits."""
    return np.float64(np.float32(utility / rule.largest))


@helper
def is_proved(edge: Any) -> bool:
    """Return whether it is known for certain what the edge is worth."""
    return edge.exact > UNPROVED


@helper
def edge_value(edge: Any, rule: Any) -> float:
    """Return what an edge that was visited is worth, from -1 to 1: what is proved, or Q."""
    return share(edge.exact, rule) if is_proved(edge) else edge.total / edge.visits


@helper
def is_lost(edge: Any, rule: Any) -> bool:
    """Return whether the edge is proved to lose as much as can be lost."""
    return UNPROVED < edge.exact <= -rule.largest


@helper
def best_proved(node: Any, edges: Any) -> float:
    """Return the most that an edge of a node is proved to be worth; `UNPROVED` if none is."""
    best = UNPROVED
    for edge in range(node.first, node.first + node.count):
        best = max(best, edges[edge].exact)
    return best


@helper
def is_choice(node: Any, edge: Any, floor: float, rule: Any) -> bool:
    """Return whether the edge may be what a search answers with.

    Not one that is proved to lose, or to be worth less than another; of a proved node, one that proves it.

    Args:
        node: where it starts.
        edge: the edge.
        floor: what `best_proved` says of the node.
        rule: the rule of the root.
    """
    if node.proved:
        return edge.exact == node.value
    return not is_lost(edge, rule) and not UNPROVED < edge.exact < floor


@helper
def prove_edge(nodes: Any, edges: Any, node: int, edge: int, exact: float, rule: Any) -> bool:
    """Note that an edge is worth the utility ``exact``, and return whether that proves the node it starts from."""
    edges[edge].exact = exact
    best = exact
    if exact < rule.largest:
        first = nodes[node].first
        for other in range(first, first + nodes[node].count):
            if not is_proved(edges[other]):
                return False
            best = max(best, edges[other].exact)
    nodes[node].proved = True
    nodes[node].value = best
    return True
