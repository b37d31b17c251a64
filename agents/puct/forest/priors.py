"""PUCT: selection by value, prior and visits, at the root with noise and with playouts that are forced.

Sources: D. Silver et al., Science 362 (2018), supplement, "Search"; D. Wu, "Accelerating self-play learning in Go",
arXiv:1902.10565 (2019), section 3.2, for forced playouts and the pruning of policy targets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.jit import helper
from ....envs.jit.prng import uniform
from .proofs import edge_value, is_lost

__all__ = ["ALPHA_MOVES", "PuctRule", "draw_gamma", "mix_noise", "prune", "puct", "puct_child", "puct_edge"]

ALPHA_MOVES = 10.0  # AlphaZero's α of the noise, times the moves that there are: 0.3 in chess, of some 35 moves


class PuctRule(NamedTuple):
    """Numbers of the rule."""

    c: float
    c_base: float  # after about so many visits the constant has grown by ln 2; infinite: it stays ``c``
    fpu: float  # the Q of an edge that was never visited
    forced: float  # k: an edge at the root gets at least sqrt(k · P · ΣN) visits, once it has one; 0 for none
    largest: float  # by which utilities are divided, so that the largest is 1
    proofs: bool
    decisive: bool  # whether a leaf is proved where a move wins at once


@helper
def draw_gamma(rng: Any, alpha: float) -> float:
    """Return a draw of the gamma distribution with this shape and scale 1.

    Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM Transactions on
    Mathematical Software 26 (2000), with their section 6 for shapes below 1; normal variables by Box and Muller.
    """
    d = (alpha if alpha >= 1 else alpha + 1) - 1 / 3
    while True:
        normal = np.sqrt(-2 * np.log(1 - uniform(rng))) * np.cos(2 * np.pi * uniform(rng))
        v = (1 + normal / np.sqrt(9 * d)) ** 3
        if v > 0 and np.log(1 - uniform(rng)) < 0.5 * normal**2 + d * (1 - v + np.log(v)):
            return d * v if alpha >= 1 else d * v * (1 - uniform(rng)) ** (1 / alpha)


@helper
def mix_noise(trees: Any, r: int, epsilon: float) -> None:
    """Mix noise into the priors at the root, ``(1 - ε) P + ε η``, and keep P in its place.

    The row's noise are draws of a gamma distribution; divided by their sum they are Dirichlet noise η.
    """
    root = trees.nodes[r, 0]
    total = 0.0
    for i in range(root.count):
        total += trees.noise[r, i]
    for i in range(root.count):
        edge = trees.edges[r, root.first + i]
        prior = edge.prior
        if total > 0:
            edge.prior = (1 - epsilon) * prior + epsilon * trees.noise[r, i] / total
        trees.noise[r, i] = prior


@helper
def _constant(visits: int, rule: PuctRule) -> float:
    """Return AlphaZero's ``C(s) = ln((1 + N(s) + c_base) / c_base) + c``."""
    if rule.c_base == np.inf:
        return rule.c
    return rule.c + np.log((1 + visits + rule.c_base) / rule.c_base)


@helper
def _visits(node: Any, edges: Any) -> int:
    visits = 0
    for e in range(node.first, node.first + node.count):
        visits += edges[e].visits
    return visits


@helper
def puct(q: float, prior: float, visits: int, sibling_visits: int, c: float) -> float:
    """Return ``Q(s, a) + c · P(s, a) · sqrt(Σ_b N(s, b)) / (1 + N(s, a))`` (Silver et al. 2016, methods)."""
    return q + c * prior * np.sqrt(sibling_visits) / (1 + visits)


@helper
def _puct_score(edge: Any, visits: int, c: float, rule: PuctRule) -> float:
    q = edge_value(edge, rule) if edge.visits > 0 else rule.fpu
    return puct(q, edge.prior, edge.visits, visits, c)


@helper
def puct_child(trees: Any, r: int, node: int, rule: PuctRule) -> int:
    """Return the edge with the highest `puct`, not a lost one; before any visit, the first, which has the highest P.

    Of the edges without a visit only the one with the highest prior counts: most edges are looked at once.
    """
    here, edges, visited = trees.nodes[r, node], trees.edges[r], trees.visited[r]
    visits, count, best, best_prior = 0, 0, -1, np.float32(-1)
    for e in range(here.first, here.first + here.count):
        edge = edges[e]
        if edge.visits > 0:
            visits += edge.visits
            visited[count] = e
            count += 1
        elif edge.prior > best_prior:
            best, best_prior = e, edge.prior
    if count == 0:
        return here.first
    c = _constant(visits, rule)
    best_score = _puct_score(edges[best], visits, c, rule) if best >= 0 else -np.inf
    for i in range(count):
        e = int(visited[i])
        score = _puct_score(edges[e], visits, c, rule)
        if (best < 0 or score > best_score or (score == best_score and e < best)) and not is_lost(edges[e], rule):
            best, best_score = e, score
    return max(best, here.first)  # an edge in any case: kernels read and write there


@helper
def _forced(edge: Any, visits: int, rule: PuctRule) -> float:
    return np.sqrt(rule.forced * edge.prior * visits)


@helper
def puct_edge(trees: Any, r: int, rule: PuctRule) -> int:
    """Return the edge at the root to visit: one that is owed visits, or the one with the highest `puct`.

    Of several leaves in a pass the second would be the first again: -1 says that its value is awaited.
    """
    if trees.rows[r].leaves > 0:
        return -1
    if rule.forced > 0 and trees.rows[r].noisy:
        root, edges = trees.nodes[r, 0], trees.edges[r]
        visits = _visits(root, edges)
        for e in range(root.first, root.first + root.count):
            edge = edges[e]
            if 0 < edge.visits < _forced(edge, visits, rule) and not is_lost(edge, rule):
                return e
    return puct_child(trees, r, 0, rule)


@helper
def prune(trees: Any, r: int, rule: PuctRule, weights: Any) -> None:
    """Write the visits at the root into ``weights``, less those that were only forced.

    From each edge but the most visited one (of those that are not lost) up to ``sqrt(k · P · ΣN)`` visits are taken, as
    long as its `puct` stays below that edge's; what is left with a single visit is left with none.
    """
    root, edges = trees.nodes[r, 0], trees.edges[r]
    visits = _visits(root, edges)
    most = root.first
    for e in range(root.first, root.first + root.count):
        weights[e - root.first] = edges[e].visits
        if is_lost(edges[most], rule) or (edges[e].visits > edges[most].visits and not is_lost(edges[e], rule)):
            most = e
    if rule.forced <= 0 or not trees.rows[r].noisy or visits == 0:
        return
    c = _constant(visits, rule)
    limit = _puct_score(edges[most], visits, c, rule)
    for e in range(root.first, root.first + root.count):
        edge = edges[e]
        if e == most or edge.visits == 0:
            continue
        kept, least = edge.visits, edge.visits - np.int64(_forced(edge, visits, rule))
        q = edge_value(edge, rule)
        while kept > max(least, 0) and puct(q, edge.prior, kept - 1, visits, c) < limit:
            kept -= 1
        weights[e - root.first] = kept if kept > 1 else 0
