"""Draws by repetition inside the search.

The line that is being searched and the positions of the game before it are kept as keys, in ``status.path``: first
those of the game, then the root, at ``status.before``, then one for each ply. A position that the line has already had
below the root is a draw at once: if it pays to come back once, it pays to come back again. One of the game is a draw
when it stands on the board as often as the rules say.

A value that stands on such a draw depends on the way to the position, which the transposition table does not know: it
may be wrong elsewhere. Nothing is called proved by it. What was proved holds until another position of the game is a
draw when it comes again: then the table forgets its proofs, which may lead there. (M. Campbell, "The graph-history
interaction: on ignoring position history", ACM Annual Conference, 1985; A. J. Palay, "Searching with probabilities",
thesis, 1983.)
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.jit import helper
from ..repetitions import with_root
from .table import SOLVED
from .workspace import MOST_PAST, Workspace

__all__ = ["enter_root", "is_repeated", "set_past"]


def set_past(w: Workspace, past: NDArray[np.uint64] | None, last: NDArray[Any], game: Game, state: State) -> None:
    """Enter the keys of a game's earlier positions, the last of which may be the root itself, into the `STATUS`.

    Args:
        w: the workspace, with the options of the search.
        past: [positions] the keys; None: they are not known.
        last: [1] the status that the last search left, zeros if there was none.
        game: the game.
        state: the root.
    """
    keys = np.zeros(0, np.uint64) if past is None else past[-MOST_PAST:]
    w.status["path"][0, : keys.size] = keys
    w.status["before"] = keys.size
    times = int(w.status["times"][0])
    if times == 0 or w.table.size == 0 or keys.size + 1 < times - 1:
        return
    drawn = _drawn_when_again(with_root(keys, game.repetition_key(state)), times)
    if drawn and not drawn <= _drawn_when_again(last["path"][0, : last["before"][0] + 1], times):
        w.table[w.table["bound"] >= SOLVED] = 0


def _drawn_when_again(keys: NDArray[np.uint64], times: int) -> set[int]:
    """Return which positions of a game are drawn when they come once more."""
    return {key for key, count in Counter(keys.tolist()).items() if count >= times - 1}


@helper
def enter_root(game: Any, state: Any, status: Any) -> None:
    """Put the root behind the positions of the game, or leave it there if it is the last of these."""
    if status.times == 0:
        return
    key = game.repetition_key(state)
    if status.before > 0 and status.path[status.before - 1] == key:
        status.before -= 1
    status.path[status.before] = key


@helper
def is_repeated(game: Any, state: Any, status: Any, ply: int) -> bool:
    """Enter a position at a ply of the line, and return whether it is drawn because it stands there once more."""
    if status.times == 0:
        return False
    key = game.repetition_key(state)
    root = status.before
    status.path[root + ply] = key
    in_game, in_line = 0, 0
    for i in range(root + 1):
        in_game += np.int64(status.path[i] == key)
    for i in range(root + 1, root + ply):
        in_line += np.int64(status.path[i] == key)
    return in_line > 0 or in_game + 1 >= status.times
