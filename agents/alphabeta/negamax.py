"""The kernels of alpha-beta search: negamax with α-β pruning, and what has been added to it since.

Negamax, fail-soft: the value returned is exact inside the window (α, β), an upper bound of the state's value if it is ≤
α, and a lower bound if it is ≥ β. Values are from the point of view of the player to move; the sign changes where the
turn does, so that games in which a player moves twice work as well. A null window holds no number: it asks only whether
the value is above α.

The value is that of plain minimax at the same depth, whatever `Workspace.status` says of ``pvs``, of the table's
replacement and of the ordering. The options ``deeper_entries``, ``margin``, ``lmr``, ``quiescence`` and ``singular``
change it.

Sources: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975); J. P.
Fishburn, "Analysis of speedup in distributed algorithms", thesis, University of Wisconsin (1981), for fail-soft; and
those of the options, which `AlphaBeta` names.
"""

from __future__ import annotations

import numpy as np
from numba import types

from ...envs.jit import helper, self_call
from .ordering import KILLER, pick, remember_cutoff, score_moves
from .table import EXACT, LOWER, SOLVED, UPPER, place, probe
from .workspace import set_line

__all__ = ["just_above", "just_below", "negamax", "reply_window"]

_REDUCED_FROM = 3  # plies that must be left for a late move to be searched less deep
_SINGULAR_FROM = 4  # plies that must be left for a look at whether a move is singular
_ENTRY_LACKS = 3  # plies by which the table's entry may be less deep for that


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


_again = self_call(lambda *arguments: negamax(*arguments), types.float64)


