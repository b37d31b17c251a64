"""What alpha-beta searches less deep, or not at all, where it knows more of a game than its moves.

Sources: D. F. Beal, "A generalised quiescence search algorithm", Artificial Intelligence 43 (1990), and C. Donninger,
"Null move and deep search", ICCA Journal 16 (1993), for null moves; J. Schaeffer, "Experiments in search and
knowledge", thesis, University of Waterloo (1986), and E. A. Heinz, "Extended futility pruning", ICCA Journal 21 (1998),
for futility; J. A. Birmingham and P. Kent, "Tree-searching and tree-pruning techniques", Advances in Computer Chess 1
(1977), for razoring; and, for reductions by the logarithms of the depth and of the move's number, for late-move pruning
and for quiet moves that lose by the exchange, programs with open sources since Fruit Reloaded and Stockfish.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.jit import helper
from .ordering import KILLER, QUIET, prize

__all__ = [
    "FUTILE_TO",
    "RAZORED_TO",
    "REDUCED_FROM",
    "is_forced",
    "is_futile",
    "is_late",
    "is_poor",
    "is_reduced",
    "passes",
    "reduction",
]

FUTILE_TO = 6  # plies left, at most, for a state to be so good that nothing is searched
RAZORED_TO = 3  # … for one to be so bad that only noisy moves are searched
_MOVES_FUTILE_TO = 4  # … for a quiet move to be so bad
_LATE_TO = 5  # … for a move to come too late
_LOSING_TO = 2  # … for one that loses by the exchange
REDUCED_FROM = 3  # plies that must be left for a late move to be searched less deep
_POOR_TO = 5  # plies left, at most, for a quiet move that loses by the exchange
_SLOPE = 1.8  # of reductions: ln(depth) * ln(number) divided by this
_MOST = 255  # of either, for that
_LOGARITHMS = np.log(np.maximum(1, np.arange(_MOST + 1)))


@helper
def is_forced(rule: Any, state: Any) -> bool:
    """Return whether the player to move cannot wait; False in a game that does not tell."""
    if rule is None:
        return False
    return rule(state)


@helper
def passes(game: Any, rule: Any, state: Any) -> bool:
    """Let the player to move pass, if it is worth a try; return whether the search can go on from there."""
    if rule is None:
        return False
    return rule(state) and not game.is_terminal(state)


@helper
def is_late(status: Any, depth: int, number: int, score: int) -> bool:
    """Return whether a move, and all that come after it in the order, need not be tried, unless checks are spared.

    Args:
        status: the options.
        depth: plies left.
        number: how many moves were tried before.
        score: the move's place in the order.
    """
    if status.exchange_pruning != 0 and depth <= _LOSING_TO and score < -QUIET:
        return True
    late = status.late_pruning > 0 and depth <= _LATE_TO and number >= status.late_pruning + depth * depth
    return late and score < KILLER


@helper
def is_poor(exchange: Any, stakes: Any, state: Any, move: int, status: Any, depth: int, score: int) -> bool:
    """Return whether a quiet move loses too much by the exchange to be tried, unless checks are spared.

    Args:
        exchange: the game's rule; None: it has none.
        stakes: likewise.
        state: the state.
        move: the move.
        status: the options.
        depth: plies left, less those of its reduction.
        score: the move's place in the order.
    """
    if exchange is None:
        return False
    if status.quiet_exchange == 0 or depth > _POOR_TO or abs(score) >= QUIET:
        return False
    if (status.ordered == 0 or status.captures == 0) and prize(stakes, state, move) > 0:  # the order does not tell
        return False
    return not exchange(state, move, -status.quiet_exchange * depth * depth)


@helper
def is_futile(
    game: Any, state: Any, child: Any, move: int, status: Any, depth: int, static: float, alpha: float
) -> bool:
    """Return whether a move need not be tried, since it wins nothing and forces nobody, and too much is lacking.

    Args:
        game: the game.
        state: the state.
        child: the state after the move.
        move: the move.
        status: the options.
        depth: plies left, less those of the move's reduction.
        static: the evaluation of the state.
        alpha: what the move must be better than.
    """
    if depth > _MOVES_FUTILE_TO or static + status.futility * depth > alpha:
        return False
    return prize(game.stakes, state, move) <= 0 and not is_forced(game.is_forced, child)


@helper
def is_reduced(game: Any, state: Any, move: int, status: Any, depth: int, number: int) -> bool:
    """Return whether a late move at the root is searched less deep: one that wins nothing, where nobody is forced.

    Args:
        game: the game.
        state: the root.
        move: the move.
        status: the options.
        depth: plies left.
        number: how many moves were tried before.
    """
    if status.deep_reductions == 0 or status.all_best != 0 or number < status.lmr or depth < REDUCED_FROM:
        return False
    return prize(game.stakes, state, move) <= 0 and not is_forced(game.is_forced, state)


@helper
def reduction(status: Any, depth: int, number: int, is_narrow: bool) -> int:
    """Return by how many plies a late move is searched less deep; a ply is left."""
    if status.deep_reductions == 0:
        return 1
    plies = int(0.5 + _LOGARITHMS[min(depth, _MOST)] * _LOGARITHMS[min(number, _MOST)] / _SLOPE)
    return min(max(0, plies - (not is_narrow)), depth - 2)
