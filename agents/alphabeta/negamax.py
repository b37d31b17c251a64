"""The kernels of alpha-beta search: negamax with α-β pruning, and what has been added to it since.

Negamax, fail-soft: the value returned is exact inside the window (α, β), an upper bound of the state's value if it is ≤
α, and a lower bound if it is ≥ β. Values are from the point of view of the player to move; the sign changes where the
turn does, so that games in which a player moves twice work as well. A null window holds no number: it asks only whether
the value is above α.

The value is that of plain minimax at the same depth, whatever `Workspace.status` says of ``pvs``, of the table's
replacement and of the ordering. Other options change it: `AlphaBeta` says which.

Sources: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975); J. P.
Fishburn, "Analysis of speedup in distributed algorithms", thesis, University of Wisconsin (1981), for fail-soft; and
those of the options, which `AlphaBeta` names.
"""

from __future__ import annotations

import numpy as np
from numba import types

from ...envs.jit import helper, self_call
from .ordering import (
    KILLER,
    pick,
    prize,
    put_first,
    remember_cutoff,
    remember_quiet,
    remember_reply,
    score_all,
    score_moves,
    settle,
)
from .quiescence import just_above, just_below, quiesce, reply_window
from .repeating import is_repeated
from .selecting import FUTILE_TO, RAZORED_TO, REDUCED_FROM, is_forced, is_futile, is_late, is_poor, passes, reduction
from .table import SOLVED, UPPER, answers, better_guess, bound_of, fetch, probe, remember
from .workspace import set_line

__all__ = ["negamax"]

_PASSED_FROM = 2  # plies that must be left for a null move
_SINGULAR_FROM = 4  # plies that must be left for a look at whether a move is singular
_ENTRY_LACKS = 3  # plies by which the table's entry may be less deep for that
_SPARED_FROM = 2  # plies that must be left for a check that comes late: the last ply has the most nodes


_again = self_call(lambda *arguments: negamax(*arguments), types.float64)


