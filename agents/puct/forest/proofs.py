"""What is known for certain: results of finished games go up the trees as long as they prove something.

A node is proved when an edge of it is proved to win, or when all are proved; its value is then that of the best.
Source: M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree search solver", Computers and Games 2008.
"""

from __future__ import annotations

from typing import Any

from ....envs.jit import helper

__all__ = ["counts", "edge_value", "is_lost", "prove_edge"]


@helper
def edge_value(edge: Any) -> float:
    """Return what an edge that was visited is worth: the proved value, or Q."""
    return edge.exact if edge.proved else edge.total / edge.visits


@helper
def is_lost(edge: Any) -> bool:
    """Return whether the edge is proved to lose as much as can be lost."""
    return edge.proved and edge.exact <= -1.0


@helper
def counts(node: Any, edge: Any) -> bool:
    """Return whether the edge may be played: one that does not lose, or of a proved node one that proves it."""
    if node.proved:
        return edge.proved and edge.exact == node.exact
    return not is_lost(edge)


@helper
def prove_edge(nodes: Any, edges: Any, node: int, edge: int, exact: float) -> bool:
    """Note that an edge is worth ``exact``, and return whether that proves the node it starts from."""
    edges[edge].proved = True
    edges[edge].exact = exact
    best = exact
    if exact < 1.0:
        first = nodes[node].first
        for other in range(first, first + nodes[node].count):
            if not edges[other].proved:
                return False
            best = max(best, edges[other].exact)
    nodes[node].proved = True
    nodes[node].exact = best
    return True
