"""Iterative deepening: the search of the root, one ply deeper each time, with the best move of the last time first.

Sources: R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27 (1985); D. J. Slate and L. R. Atkin,
"CHESS 4.5", in Chess Skill in Man and Machine (1977), for deepening that feeds the move ordering, and for a window
round the last value (aspiration).
"""

from __future__ import annotations

import numpy as np

from ...envs.jit import helper, kernel
from .negamax import negamax
from .quiescence import just_above, just_below, reply_window
from .repeating import enter_root, is_repeated
from .selecting import is_forced, is_reduced, reduction
from .table import UPPER, probe
from .workspace import BOUND, PROVED, set_line

__all__ = ["deepen"]

_NONE = np.int32(-1)  # no action, in the type of actions: with another the rules would be compiled once more
_NO_LIMIT = np.iinfo(np.int64).max


@kernel
def deepen(game, w, selective, pruning, roots, first, last):
    """Search the state ``w.states[0]`` to the depths ``first`` to ``last``, and leave the answer in ``roots[0]``.

    The answer is that of the last depth that was finished, or, with ``unfinished``, the best move of the next, of which
    some moves may have no value; but not where all of the best are asked for. The first one is finished whatever the
    budget, because there must be a move to play; only the stop flag ends it, and then there is no answer. Where depth 1
    has more positions than ``status.first_limit``, it is finished without noisy moves. After it the search ends when
    the budget is spent, at the stop flag, or when nothing is left to find out. A later call goes on from the answer.

    Args:
        game: the game, with the evaluation to use.
        w: the `Workspace`, which the caller keeps alive.
        selective: 1 if an option changes the value, else None.
        pruning: 1 if one is in use that needs to know more of the game than its moves, else None.
        roots: [1] the candidates, and room for the answer, see `plyground.agents.alphabeta.workspace.root_dtype`.
        first: the depth to begin with.
        last: the depth to end with.
    """
    status = w.status[0]
    root = roots[0]
    moves, values = root.moves[: root.count], root.values[: root.count]
    noisy = status.quiescence
    line = w.frames[0].line
    if pruning is not None:
        enter_root(game, w.states[0], status)
    for depth in range(first, last + 1):
        alpha, beta = -np.inf, np.inf
        searched = root.depth > 0
        status.limit = _NO_LIMIT
        if searched:
            if root.exact != 0 or status.stop != 0 or status.nodes >= status.budget:
                return
            status.limit = status.budget
            if status.aspiration > 0:
                alpha, beta = root.value - status.aspiration, root.value + status.aspiration
        elif depth == 1 and noisy > 0:
            status.limit = status.first_limit

        # Step 1. Search, and again with a side of the window open if the value is not inside.
        while True:
            if searched:
                _best_first(moves, values, line[0])
            searched = True
            horizon_before = status.horizon
            status.iteration = depth
            _search_root(game, w, selective, pruning, depth, alpha, beta, moves, values, root.kinds)
            if selective is not None and status.unfinished != 0 and status.all_best == 0 and root.depth > 0:
                _note_unfinished(game, w, pruning, root, moves, values, max(alpha, -status.top))
            if status.stop != 0:
                if status.limit == _NO_LIMIT or root.depth > 0 or status.nodes < status.limit:
                    status.quiescence = noisy
                    return
                status.stop, status.limit, status.quiescence = 0, _NO_LIMIT, 0  # no noisy moves: these are too many
                searched = False
                continue
            value = -np.inf
            for i in range(moves.size):
                if values[i] > value:  # not for NaN, of moves that were not searched
                    value = values[i]
            if alpha > -np.inf and value <= alpha:
                alpha = -np.inf
                line[0] = moves[0]  # of upper bounds none is better: the best of the last depth stays first
            elif beta < np.inf and value >= beta and (value < status.top or status.all_best != 0):
                beta = np.inf
            else:
                break
            status.failures += 1

        # Step 2. The depth is finished: note its answer.
        status.quiescence = noisy
        root.depth = depth
        root.exact = status.horizon == horizon_before or (abs(value) >= status.top and status.all_best == 0)
        _note(game, w, pruning, root, value, moves, values)


@helper
def _note(game, w, pruning, root, value, moves, values):
    """Make this the answer: the value of the root, those of its moves, and the best line."""
    line = w.frames[0].line
    root.value = value
    for i in range(moves.size):
        root.found[moves[i]] = values[i]
        root.found_kinds[moves[i]] = root.kinds[i]
    for i in range(line.size):
        root.line[i] = line[i]
        if line[i] < 0:
            break
    if w.status[0].lengthens != 0 and w.table.size > 0 and root.exact == 0 and abs(value) < w.status[0].top:
        _lengthen(game, w, pruning, root)


@helper
def _lengthen(game, w, pruning, root):
    """Go on with the best line by the table's moves, up to the depth: where the table answered, the search has no line.

    What the table knows may be of searches with other windows and depths, so these moves are a suggestion, and a proved
    value keeps the line that was searched. They end before a position comes again, and where the game does.
    """
    status = w.status[0]
    for ply in range(root.depth):
        move = root.line[ply]
        is_searched = move >= 0
        if not is_searched:
            move = _known_move(game, w, ply)
            if move < 0:
                return
        state = w.states[ply]
        w.states[ply + 1] = state
        child = w.states[ply + 1]
        game.play(child, move)
        if pruning is not None and is_repeated(game, child, status, ply + 1):
            return
        key = game.key(child)
        for i in range(ply + 1):
            if game.key(w.states[i]) == key:
                return
        if not is_searched:
            root.line[ply] = move
            root.line[ply + 1] = -1
        if game.is_terminal(child):
            return