@helper
def negamax(game, w, selective, ply, depth, alpha, beta):
    """Return the value of ``w.states[ply]``, which is not terminal, searched ``depth`` plies deep.

    Without ``selective``, which is None then, the options that change the value are not compiled at all. With it, a
    ``depth`` of 0 and less is a quiescence search: only noisy moves are tried. If the search is to stop, what is
    returned means nothing.
    """
    state = w.states[ply]
    frame = w.frames[ply]
    status = w.status[0]
    player = game.player(state)
    horizon_before = status.horizon

    # Step 1. Look the state up: the entry may answer, or at least name the move to try first.
    hash_move = -1
    key = np.uint64(0)
    target = -np.inf  # the value that the other moves must stay below for the move of the table to be singular
    has_table = w.table.size > 0
    if selective is not None:
        has_table = has_table and depth > 0
    if has_table:
        key = game.canonical_key(state) if status.fold != 0 else game.key(state)
        entry = w.table[probe(w.table, key)]
        status.probes += 1
        if entry.bound != 0 and entry.key == key:
            status.hits += 1
            hash_move = entry.action
            value = entry.value
            bound = entry.bound & 3
            solved = entry.bound >= SOLVED
            serves = entry.depth == depth or (solved and entry.depth < depth)
            if selective is not None:
                serves = serves or (status.deeper_entries != 0 and entry.depth > depth)
            if serves and (bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)):
                status.answers += 1
                status.horizon += not solved
                frame.line[0] = -1  # the move may be that of another position with this key
                return value
            if selective is not None:
                trusted = bound != UPPER and entry.depth >= depth - _ENTRY_LACKS and abs(value) < status.top
                if status.singular >= 0 and depth >= _SINGULAR_FROM and trusted:
                    target = value - status.singular

    # Step 2. List the moves, the most promising first. In the quiescence search the player may also keep quiet, unless
    # all moves are noisy.
    best = -np.inf
    best_move = -1
    count = game.legal_actions(state, frame.moves)
    if selective is not None and depth <= 0:
        legal = count
        count = 0
        if depth > -status.quiescence and ply + 1 < w.states.size:
            count = game.noisy_actions(state, frame.moves)
        if count < legal:
            status.leaves += 1
            status.horizon += 1
            frame.line[0] = -1
            best = game.evaluate(state, player)
            if best >= beta:
                return best
    if ply + 1 > status.deepest:
        status.deepest = ply + (count > 0)
    if status.ordered != 0:
        score_moves(frame, count, status, w.history[player], hash_move)

    # Step 3. Is the table's move singular: do all others fail to come near it, in a search of half the depth?
    extended = -1
    if selective is not None and target > -np.inf and ply + depth < status.longest:
        extended = hash_move
        for i in range(count):
            if frame.moves[i] == hash_move:
                continue
            if status.nodes >= status.limit:
                status.stop = 1
                return 0.0
            w.states[ply + 1] = state
            child = w.states[ply + 1]
            game.play(child, frame.moves[i])
            status.nodes += 1
            if game.is_terminal(child):
                status.leaves += 1
                value = game.utility(child, player)
            else:
                turn, low, high = reply_window(game.player(child) == player, just_below(target), target)
                value = turn * _again((game, w, selective, ply + 1, depth // 2, low, high))
            if status.stop != 0:
                return 0.0
            if value >= target:
                extended = -1
                break

    # Step 4. Search the moves, each in the window that the ones before it left.
    has_quiescence = False
    if selective is not None:
        has_quiescence = status.quiescence > 0
    for i in range(count):
        if status.nodes >= status.limit:
            status.stop = 1
            return 0.0
        if status.ordered != 0:
            pick(frame, i, count)
        move = frame.moves[i]
        w.states[ply + 1] = state
        child = w.states[ply + 1]
        game.play(child, move)
        status.nodes += 1
        floor = alpha if alpha > best else best
        is_leaf = True
        if game.is_terminal(child):
            status.leaves += 1
            value = game.utility(child, player)
        elif depth == 1 and not has_quiescence:
            status.leaves += 1
            status.horizon += 1
            value = game.evaluate(child, player)
        else:
            is_leaf = False
            high = beta
            if i > 0 and status.pvs != 0:
                high = just_above(floor)
            full = depth - 1
            left = full
            if selective is not None:
                if move == extended:
                    status.extensions += 1
                    full = depth
                left = full
                is_late = status.lmr > 0 and i >= status.lmr and (status.ordered == 0 or frame.scores[i] < KILLER)
                if is_late and depth >= _REDUCED_FROM:
                    status.reductions += 1
                    left -= 1
                    high = just_above(floor)
            while True:
                turn, low, top = reply_window(game.player(child) == player, floor, high)
                value = turn * _again((game, w, selective, ply + 1, left, low, top))
                if status.stop != 0:
                    return 0.0
                if value <= floor or (left == full and (high == beta or value >= beta)):
                    break
                # A move that is better than it should be is searched again: deeper, then in the full window.
                status.researches += 1
                if left == full or status.pvs == 0:
                    high = beta
                left = full

        # Step 5. Keep the best, and cut off where the opponent would not allow this state.
        if value > best:
            best = value
            best_move = move
            if is_leaf:
                frame.line[0] = move
                frame.line[1] = -1
            else:
                set_line(frame.line, move, w.frames[ply + 1].line)
            if selective is not None and alpha < best < beta < status.top and beta - best <= status.margin:
                status.margin_cutoffs += 1
                status.horizon += 1
                best = beta  # and no more, or the other player could take this move for better than it is
        if best >= beta or best >= status.top:
            status.cutoffs += 1
            status.first_cutoffs += i == 0
            remember_cutoff(frame, w.history[player], move, depth)
            break

    # Step 6. Remember what was found, and whether the depth limit had a part in it.
    if has_table:
        bound = EXACT
        if best >= beta and best < status.top:
            bound = LOWER
        elif best <= alpha:
            bound = UPPER
        solved = status.horizon == horizon_before or abs(best) >= status.top
        entry = w.table[place(w.table, key, depth, status.age, status.by_depth != 0)]
        entry.key = key
        entry.value = best
        entry.action = best_move
        entry.depth = depth
        entry.bound = bound + (SOLVED if solved else 0)
        entry.age = status.age
    return best
