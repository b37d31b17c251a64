"""The search behind the depth limit, of noisy moves only, until the evaluation can be believed.

The player may also keep quiet, and take the evaluation, unless all moves are noisy. A move that cannot come near α by
what it wins is not tried with ``delta``, and one that loses by the exchange on its square not with
``exchange_pruning``: in both cases the player may keep quiet instead.
"""

from __future__ import annotations

import numpy as np
from numba import types

from ...envs.jit import helper, self_call
from .ordering import QUIET, pick, prize, score_all, score_moves, settle
from .table import SOLVED, answers, better_guess, bound_of, fetch, probe, remember
from .workspace import set_line

__all__ = ["just_above", "just_below", "quiesce", "reply_window"]


@helper
def just_above(value: float) -> float:
    """Return the next larger number, for a null window above ``value``."""
    return np.nextafter(value, np.inf)


@helper
def just_below(value: float) -> float:
    """Return the next smaller number."""
    return np.nextafter(value, -np.inf)


@helper
def reply_window(same_player: bool, low: float, high: float) -> tuple[float, float, float]:
    """Return the factor of the child's value, and the window (``low``, ``high``) from its player's point of view."""
    if same_player:
        return 1.0, low, high
    return -1.0, -high, -low


_again = self_call(lambda *arguments: quiesce(*arguments), types.float64)


@helper
def _choices(game, is_forced, state, moves, goes_on):
    """Return how many noisy moves were listed (-1: not yet), and whether the player may keep quiet."""
    if is_forced is None:
        legal = game.legal_actions(state, moves)
        count = game.noisy_actions(state, moves) if goes_on else 0
        return count, count < legal
    if not goes_on:
        return 0, True
    return -1, not is_forced(state)


@helper
def quiesce(game, w, pruning, ply, left, alpha, beta):
    """Return the value of ``w.states[ply]``, which is not terminal, with up to ``left`` noisy moves in each line.

    If the search is to stop, what is returned means nothing.
    """
    state = w.states[ply]
    frame = w.frames[ply]
    status = w.status[0]
    player = game.player(state)
    horizon_before = status.horizon

    key, hash_move, best_move = np.uint64(0), -1, -1
    has_table = False
    goes_on = left > 0 and ply + 1 < w.states.size  # else nothing is searched, and nothing known that answers a search
    if pruning is not None and goes_on and status.quiescence_table != 0 and w.table.size > 0:
        key = game.canonical_key(state) if status.fold != 0 else game.key(state)
        has_table = True

    # Step 1. Keep quiet, if that is allowed.
    best = -np.inf
    count, may_wait = _choices(game, game.is_forced, state, frame.moves, goes_on)
    if may_wait:
        status.leaves += 1
        status.horizon += 1
        frame.line[0] = -1
        best = game.evaluate(state, player)
        if best != best:
            status.undefined = 1
        if best >= beta:
            return best
    static = standing = best

    # Step 2. Look the state up.
    if pruning is not None and has_table:
        entry = w.table[probe(w.table, key)]
        status.probes += 1
        if entry.bound != 0 and entry.key == key:
            status.hits += 1
            hash_move = entry.action
            value = entry.value
            bound = entry.bound & 3
            serves = entry.depth == 0 or (status.deeper_entries != 0 and abs(value) < status.top)
            if serves and answers(bound, value, alpha, beta):
                status.answers += 1
                status.horizon += entry.bound < SOLVED
                frame.line[0] = -1
                return value
            has_table = entry.depth <= 0  # what was searched deeper stays
            if may_wait and status.table_static != 0:
                best = standing = better_guess(standing, value, bound, status.top)
                if best >= beta:
                    return best

    # Step 3. List the noisy moves, the most promising first.
    if count < 0:
        count = game.noisy_actions(state, frame.moves)
    if ply + 1 > status.deepest:
        status.deepest = ply + (count > 0)
    if status.ordered != 0:
        if pruning is None:
            score_moves(frame, count, status, w.history[player], -1)
        else:
            score_all(game, state, frame, count, status, w.history, player, hash_move)

    # Step 4. Try them.
    for i in range(count):
        if status.nodes >= status.limit:
            status.stop = 1
            return 0.0
        if status.ordered != 0:
            if pruning is None:
                pick(frame, i, count)
            else:
                settle(game.exchange, state, frame, i, count)
        move = frame.moves[i]
        floor = alpha if alpha > best else best
        if pruning is not None and may_wait:
            if status.exchange_pruning != 0 and frame.scores[i] < -QUIET:
                status.pruned += count - i
                break  # those after it lose too
            if status.delta > 0:
                most = standing + prize(game.stakes, state, move) + status.delta
                if most <= floor:
                    status.pruned += 1
                    best = max(best, most)
                    continue
        w.states[ply + 1] = state
        child = w.states[ply + 1]
        game.play(child, move)
        if pruning is not None:
            w.frames[ply + 1].previous = move
            if status.quiescence_table != 0 and status.fold == 0 and w.table.size > 0:
                fetch(w.table, game.key(child))
        status.nodes += 1
        is_leaf = game.is_terminal(child)
        if is_leaf:
            status.leaves += 1
            value = game.utility(child, player)
        else:
            turn, low, high = reply_window(game.player(child) == player, floor, beta)
            value = turn * _again((game, w, pruning, ply + 1, left - 1, low, high))
            if status.stop != 0:
                return 0.0
        if value > best:
            best = value
            best_move = move
            if is_leaf:
                frame.line[0] = move
                frame.line[1] = -1
            else:
                set_line(frame.line, move, w.frames[ply + 1].line)
            if alpha < best < beta < status.top and beta - best <= status.margin:
                status.margin_cutoffs += 1
                status.horizon += 1
                best = beta  # and no more, or the other player could take this move for better than it is
        if best >= beta or best >= status.top:
            status.cutoffs += 1
            status.first_cutoffs += i == 0
            break
    if pruning is not None and has_table:
        solved = status.horizon == horizon_before or abs(best) >= status.top
        bound = bound_of(best, alpha, beta, status.top) + (SOLVED if solved else 0)
        remember(w.table, key, best, static if may_wait else np.nan, best_move, 0, bound, status)
    return best