@helper
def _known_move(game, w, ply):
    """Return the move of the table in ``w.states[ply]``; -1 for none, and for one that is known for nothing good.

    That is the move of an upper bound; and a proof, of a value that is not that of the line.
    """
    state = w.states[ply]
    key = game.key(state)
    entry = w.table[probe(w.table, key)]
    if entry.bound == 0 or entry.key != key or entry.bound & 3 == UPPER or abs(entry.value) >= w.status[0].top:
        return _NONE
    moves = w.frames[ply].moves
    for i in range(game.legal_actions(state, moves)):
        if moves[i] == entry.action:  # it may be that of another position with this key
            return moves[i]
    return _NONE


@helper
def _note_unfinished(game, w, pruning, root, moves, values, alpha):
    """Take the best move of a depth that was not finished, if the best one of the last depth was searched again.

    What was not searched again has no value.
    """
    best = -np.inf
    for i in range(moves.size):
        if values[i] > best:
            best = values[i]
    if np.isnan(values[0]) or best <= alpha:
        return
    _note(game, w, pruning, root, best, moves, values)


@helper
def _search_root(game, w, selective, pruning, depth, alpha, beta, moves, values, kinds):
    """Search the root's ``moves`` in their order, and write their ``values``; leave the best line in the first frame.

    If the best move's value is in the window (α, β) it is exact, and the others' are exact or upper bounds, as
    ``kinds`` says; with ``all_best`` those of equally good moves are exact too. If it is ≤ α it is an upper bound, and
    if it is ≥ β a lower one. Moves behind one that is ≥ β, or a certain win, are not searched, and get NaN.
    """
    state = w.states[0]
    status = w.status[0]
    player = game.player(state)
    # Typed as in the recursive call, not a literal: from its cache Numba can load a recursive function only in this
    # case (numba issue 6061).
    ply = np.int64(1)
    left = np.int64(depth - 1)
    best = -np.inf
    values[:] = np.nan
    for i in range(moves.size):
        if status.nodes >= status.limit:
            status.stop = 1
            return
        w.states[1] = state
        child = w.states[1]
        game.play(child, moves[i])
        status.nodes += 1
        is_drawn = False
        if pruning is not None:
            w.frames[1].previous, w.frames[1].after_pass = moves[i], 0
            is_drawn = is_repeated(game, child, status, ply)
        horizon_before = status.horizon
        kinds[i] = 0
        w.frames[1].line[0] = -1
        floor = just_below(best) if status.all_best != 0 else best
        if floor < alpha:
            floor = alpha
        if game.is_terminal(child):
            status.leaves += 1
            value = game.utility(child, player)
        elif is_drawn:
            status.leaves += 1
            status.horizon += 1
            status.repeated += 1
            value = 0.0
        elif depth == 1 and status.goes_on == 0:
            status.leaves += 1
            status.horizon += 1
            value = game.evaluate(child, player)
            if value != value:
                status.undefined = 1
        else:
            high = just_above(floor) if i > 0 and status.pvs != 0 else beta
            full = left
            if selective is not None and pruning is not None and is_reduced(game, state, moves[i], status, depth, i):
                less = reduction(status, depth, i, False)
                if status.spare_checks != 0 and is_forced(game.is_forced, child):
                    less = max(0, less - 1)
                left = full - less
                status.reductions += left < full
            while True:
                turn, low, top = reply_window(game.player(child) == player, floor, high)
                value = turn * negamax(game, w, selective, pruning, ply, left, low, top)
                if status.stop != 0:
                    return
                if value <= floor or (left == full and (high == beta or value >= beta)):
                    break
                status.researches += 1
                if left == full:
                    high = beta
                left = full
            left = full
            if -status.top < value <= floor:  # not a certain loss: nothing is below it
                kinds[i] = BOUND
        values[i] = value + 0.0  # no -0
        if status.horizon == horizon_before or abs(value) >= status.top:
            kinds[i] += PROVED
        if value > best:
            best = value
            set_line(w.frames[0].line, moves[i], w.frames[1].line)
            if best >= beta or (best >= status.top and status.all_best == 0):
                return


@helper
def _best_first(moves, values, best):
    """Sort the moves by value, ``best`` first, those without a value last, and equal ones as they stand.

    So the best move sets the bounds in the next search, and stays the best where every move is found to lose.
    """
    for i in range(moves.size):
        if moves[i] == best:
            values[i] = np.inf
        elif np.isnan(values[i]):
            values[i] = -np.inf
    for i in range(1, moves.size):
        move, value = moves[i], values[i]
        j = i
        while j > 0 and values[j - 1] < value:
            moves[j], values[j] = moves[j - 1], values[j - 1]
            j -= 1
        moves[j], values[j] = move, value
