"""The steps of a pass: each tree selects a leaf, the leaves are shown to the evaluator, and its answers are backed up.

A simulation that comes to the end of a game, to what is proved or to a draw by repetition is backed up at once, and the
tree selects again: so each leaf in a pass is one that the evaluator must be asked about.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.history import show_way
from ....envs.jit import helper, kernel
from ...repetitions import is_drawn, legal_below, note
from ...search import MOST_KEPT
from .gumbel import draw_gumbel, gumbel_child, gumbel_edge, start_halving
from .pasts import of_row
from .priors import ALPHA_MOVES, draw_gamma, mix_noise, puct_child, puct_edge
from .proofs import UNPROVED, edge_value, is_proved, prove_edge, share
from .trees import DRAWN

_LEAST_PRIOR, _LEAST_LOGIT = np.float32(1e-30), np.finfo(np.float32).min

__all__ = [
    "absorb",
    "begin_gumbel",
    "begin_puct",
    "select_gumbel",
    "select_puct",
    "show",
]


@kernel
def begin_gumbel(game, trees, roots, root_masks, rngs, simulations, noisy, rows, considered, scale, first, last):
    """Let a search begin in these ``rows``; candidates are chosen in those whose root is known.

    Args:
        game: the game.
        trees: the `Trees`.
        roots: [rows] the positions.
        root_masks: bool [rows, num_actions] what may be played there, or [rows, 0]: what is legal.
        rngs: [all rows, 1] random numbers.
        simulations: [rows] how many there shall be.
        noisy: bool [rows] where there is noise.
        rows: the numbers of the rows.
        considered: candidates at most.
        scale: 1, or 0 for searches without noise.
        first: the place in ``rows`` to begin at.
        last: the place to end before.
    """
    for place in range(first, last):
        r = rows[place]
        _begin(game, trees, r, roots[place], root_masks, place, simulations[place])
        draw_gumbel(rngs[r], trees.noise[r], scale if noisy[place] else 0.0)
        if trees.rows[r].nodes > 0:
            start_halving(trees, r, considered)


@kernel
def begin_puct(game, trees, roots, root_masks, rngs, simulations, noisy, rows, alpha, epsilon, first, last):
    """Let a search begin in these ``rows``; noise is mixed into the priors where the root is known already.

    Where a row is not ``noisy`` its noise is 0, and no playout is forced. An ``alpha`` below 0 stands for `ALPHA_MOVES`
    over the number of actions at each root.
    """
    for place in range(first, last):
        r = rows[place]
        count = _begin(game, trees, r, roots[place], root_masks, place, simulations[place])
        trees.rows[r].noisy = noisy[place]
        shape = alpha if alpha >= 0 else ALPHA_MOVES / max(count, 1)
        for i in range(trees.noise.shape[1]):
            trees.noise[r, i] = draw_gamma(rngs[r], shape) if noisy[place] and epsilon > 0 and shape > 0 else 0.0
        if trees.rows[r].nodes > 0:
            mix_noise(trees, r, epsilon)


@helper
def _begin(game: Any, trees: Any, r: int, root: Any, root_masks: Any, place: int, simulations: int) -> int:
    """Let a search begin in a row, with what is known of the root if it has these actions, and return their number.

    Where nothing may be played, there are less than no simulations left, and the number is 0 or less.
    """
    row, legal = trees.rows[r], trees.legal[r, 0]
    row.simulations = row.left = simulations
    row.leaves = row.considered = row.turn = row.rounds = row.deepest = 0
    row.full = False
    count = -1 if game.is_terminal(root) else game.legal_actions(root, legal)
    if root_masks.shape[1] > 0 and count > 0:
        count = _allowed(root_masks[place], legal, count)
    if count <= 0:
        row.left = -1
    if row.nodes > 0:
        node = trees.nodes[r, 0]
        # A tree with too little room is kept too, though it fills up and then evaluates the same leaves again: it has
        # more nodes than a new one would get by as many simulations, and what is proved, so it plays better.
        fits, visits = node.count == count, 0
        for e in range(node.first, node.first + node.count):
            visits += trees.edges[r, e].visits
            fits = fits and (root_masks.shape[1] == 0 or root_masks[place, trees.edges[r, e].action])
        if not fits or visits > MOST_KEPT:
            row.nodes = 0
    if row.nodes == 0:
        row.edges = 0
    return count


@kernel
def select_gumbel(game, trees, keys, roots, rule, rows, first, last):
    """Select leaves with the root and the selection of Gumbel AlphaZero."""
    for place in range(first, last):
        r = rows[place]
        _select(game, trees, keys, r, place, roots[place], gumbel_edge, gumbel_child, rule)


@kernel
def select_puct(game, trees, keys, roots, rule, rows, first, last):
    """Select leaves by PUCT everywhere."""
    for place in range(first, last):
        r = rows[place]
        _select(game, trees, keys, r, place, roots[place], puct_edge, puct_child, rule)


@helper
def _select(
    game: Any, trees: Any, keys: Any, r: int, place: int, root: Any, at_root: Any, below: Any, rule: Any
) -> None:
    """Fill the leaves of a row, as far as it has simulations left and the rule does not wait for answers."""
    row, nodes, edges = trees.rows[r], trees.nodes[r], trees.edges[r]
    row.leaves = 0
    if row.nodes == 0:
        trees.leaves[r, 0] = root
        trees.lengths[r, 0] = 0
        row.leaves = 1
        return
    while row.leaves < trees.leaves.shape[1] and row.left > 0 and not nodes[0].proved:
        edge = np.int64(at_root(trees, r, rule))
        if edge < 0:
            return
        row.left -= 1
        slot = row.leaves
        node, length = np.int64(0), 0
        path_nodes, path_edges = trees.path_nodes[r, slot], trees.path_edges[r, slot]
        while True:
            path_nodes[length], path_edges[length] = node, edge
            length += 1
            child = np.int64(edges[edge].child)
            if child < 0 or is_proved(edges[edge]):
                break
            node = child
            edge = np.int64(below(trees, r, node, rule))
        trees.lengths[r, slot] = length
        row.deepest = max(row.deepest, length)
        if is_proved(edges[edge]):
            _back_up(trees, r, slot, edge_value(edges[edge], rule), nodes[node].player)
            continue
        trees.leaves[r, slot] = trees.states[r, node]
        leaf, player = trees.leaves[r, slot], nodes[node].player
        game.play(leaf, edges[edge].action)
        if game.is_terminal(leaf):
            utility = np.float64(game.utility(leaf, player))
        elif keys is not None and _is_drawn(game, trees, of_row(keys, r, place), r, slot):
            _back_up(trees, r, slot, 0.0, player)  # which proves nothing
            continue
        elif rule.decisive and _is_decided(game, trees, keys, r, place, slot, rule):
            utility = rule.largest if game.player(leaf) == player else -rule.largest
        else:
            row.leaves += 1
            continue
        if rule.proofs:
            _prove(trees, r, slot, utility, rule)
        _back_up(trees, r, slot, share(utility, rule), player)


@helper
def _is_drawn(game: Any, trees: Any, repeats: Any, r: int, slot: int) -> bool:
    """Return whether a leaf is drawn by repetition, and note that.

    A leaf that was, and is no longer, begins anew: its visits, whose values sum to 0, leave the tree.
    """
    edges, path, length = trees.edges[r], trees.path_edges[r, slot], trees.lengths[r, slot]
    edge = edges[path[length - 1]]
    if is_drawn(game, trees.leaves[r, slot], trees.path_nodes[r, slot], length, repeats):
        edge.child = DRAWN
        return True
    if edge.child == DRAWN:
        visits = edge.visits
        for i in range(length):
            edges[path[i]].visits -= visits
        trees.before[r, path[0] - trees.nodes[r, 0].first] -= visits
        edge.child = -1
    return False


@helper
def _list_legal(game: Any, trees: Any, keys: Any, r: int, place: int, slot: int) -> int:
    """Write what may be played at a leaf, but for the mask of a root, into `Trees.legal`; return how many these are."""
    path, length, repeats = trees.path_nodes[r, slot], trees.lengths[r, slot], of_row(keys, r, place)
    look = trees.trials[r : r + 1]
    return legal_below(game, trees.leaves[r, slot], path, length, repeats, trees.legal[r, slot], look)


@helper
def _is_decided(game: Any, trees: Any, keys: Any, r: int, place: int, slot: int, rule: Any) -> bool:
    """Return whether some move at a leaf wins at once, as much as can be won; the moves are tried in `Trees.trials`."""
    leaf, legal = trees.leaves[r, slot], trees.legal[r, slot]
    player = game.player(leaf)
    for i in range(_list_legal(game, trees, keys, r, place, slot)):
        trees.trials[r] = leaf
        trial = trees.trials[r]
        game.play(trial, legal[i])
        if game.is_terminal(trial) and np.float64(game.utility(trial, player)) >= rule.largest:
            return True
    return False


@helper
def _back_up(trees: Any, r: int, slot: int, value: float, player: int) -> None:
    """Add a value from the view of ``player`` to the edges of a path."""
    nodes, edges = trees.nodes[r], trees.edges[r]
    path_nodes, path_edges = trees.path_nodes[r, slot], trees.path_edges[r, slot]
    for i in range(trees.lengths[r, slot]):
        edge = edges[path_edges[i]]
        edge.visits += 1
        edge.total += value if nodes[path_nodes[i]].player == player else -value


@helper
def _prove(trees: Any, r: int, slot: int, exact: float, rule: Any) -> None:
    """Note that the last edge of a path has the utility ``exact`` for its player, and what that proves above it."""
    nodes, edges = trees.nodes[r], trees.edges[r]
    path_nodes, path_edges = trees.path_nodes[r, slot], trees.path_edges[r, slot]
    i = trees.lengths[r, slot] - 1
    while prove_edge(nodes, edges, path_nodes[i], path_edges[i], exact, rule) and i > 0:
        here, above = nodes[path_nodes[i]], nodes[path_nodes[i - 1]]
        exact = here.value if here.player == above.player else -here.value
        i -= 1


@helper(forceinline=True)
def _observe_node(game, way, ply, player, planes):
    """Write what the player sees after so many plies on the way to a leaf: for `show_way`."""
    trees, r, slot = way
    if ply == trees.lengths[r, slot]:
        game.observe(trees.leaves[r, slot], player, planes)
    else:
        game.observe(trees.states[r, trees.path_nodes[r, slot, ply]], player, planes)


@kernel
def show(game, trees, keys, root_masks, shown, frames, frame, window, shape, rows, offsets, planes, masks, first, last):
    """Write what the players to move at the leaves see, earlier positions included, and what they may play.

    Args:
        game: the game.
        trees: the `Trees`.
        keys: the `Keys` of the search, or None where it does not matter that a position comes again.
        root_masks: bool [rows, num_actions] what may be played at the roots, or [rows, 0]: what is legal.
        shown: [rows, players, values] what each player sees at the roots; [0, 0, 0] where that tells of no past.
        frames: positions in an observation.
        frame: channels of each.
        window: [values + (frames - 1) · frame] scratch; None where only the present is shown.
        shape: the shape of an observation.
        rows: the numbers of the rows.
        offsets: [rows] the places in ``planes`` of the first leaf of each.
        planes: [leaves, values].
        masks: bool [leaves, num_actions].
        first: the place in ``rows`` to begin at.
        last: the place to end before.
    """
    for place in range(first, last):
        r = rows[place]
        for slot in range(trees.rows[r].leaves):
            leaf, row = trees.leaves[r, slot], planes[offsets[place] + slot]
            player, legal, plies = game.player(leaf), trees.legal[r, slot], trees.lengths[r, slot]
            count = _list_legal(game, trees, keys, r, place, slot)
            if plies == 0 and root_masks.shape[1] > 0:
                count = _allowed(root_masks[place], legal, count)
            trees.counts[r, slot] = count
            mask = masks[offsets[place] + slot]
            for i in range(mask.size):
                mask[i] = False
            for i in range(count):
                mask[legal[i]] = True
            if window is not None:
                way, before = (trees, r, slot), shown[place, player]
                show_way(game, _observe_node, way, plies, player, before, frames, frame, shape, window, row)
            elif plies == 0 and shown.shape[0] > 0:  # it may have been on the board before
                for i in range(row.size):
                    row[i] = shown[place, player, i]
            else:
                for i in range(row.size):
                    row[i] = 0
                game.observe(leaf, player, row.reshape(shape))


@helper
def _allowed(mask: Any, legal: Any, count: int) -> int:
    """Leave only those of the first ``count`` actions that the mask allows, and return how many these are."""
    kept = 0
    for i in range(count):
        if mask[legal[i]]:
            legal[kept] = legal[i]
            kept += 1
    return kept


@kernel
def absorb(game, trees, keys, logits, values, rows, offsets, considered, epsilon, first, last):
    """Make nodes of the leaves, and back up their values.

    Args:
        game: the game.
        trees: the `Trees`.
        keys: the `Keys` of the search, or None.
        logits: float32 [leaves, num_actions].
        values: float32 [leaves] from -1 to 1, for the players to move.
        rows: the numbers of the rows.
        offsets: [rows] the places in ``logits`` of the first leaf of each.
        considered: candidates at a root that is new, or -1 for PUCT.
        epsilon: the share of noise in its priors.
        first: the place in ``rows`` to begin at.
        last: the place to end before.
    """
    for place in range(first, last):
        r = rows[place]
        row = trees.rows[r]
        for slot in range(row.leaves):
            leaf, answer = trees.leaves[r, slot], offsets[place] + slot
            player = game.player(leaf)
            _grow(game, trees, of_row(keys, r, place), r, slot, player, logits[answer], values[answer])
            _back_up(trees, r, slot, values[answer], player)
            if trees.lengths[r, slot] == 0:
                if considered >= 0:
                    start_halving(trees, r, considered)
                else:
                    mix_noise(trees, r, epsilon)
        row.leaves = 0


@helper
def _grow(game: Any, trees: Any, repeats: Any, r: int, slot: int, player: int, logits: Any, value: float) -> None:
    """Make a node of a leaf, the edge with the highest prior first, the others in the order of their actions.

    In a tree that has no room for it, the leaf stays a leaf, and is evaluated anew when it is met again.
    """
    row, nodes, edges = trees.rows[r], trees.nodes[r], trees.edges[r]
    legal, count = trees.legal[r, slot], trees.counts[r, slot]
    if row.nodes == nodes.size or row.edges + count > edges.size:
        row.full = True
        return
    number = row.nodes
    row.nodes += 1
    node = nodes[number]
    node.value, node.proved, node.player = value, False, player
    node.first, node.count = row.edges, count
    row.edges += count
    trees.states[r, number] = trees.leaves[r, slot]
    note(game, number, trees.leaves[r, slot], repeats)
    length = trees.lengths[r, slot]
    if length > 0:
        edges[trees.path_edges[r, slot, length - 1]].child = number
    best = 0
    for i in range(count):
        if logits[legal[i]] > logits[legal[best]]:
            best = i
    # Where all logits are minus infinity, nothing is said of the actions: the same for each.
    highest, total = max(logits[legal[best]], _LEAST_LOGIT), 0.0
    for i in range(count):
        edge = edges[node.first + i]
        edge.action = legal[best] if i == 0 else legal[i - 1] if i <= best else legal[i]
        prior = np.exp(np.float64(logits[edge.action] - highest))
        edge.prior = prior
        total += prior
        edge.total, edge.exact, edge.visits, edge.child = 0.0, UNPROVED, 0, -1
    for e in range(node.first, node.first + count):
        # No prior is 0: that of an action that alone does not lose may be tiny.
        edges[e].prior = max(edges[e].prior / total, _LEAST_PRIOR) if total > 0 else 1 / count
