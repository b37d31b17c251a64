"""The kernels of alpha-beta search: negamax with α-β pruning, a transposition table and move ordering.

Negamax, fail-soft: the value returned is exact inside the window (α, β), an upper bound of the state's value if it is ≤
α, and a lower bound if it is ≥ β. Values are from the point of view of the player to move; the sign changes where the
turn does, so that games in which a player moves twice work as well.

Sources: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975); J.
Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE PAMI 11 (1989). Every technique
here leaves the value as plain minimax has it at the same depth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ..envs import Game, state_dtype
from ..envs.jit import kernel
from .search import most_positions
from .table import EXACT, LOWER, SOLVED, UPPER, new_table, slot_of

__all__ = ["CUT", "LEAVES", "LIMIT", "NODES", "STOP", "Workspace", "new_workspace", "search_root"]

# Places in `Workspace.counts`: positions visited, those of them where the search stopped, those that the depth limit
# stopped; the number of positions that must not be passed; and whether to give up, which another thread may set.
NODES, LEAVES, CUT, LIMIT, STOP = range(5)


class Workspace(NamedTuple):
    """The arrays of a search, allocated once. They are few because a recursive call passes each of them on."""

    states: NDArray[Any]  # [plies + 1] the line being searched
    frames: NDArray[Any]  # [plies + 1] what is kept for each ply of it, see `_frame_dtype`
    history: NDArray[np.int64]  # [players, actions] how often a move cut off, deep cut-offs weighing more
    table: NDArray[Any]  # [slots], or [0] for none
    counts: NDArray[np.int64]  # [5]


def _frame_dtype(game: Game) -> np.dtype[Any]:
    actions = (game.num_actions,)
    return state_dtype(
        moves=("i4", actions),  # the legal actions
        scores=("i8", actions),  # how promising each of them is
        killers=("i4", (2,)),  # the last moves that cut off at this ply
        line=("i4", (game.max_plies + 1,)),  # the best line from here on, ended by -1
    )


def new_workspace(game: Game, plies: int, table_mb: float) -> Workspace:
    """Allocate the arrays for searches of up to ``plies`` plies."""
    return Workspace(
        states=np.zeros(plies + 1, game.dtype),
        frames=np.zeros(plies + 1, _frame_dtype(game)),
        history=np.zeros((2, game.num_actions), np.int64),
        table=new_table(table_mb, most_positions(game, plies)),
        counts=np.zeros(5, np.int64),
    )


@register_jitable
def _score_moves(frame: Any, count: int, history: Any, hash_move: int) -> None:
    """Score the moves for `_pick`: the table's move first, then killers, then by history."""
    for i in range(count):
        move = frame.moves[i]
        if move == hash_move:
            frame.scores[i] = 1 << 62
        elif move == frame.killers[0]:
            frame.scores[i] = 1 << 61
        elif move == frame.killers[1]:
            frame.scores[i] = 1 << 60
        else:
            frame.scores[i] = history[move]


@register_jitable
def _pick(frame: Any, i: int, count: int) -> None:
    """Bring the best of the moves from ``i`` on to place ``i``; the others keep their order."""
    best = i
    for j in range(i + 1, count):
        if frame.scores[j] > frame.scores[best]:
            best = j
    move, score = frame.moves[best], frame.scores[best]
    for j in range(best, i, -1):
        frame.moves[j], frame.scores[j] = frame.moves[j - 1], frame.scores[j - 1]
    frame.moves[i], frame.scores[i] = move, score


@register_jitable
def _set_line(line: Any, move: int, rest: Any) -> None:
    """Write ``move`` and the line ``rest`` behind it."""
    line[0] = move
    for j in range(1, line.size):
        line[j] = rest[j - 1]
        if line[j] < 0:
            return


