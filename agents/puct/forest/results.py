"""What a search leaves: the action, the policy and the value it found, and the tree below the action that is played."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs.jit import helper, kernel
from .gumbel import best_candidate, improve
from .priors import prune
from .proofs import best_proved, is_choice, share

__all__ = ["Searched", "finish_gumbel", "finish_puct", "keep"]


class Searched(NamedTuple):
    """What searches found, a row each.

    Attributes:
        actions: int32 [rows] the actions to play.
        policies: float32 [rows, num_actions] the improved policies: what a network is to learn.
        values: float32 [rows] what the positions are worth to their players to move, from -1 to 1: what is proved, or
            else, by a PUCT root the mean of all simulations, by a Gumbel root Σ π'·Q of the improved policy π' and the
            completed Q. σ makes π' so sharp that this is nearly the largest Q; and as each Q errs, the largest of them
            is more often too high than too low, so the value is a little optimistic.
        proved: bool [rows] whether the value is proved.
        visits: int32 [rows, num_actions] the visits at the roots, those kept from before included.
        surprise: float32 [rows] the Kullback–Leibler divergence of the improved policies from the priors, in nats.
    """

    actions: NDArray[np.int32]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]
    proved: NDArray[np.bool_]
    visits: NDArray[np.int32]
    surprise: NDArray[np.float32]


@kernel
def finish_gumbel(game, trees, rule, rows, actions, policies, values, visits, surprise, first, last):
    """Write what the searches found: the actions to play, the improved policies, the values and the visits."""
    for place in range(first, last):
        r = rows[place]
        root, weights = trees.nodes[r, 0], trees.scores[r]
        values[place] = improve(trees.nodes[r], trees.edges[r], 0, rule, weights)
        actions[place] = trees.edges[r, best_candidate(trees, r, rule)].action
        for i in range(root.count):
            edge = trees.edges[r, root.first + i]
            policies[place, edge.action] = weights[i]
            visits[place, edge.action] = edge.visits
            surprise[place] += _divergence(weights[i], edge.prior)


@kernel
def finish_puct(game, trees, rule, rows, actions, policies, values, visits, surprise, first, last):
    """Write what the searches found: the most visited actions, the shares of visits, the values and the visits.

    Without visits the policy is that of the priors. Those at the root are again what they were without the noise.
    """
    for place in range(first, last):
        r = rows[place]
        root, edges, weights = trees.nodes[r, 0], trees.edges[r], trees.scores[r]
        prune(trees, r, rule, weights)
        total, prior, count, value, best = 0.0, 0.0, 0, 0.0, -1
        floor = best_proved(root, edges)
        for i in range(root.count):
            edge = edges[root.first + i]
            edge.prior = trees.noise[r, i]
            visits[place, edge.action] = edge.visits
            count += edge.visits
            value += edge.total
            if not is_choice(root, edge, floor, rule):
                weights[i] = 0.0
                continue
            if root.proved:
                weights[i] = 1.0
            total += weights[i]
            prior += edge.prior
            ahead = best < 0 or weights[i] > weights[best]
            if ahead or (weights[i] == weights[best] and edge.prior > edges[root.first + best].prior):
                best = i
        for i in range(root.count):
            edge = edges[root.first + i]
            if total > 0:
                policies[place, edge.action] = weights[i] / total
            elif is_choice(root, edge, floor, rule):
                policies[place, edge.action] = edge.prior / prior
            surprise[place] += _divergence(policies[place, edge.action], edge.prior)
        actions[place] = edges[root.first + max(best, 0)].action
        values[place] = share(root.value, rule) if root.proved else (value + root.value) / (count + 1)


@helper
def _divergence(share: float, prior: float) -> float:
    """Return a term of the Kullback–Leibler divergence of a policy from the priors."""
    return share * np.log(share / prior) if share > 0 else 0.0


@kernel
def keep(game, trees, keys, scratch, rows, actions, first, last):
    """Let the trees of these ``rows`` go on below an action: its node becomes the root, and moves to the front.

    Nodes and edges keep their order, in which those of a child stand after those of its parent.
    """
    for place in range(first, last):
        r = rows[place]
        row, nodes, edges = trees.rows[r], trees.nodes[r], trees.edges[r]
        root = -1
        if row.nodes > 0:
            for e in range(nodes[0].first, nodes[0].first + nodes[0].count):
                if edges[e].action == actions[place]:
                    root = edges[e].child
        number = scratch[place]  # [nodes] the new numbers of the nodes, -1 for those that go
        count, used = 0, 0
        if root >= 0:
            for n in range(row.nodes):
                number[n] = -1
            number[root] = 0
            for n in range(root, row.nodes):
                if number[n] < 0:
                    continue
                number[n] = count
                node = nodes[n]
                begin, size = node.first, node.count
                for i in range(size):
                    edges[used + i] = edges[begin + i]
                    if edges[used + i].child >= 0:
                        number[edges[used + i].child] = 0
                nodes[count] = node
                nodes[count].first = used
                trees.states[r, count] = trees.states[r, n]
                if keys is not None:
                    keys.key[r, count] = keys.key[r, n]
                used += size
                count += 1
            for e in range(used):
                if edges[e].child >= 0:
                    edges[e].child = number[edges[e].child]
        row.nodes, row.edges = count, used
