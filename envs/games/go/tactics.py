"""What is in danger on a Go board: chains with a single liberty, moves that capture, moves that put oneself in danger.

The pseudo-liberties of `liberties` answer each question without a walk along the chain. A single cell counts at most
four times, so a chain with more pseudo-liberties has more than one liberty.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ..points import EMPTY, points
from .liberties import CELL_SUMS, CELLS, COUNT, liberties

__all__ = ["Tactics", "tactics"]


class Tactics(NamedTuple):
    """What `tactics` makes. ``own`` is a colour, BLACK or WHITE; ``cell`` must be an empty point."""

    last_liberty: Rule  # last_liberty(state, head): the only liberty of a chain; 0 if it has more
    gives_atari: Rule  # gives_atari(state, cell, own): whether a legal stone there leaves a chain just one liberty
    is_capture: Rule  # is_capture(state, cell, own): whether a legal stone there takes a chain
    is_saving: Rule  # is_saving(state, cell, own): whether a chain of this colour has its only liberty there
    is_self_atari: Rule  # is_self_atari(state, cell, own): whether a legal one takes none, and gets one liberty at most


@cache
def tactics(board_size: int) -> Tactics:
    """Return the questions for a board of ``board_size`` points a side, whose state has the fields of `chains`."""
    around = points(board_size).around
    known = liberties(board_size)
    liberty, is_last = known.liberty, known.is_last

    @helper(forceinline=True)
    def only_cell(total: Any) -> Any:
        """Return the cell, if these pseudo-liberties are all of one; else 0."""
        count = total & COUNT
        if count > 4 or count == 0:
            return np.int64(0)
        cells = (total >> CELLS) & CELL_SUMS
        cell = cells // 3 if count == 3 else cells >> (count >> 1)
        return cell if total == count * liberty[cell] else np.int64(0)

    @helper
    def last_liberty(state: Any, head: Any) -> Any:
        return only_cell(state.liberties[head])

    @helper
    def gives_atari(state: Any, cell: Any, own: int) -> bool:
        for i in range(4):
            beside = cell + around[i]
            if state.board[beside] == 3 - own:
                rest = state.liberties[state.head[beside]]
                for step in around:  # its pseudo-liberties on the cell
                    if state.board[cell + step] == 3 - own and state.head[cell + step] == state.head[beside]:
                        rest -= liberty[cell]
                if only_cell(rest) != 0:
                    return True
        return False

    @helper
    def is_capture(state: Any, cell: Any, own: int) -> bool:
        for step in around:
            beside = cell + step
            if state.board[beside] == 3 - own and is_last(state, cell, beside):
                return True
        return False

    @helper
    def is_saving(state: Any, cell: Any, own: int) -> bool:
        for step in around:
            beside = cell + step
            if state.board[beside] == own and last_liberty(state, np.int64(state.head[beside])) == cell:
                return True
        return False

    @helper
    def is_self_atari(state: Any, cell: Any, own: int) -> bool:
        free = 0
        for step in around:
            free += state.board[cell + step] == EMPTY
        if free > 1:
            return False
        total = np.int64(0)  # the pseudo-liberties of the chain that the stone would be in
        for i in range(4):
            beside = cell + around[i]
            stone = state.board[beside]
            if stone == EMPTY:
                total += liberty[beside]
            elif stone == 3 - own:
                if is_last(state, cell, beside):
                    return False
            elif stone == own:
                head = state.head[beside]
                total -= liberty[cell]
                is_new = True
                for j in range(i):
                    before = cell + around[j]
                    if state.board[before] == own and state.head[before] == head:
                        is_new = False
                if is_new:
                    total += state.liberties[head]
        return total == 0 or only_cell(total) != 0

    return Tactics(last_liberty, gives_atari, is_capture, is_saving, is_self_atari)