@kernel
def _negamax(game, w, ordered, top, ply, depth, alpha, beta):
    """Return the value of ``w.states[ply]``, which is not terminal, searched ``depth`` ≥ 1 plies deep.

    If the search is to stop, what is returned means nothing.
    """
    state = w.states[ply]
    frame = w.frames[ply]
    player = game.player(state)
    cut_before = w.counts[CUT]

    # Step 1. Look the state up: the entry may answer, or at least name the move to try first.
    hash_move = -1
    key = np.uint64(0)
    slot = np.uint64(0)
    if w.table.size > 0:
        key = game.key(state)
        slot = slot_of(w.table, key)
        entry = w.table[slot]
        if entry.bound != 0 and entry.key == key:
            hash_move = entry.action
            solved = entry.bound >= SOLVED
            if entry.depth == depth or (solved and entry.depth < depth):
                bound = entry.bound & 3
                value = entry.value
                if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                    w.counts[CUT] += not solved
                    frame.line[0] = -1  # the move may be that of another position with this key
                    return value

    # Step 2. List the moves, the most promising first.
    count = game.legal_actions(state, frame.moves)
    if ordered:
        _score_moves(frame, count, w.history[player], hash_move)

    # Step 3. Search them, each in the window that the ones before it left.
    best = -np.inf
    best_move = -1
    for i in range(count):
        if w.counts[NODES] >= w.counts[LIMIT]:
            w.counts[STOP] = 1
            return 0.0
        if ordered:
            _pick(frame, i, count)
        move = frame.moves[i]
        w.states[ply + 1] = state
        child = w.states[ply + 1]
        game.play(child, move)
        w.counts[NODES] += 1
        floor = max(alpha, best)
        is_leaf = True
        if game.is_terminal(child):
            w.counts[LEAVES] += 1
            value = game.utility(child, player)
        elif depth == 1:
            w.counts[LEAVES] += 1
            w.counts[CUT] += 1
            value = game.evaluate(child, player)
        else:
            is_leaf = False
            if game.player(child) == player:
                value = _negamax(game, w, ordered, top, ply + 1, depth - 1, floor, beta)
            else:
                value = -_negamax(game, w, ordered, top, ply + 1, depth - 1, -beta, -floor)
            if w.counts[STOP] != 0:
                return 0.0

        # Step 4. Keep the best, and cut off where the opponent would not allow this state.
        if value > best:
            best = value
            best_move = move
            if is_leaf:
                frame.line[0] = move
                frame.line[1] = -1
            else:
                _set_line(frame.line, move, w.frames[ply + 1].line)
        if best >= beta or best >= top:
            if frame.killers[0] != move:
                frame.killers[1] = frame.killers[0]
                frame.killers[0] = move
            w.history[player, move] += depth * depth
            break

    # Step 5. Remember what was found, and whether the depth limit had a part in it.
    if w.table.size > 0:
        bound = EXACT
        if best >= beta and best < top:
            bound = LOWER
        elif best <= alpha:
            bound = UPPER
        entry = w.table[slot]
        entry.key = key
        entry.value = best
        entry.action = best_move
        entry.depth = depth
        solved = w.counts[CUT] == cut_before or abs(best) >= top
        entry.bound = bound + (SOLVED if solved else 0)
    return best


@kernel
def search_root(game, w, ordered, top, depth, all_best, moves, values):
    """Search the root's ``moves`` in their order, and write their ``values``; leave the best line in the first frame.

    The best move's value is exact, the others' are upper bounds, but with ``all_best`` those of equally good moves are
    exact too. Moves behind a certain win are not searched, and get NaN.
    """
    state = w.states[0]
    player = game.player(state)
    # Typed as in the recursive call, not a literal: from its cache Numba can load a recursive function only in this
    # case (numba issue 6061).
    ply = np.int64(1)
    best = -np.inf
    values[:] = np.nan
    for i in range(moves.size):
        if w.counts[NODES] >= w.counts[LIMIT]:
            w.counts[STOP] = 1
            return
        w.states[1] = state
        child = w.states[1]
        game.play(child, moves[i])
        w.counts[NODES] += 1
        w.frames[1].line[0] = -1
        floor = np.nextafter(best, -np.inf) if all_best else best
        if game.is_terminal(child):
            w.counts[LEAVES] += 1
            value = game.utility(child, player)
        elif depth == 1:
            w.counts[LEAVES] += 1
            w.counts[CUT] += 1
            value = game.evaluate(child, player)
        elif game.player(child) == player:
            value = _negamax(game, w, ordered, top, ply, depth - 1, floor, np.inf)
        else:
            value = -_negamax(game, w, ordered, top, ply, depth - 1, -np.inf, -floor)
        if w.counts[STOP] != 0:
            return
        values[i] = value + 0.0  # no -0
        if value > best:
            best = value
            _set_line(w.frames[0].line, moves[i], w.frames[1].line)
            if best >= top and not all_best:
                return
