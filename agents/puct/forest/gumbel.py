"""Gumbel AlphaZero: a root that improves the policy even with few simulations, and selection below it without chance.

At the root the actions with the largest sum of Gumbel noise and logit are the candidates, and sequential halving
divides the simulations among them. What was not visited is worth what the visited say of the position. Source:
I. Danihelka, A. Guez, J. Schrittwieser, D. Silver, "Policy improvement by planning with Gumbel", ICLR 2022: sections 2
to 5, appendix D for the value of unvisited actions. The shares of the halving are those of mctx's
``seq_halving.get_sequence_of_considered_visits``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs.jit import helper
from ....envs.jit.prng import uniform
from .proofs import best_proved, edge_value, is_choice, is_lost, share

__all__ = ["GumbelRule", "best_candidate", "draw_gumbel", "gumbel_child", "gumbel_edge", "improve", "start_halving"]


class GumbelRule(NamedTuple):
    """Numbers of the rule: values of 0 … 1 are multiplied by ``(c_visit + max_b N(b)) · c_scale`` (equation 8)."""

    c_visit: float
    c_scale: float
    largest: float  # by which utilities are divided, so that the largest is 1
    proofs: bool
    decisive: bool  # whether a leaf is proved where a move wins at once


@helper
def draw_gumbel(rng: Any, noise: Any, scale: float) -> None:
    """Fill an array with standard Gumbel noise, ``-ln(-ln u)``, times ``scale``."""
    for i in range(noise.size):
        noise[i] = -np.log(-np.log(uniform(rng) + 1e-300) + 1e-300) * scale


@helper
def _scale(most_visits: int, rule: GumbelRule) -> float:
    """Return the factor of σ for values from -1 to 1, which are half of those from 0 to 1."""
    return 0.5 * (rule.c_visit + most_visits) * rule.c_scale


@helper
def _completion(nodes: Any, edges: Any, node: int, rule: GumbelRule) -> tuple[float, float]:
    """Return the value of what was not visited, and the factor of σ."""
    first = nodes[node].first
    visits, most = 0, 0
    prior, value = 0.0, 0.0
    for e in range(first, first + nodes[node].count):
        edge = edges[e]
        if edge.visits > 0:
            visits += edge.visits
            most = max(most, edge.visits)
            prior += edge.prior
            value += edge.prior * edge_value(edge, rule)
    return _mixed(nodes[node].value, visits, value, prior), _scale(most, rule)


@helper
def improve(nodes: Any, edges: Any, node: int, rule: GumbelRule, weights: Any) -> float:
    """Write the improved policy ``softmax(logits + σ(completed Q))`` (equation 11) of the edges into ``weights``.

    Edges that are proved lost get nothing, unless all are, nor do those that are proved to be worth less than another;
    where the node is proved, only the best edges get something.

    Returns:
        The value of the node for its player by this policy.
    """
    here = nodes[node]
    mixed, scale = _completion(nodes, edges, node, rule)
    top, floor = -np.inf, best_proved(here, edges)
    for i in range(here.count):
        edge = edges[here.first + i]
        value = edge_value(edge, rule) if edge.visits > 0 else mixed
        weights[i] = value
        if is_choice(here, edge, floor, rule):
            top = max(top, value)
    total, mean = 0.0, 0.0
    for i in range(here.count):
        edge, value = edges[here.first + i], weights[i]
        weights[i] = edge.prior * np.exp(scale * (value - top)) if is_choice(here, edge, floor, rule) else 0.0
        total += weights[i]
        mean += weights[i] * value
    for i in range(here.count):
        weights[i] /= total
    return share(here.value, rule) if here.proved else mean / total


@helper
def gumbel_child(trees: Any, r: int, node: int, rule: GumbelRule) -> int:
    """Return the edge whose share of visits is furthest below the improved policy (equation 14), not a lost one.

    What was not visited has one and the same value, so of these edges only the one with the highest prior counts: most
    edges are looked at once.
    """
    nodes, edges, visited, weights = trees.nodes[r], trees.edges[r], trees.visited[r], trees.scores[r]
    here = nodes[node]
    visits, most, count = 0, 0, 0
    prior, value, unvisited_prior = 0.0, 0.0, 0.0
    top, best, best_prior = -np.inf, -1, np.float32(-1)
    for e in range(here.first, here.first + here.count):
        edge = edges[e]
        if edge.visits == 0:
            unvisited_prior += edge.prior
            if edge.prior > best_prior:
                best, best_prior = e, edge.prior
            continue
        q = edge_value(edge, rule)
        visited[count], weights[count] = e, q
        count += 1
        visits += edge.visits
        most = max(most, edge.visits)
        prior += edge.prior
        value += edge.prior * q
        if not is_lost(edge, rule):
            top = max(top, q)
    if count == 0:
        return here.first
    mixed, scale, total, factor = _mixed(here.value, visits, value, prior), _scale(most, rule), 0.0, 0.0
    if best >= 0:
        top = max(top, mixed)
        factor = np.exp(scale * (mixed - top))
        total = unvisited_prior * factor
    for i in range(count):
        edge = edges[visited[i]]
        weights[i] = 0.0 if is_lost(edge, rule) else edge.prior * np.exp(scale * (weights[i] - top))
        total += weights[i]
    best_score = best_prior * factor / total if best >= 0 else -np.inf
    for i in range(count):
        e = int(visited[i])
        score = weights[i] / total - edges[e].visits / (1 + visits)
        if (best < 0 or score > best_score or (score == best_score and e < best)) and not is_lost(edges[e], rule):
            best, best_score = e, score
    return max(best, here.first)  # an edge in any case: kernels read and write there


@helper
def _mixed(own: float, visits: int, value: float, prior: float) -> float:
    """Return what is not visited is worth: the evaluator's value mixed with those of the visited (appendix D).

    Args:
        own: the evaluator's value.
        visits: the visits of all edges.
        value: the sum of the values of the visited edges, each times its prior.
        prior: the sum of these priors.
    """
    return (own + visits * value / prior) / (1 + visits) if prior > 0.0 else own


@helper
def start_halving(trees: Any, r: int, considered: int) -> None:
    """Choose the candidates of a root that has edges: the largest of Gumbel noise plus logit."""
    row, root, edges = trees.rows[r], trees.nodes[r, 0], trees.edges[r]
    scores, candidates = trees.scores[r], trees.candidates[r]
    count = min(considered, row.simulations, root.count)
    for i in range(root.count):
        scores[i] = _noisy_logit(trees, r, i, edges[root.first + i])
        trees.before[r, i] = edges[root.first + i].visits
    for place in range(count):
        best = -1
        for i in range(root.count):
            if scores[i] > -np.inf and (best < 0 or scores[i] > scores[best]):
                best = i
        candidates[place] = root.first + best
        scores[best] = -np.inf
    phases = 1
    while 1 << phases < count:
        phases += 1
    row.considered, row.phases, row.turn = count, phases, 0
    row.rounds = max(1, row.simulations // (phases * count)) if count > 0 else 0


@helper
def _noisy_logit(trees: Any, r: int, place: int, edge: Any) -> float:
    return trees.noise[r, place] + np.log(np.float64(edge.prior))


@helper
def _score(trees: Any, r: int, e: int, scale: float, rule: GumbelRule) -> float:
    """Return Gumbel noise plus logit plus σ(Q) of an edge at the root that was visited (equation 5)."""
    edge = trees.edges[r, e]
    return _noisy_logit(trees, r, e - trees.nodes[r, 0].first, edge) + scale * edge_value(edge, rule)


@helper
def _root_scale(trees: Any, r: int, rule: GumbelRule) -> float:
    root, most = trees.nodes[r, 0], 0
    for e in range(root.first, root.first + root.count):
        most = max(most, trees.edges[r, e].visits)
    return _scale(most, rule)


@helper
def gumbel_edge(trees: Any, r: int, rule: GumbelRule) -> int:
    """Return the candidate whose turn it is; or -1 if leaves of the round before are still waiting for their values.

    Each candidate left is visited once a round. After its rounds a phase keeps the better half, but two at least.
    """
    row, candidates = trees.rows[r], trees.candidates[r]
    if row.turn == row.considered:
        if row.leaves > 0:
            return -1
        row.turn = 0
        row.rounds -= 1
        if row.rounds == 0:
            _sort(trees, r, candidates, row.considered, rule)
            row.considered = max(min(2, row.considered), row.considered // 2)
            row.rounds = max(1, row.simulations // (row.phases * row.considered))
    row.turn += 1
    return candidates[row.turn - 1]


@helper
def _sort(trees: Any, r: int, candidates: Any, count: int, rule: GumbelRule) -> None:
    """Sort the candidates by their scores, the best first; equals stay in their order."""
    scale = _root_scale(trees, r, rule)
    for i in range(1, count):
        e = candidates[i]
        score = _score(trees, r, e, scale, rule)
        j = i
        while j > 0 and _score(trees, r, candidates[j - 1], scale, rule) < score:
            candidates[j] = candidates[j - 1]
            j -= 1
        candidates[j] = e


@helper
def best_candidate(trees: Any, r: int, rule: GumbelRule) -> int:
    """Return the edge to play: of the edges visited most in this search, the one with the best score.

    An edge that is proved lost is played only if all are, and none that is proved to be worse than another; of a proved
    root, an edge that proves it.
    """
    root, edges = trees.nodes[r, 0], trees.edges[r]
    scale, best, best_visits, best_score = _root_scale(trees, r, rule), -1, -1, -np.inf
    floor = best_proved(root, edges)
    for e in range(root.first, root.first + root.count):
        edge = edges[e]
        if not is_choice(root, edge, floor, rule):
            continue
        visits = 0 if root.proved else edge.visits - trees.before[r, e - root.first]
        score = (
            _score(trees, r, e, scale, rule) if edge.visits > 0 else _noisy_logit(trees, r, e - root.first, edge) - 1e9
        )
        if visits > best_visits or (visits == best_visits and score > best_score):
            best, best_visits, best_score = e, visits, score
    return max(best, root.first)