@helper
def negamax(game, w, selective, pruning, ply, depth, alpha, beta):
    """Return the value of ``w.states[ply]``, which is not terminal, searched ``depth`` plies deep.

    Without ``selective``, which is None then, the options that change the value are not compiled at all, and without
    ``pruning`` those that need to know more of the game than its moves. With ``selective``, ``depth`` may be 0: then
    only noisy moves are tried. If the search is to stop, what is returned means nothing.
    """
    state = w.states[ply]
    frame = w.frames[ply]
    status = w.status[0]
    player = game.player(state)
    horizon_before = status.horizon
    forced = False
    if pruning is not None:
        forced = is_forced(game.is_forced, state)
        if forced and status.check_extensions != 0 and ply + depth < status.longest and ply < 2 * status.iteration:
            status.forced += 1
            depth += 1
    if selective is not None and depth <= 0:
        return quiesce(game, w, pruning, ply, status.quiescence, alpha, beta)

    # Step 1. Look the state up: the entry may answer, or at least name the move to try first.
    hash_move = -1
    key = np.uint64(0)
    known = np.nan  # the evaluation, where the table has it or it is computed
    table_value, table_bound = 0.0, 0
    target = -np.inf  # the value that the other moves must stay below for the move of the table to be singular
    has_table = w.table.size > 0
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
            if pruning is not None:
                known, table_value, table_bound = entry.static, value, bound
            if selective is not None:
                # Not what proves a win: looking for it from here on finds the shortest, and comes to an end.
                deeper = status.deeper_entries != 0 and entry.depth > depth
                serves = serves or (deeper and abs(value) < status.top)
            if serves and answers(bound, value, alpha, beta):
                status.answers += 1
                status.horizon += not solved
                frame.line[0] = -1  # the move may be that of another position with this key
                return value
            if selective is not None:
                trusted = bound != UPPER and entry.depth >= depth - _ENTRY_LACKS and abs(value) < status.top
                if status.singular >= 0 and depth >= _SINGULAR_FROM and trusted:
                    target = value - status.singular

    # Without a move of the table's, the order is poor and the search dear; the next one will know the move.
    if selective is not None and has_table and hash_move < 0 and 0 < status.internal_reductions <= depth:
        depth -= 1

    # Step 2. Is the state so good, or so bad, that nothing needs to be searched, or can the player even pass?
    static = 0.0
    is_narrow = False  # whether only a null window is open, and the player is not forced
    if pruning is not None and selective is not None and not forced and abs(beta) < status.top:
        is_narrow = beta <= just_above(alpha)
        if is_narrow and (status.futility > 0 or status.null_move > 0 or status.razoring > 0):
            if np.isnan(known):
                known = game.evaluate(state, player)
            static = known
            if status.table_static != 0:
                static = better_guess(static, table_value, table_bound, status.top)
            if status.futility > 0 and depth <= FUTILE_TO and static - status.futility * depth >= beta:
                status.futile += 1
                status.horizon += 1
                frame.line[0] = -1
                return static
            if status.razoring > 0 and depth <= RAZORED_TO and static + status.razoring * depth <= alpha:
                value = quiesce(game, w, pruning, ply, status.quiescence, alpha, beta)
                if status.stop != 0 or value <= alpha:
                    return value
                status.horizon = horizon_before
        if is_narrow and status.null_move > 0 and depth >= _PASSED_FROM and static >= beta and frame.after_pass == 0:
            w.states[ply + 1] = state
            child = w.states[ply + 1]
            if passes(game, game.passed, child):
                if status.nodes >= status.limit:
                    status.stop = 1
                    return 0.0
                status.nodes += 1
                w.frames[ply + 1].previous, w.frames[ply + 1].after_pass = -1, 1
                is_repeated(game, child, status, ply + 1)
                left = depth - 1 - status.null_move - depth // 4
                if status.null_margin > 0:
                    left -= int(min(3.0, (static - beta) / status.null_margin))
                left = max(0, left)
                value = -_again((game, w, selective, pruning, ply + 1, left, -beta, -just_below(beta)))
                if status.stop != 0:
                    return 0.0
                status.horizon = horizon_before
                if value >= beta:
                    status.null_cutoffs += 1
                    status.horizon += 1
                    frame.line[0] = -1
                    return value if value < status.top else beta  # a win after a pass is not proved

    # Step 3. List the moves, the most promising first.
    best = -np.inf
    best_move = -1
    is_first = False
    count = game.legal_actions(state, frame.moves)
    if ply + 1 > status.deepest:
        status.deepest = ply + (count > 0)
    if status.ordered != 0:
        if pruning is None:
            score_moves(frame, count, status, w.history[player], hash_move)
        else:
            is_first = status.hash_move != 0 and hash_move >= 0
            is_first = is_first and put_first(frame, count, hash_move)
            if not is_first:
                score_all(game, state, frame, count, status, w.history, player, hash_move)

    # Step 4. Is the table's move singular: do all others fail to come near it, in a search of half the depth?
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
                if pruning is not None:
                    w.frames[ply + 1].previous, w.frames[ply + 1].after_pass = frame.moves[i], 0
                    is_repeated(game, child, status, ply + 1)
                turn, low, high = reply_window(game.player(child) == player, just_below(target), target)
                value = turn * _again((game, w, selective, pruning, ply + 1, depth // 2, low, high))
            if status.stop != 0:
                return 0.0
            if value >= target:
                extended = -1
                break

    # Step 5. Search the moves, each in the window that the ones before it left.
    goes_on = False
    if selective is not None:
        goes_on = status.goes_on != 0
    for i in range(count):
        if status.nodes >= status.limit:
            status.stop = 1
            return 0.0
        if pruning is not None and is_first and i == 1:
            score_all(game, state, frame, count, status, w.history, player, hash_move)
        if status.ordered != 0:
            if pruning is None:
                pick(frame, i, count)
            elif i > 0 or not is_first:
                settle(game.exchange, state, frame, i, count)
        move = frame.moves[i]
        is_reduced, less = False, 0  # whether a late move is searched less deep at first, and by how many plies
        if selective is not None:
            is_reduced = status.lmr > 0 and i >= status.lmr and (status.ordered == 0 or frame.scores[i] < KILLER)
            is_reduced = is_reduced and not forced and depth >= REDUCED_FROM
            if is_reduced:
                less = 1 if pruning is None else reduction(status, depth, i, is_narrow)
        is_left_out = False  # whether the move is not tried, unless it gives check and checks are spared
        if pruning is not None and is_narrow and best > -status.top:
            is_left_out = is_late(status, depth, i, frame.scores[i])
            if is_left_out and (status.spare_checks == 0 or depth < _SPARED_FROM):
                status.pruned += count - i
                status.horizon += 1
                break
            if not is_left_out:
                is_left_out = is_poor(game.exchange, game.stakes, state, move, status, depth - less, frame.scores[i])
        w.states[ply + 1] = state
        child = w.states[ply + 1]
        game.play(child, move)
        is_drawn = False
        if pruning is not None:
            if status.spare_checks != 0 and (is_left_out or less > 0) and is_forced(game.is_forced, child):
                is_left_out = False
                less = max(0, less - 1)
            if is_left_out:
                if status.penalties != 0:
                    frame.scores[i] = KILLER  # no quiet move that was tried in vain
                status.pruned += 1
                status.horizon += 1
                continue
            if has_table and (depth > 1 or status.quiescence_table != 0) and status.fold == 0:
                fetch(w.table, game.key(child))
            if (
                is_narrow
                and status.futility > 0
                and best > -status.top
                and is_futile(game, state, child, move, status, depth - less, static, alpha)
            ):
                if status.penalties != 0:
                    frame.scores[i] = KILLER
                status.pruned += 1
                status.horizon += 1
                best = max(best, min(alpha, static + status.futility * (depth - less)))
                continue
            w.frames[ply + 1].previous, w.frames[ply + 1].after_pass = move, 0
            is_drawn = is_repeated(game, child, status, ply + 1)
        status.nodes += 1
        floor = alpha if alpha > best else best
        is_leaf = True
        if game.is_terminal(child):
            status.leaves += 1
            value = game.utility(child, player)
        elif is_drawn:
            status.leaves += 1
            status.horizon += 1
            status.repeated += 1
            value = 0.0
        elif depth == 1 and not goes_on:
            status.leaves += 1
            status.horizon += 1
            value = game.evaluate(child, player)
            if value != value:
                status.undefined = 1
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
                if is_reduced:
                    left -= less
                    status.reductions += left < full
                    high = just_above(floor)
            while True:
                turn, low, top = reply_window(game.player(child) == player, floor, high)
                value = turn * _again((game, w, selective, pruning, ply + 1, left, low, top))
                if status.stop != 0:
                    return 0.0
                if value <= floor or (left == full and (high == beta or value >= beta)):
                    break
                # A move that is better than it should be is searched again: deeper, then in the full window.
                status.researches += 1
                if left == full or status.pvs == 0:
                    high = beta
                left = full

        # Step 6. Keep the best, and cut off where the opponent would not allow this state.
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
            if pruning is None:
                remember_cutoff(frame, w.history[player], move, depth)
            else:
                if status.captures == 0 or prize(game.stakes, state, move) <= 0:
                    if status.penalties != 0:
                        remember_quiet(frame, w.history[player], move, i, depth)
                    else:
                        remember_cutoff(frame, w.history[player], move, depth)
                if status.countermoves != 0:
                    remember_reply(frame, w.history[2 + player], move)
            break

    # Step 7. Remember what was found, and whether the depth limit had a part in it.
    if has_table:
        if pruning is not None and best <= alpha and hash_move >= 0:
            best_move = hash_move  # of upper bounds none is better
        solved = status.horizon == horizon_before or abs(best) >= status.top
        bound = bound_of(best, alpha, beta, status.top) + (SOLVED if solved else 0)
        remember(w.table, key, best, known, best_move, depth, bound, status)
    return best
