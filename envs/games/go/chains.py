"""Stones on the points of a grid, the chains they form, and their capture: the part of Go that all its rules share.

Chains are circular lists of stones. `points` numbers the places that stones stand on, and `liberties` says how those of
a chain are counted.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ...definition.terms import Rule
from ...jit import helper
from ..points import BLACK, BORDER, EMPTY, WHITE, points
from .liberties import liberties

__all__ = ["Chains", "chains"]


class Chains(NamedTuple):
    """What `chains` makes. ``own`` is a colour, BLACK or WHITE; cells must be empty points."""

    fields: dict[str, tuple[DTypeLike, tuple[int, ...]] | DTypeLike]  # for the state's dtype
    setup: Rule  # setup(state): the empty board, in a zeroed record
    place: Rule  # place(state, cell, own): put a stone down, and take off what it captures


@cache
def chains(board_size: int) -> Chains:
    """Return the operations for a board of ``board_size`` points a side."""
    num_points, cells, cell_of, _, around, _, zobrist = points(board_size)
    liberty, is_lone = liberties(board_size)[:2]

    def setup(state: Any) -> None:
        state.board[:] = BORDER
        state.board[cell_of] = EMPTY
        state.empty[:] = cell_of
        state.place[cell_of] = np.arange(num_points)
        state.empties = num_points

    @helper
    def merge(state: Any, a: Any, b: Any) -> None:
        """Make one chain of two, given by their heads; the smaller chain gets the other's head."""
        if state.length[a] < state.length[b]:
            a, b = b, a
        stone = b
        while True:
            state.head[stone] = a
            stone = np.int64(state.next[stone])
            if stone == b:
                break
        state.next[a], state.next[b] = state.next[b], state.next[a]
        state.length[a] += state.length[b]
        state.liberties[a] += state.liberties[b]

    @helper
    def capture(state: Any, head: Any) -> None:
        """Take a chain off the board."""
        colour = state.board[head]
        stone = head
        while True:
            state.board[stone] = EMPTY
            state.hash ^= zobrist[colour, stone]
            state.empty[state.empties] = stone
            state.place[stone] = state.empties
            state.empties += 1
            for step in around:
                beside = stone + step
                if state.board[beside] == BLACK or state.board[beside] == WHITE:
                    state.liberties[state.head[beside]] += liberty[stone]
            stone = np.int64(state.next[stone])
            if stone == head:
                break

    @helper
    def place(state: Any, cell: int, own: int) -> None:
        state.empties -= 1
        last = state.empty[state.empties]
        state.empty[state.place[cell]] = last
        state.place[last] = state.place[cell]
        state.board[cell] = own
        state.hash ^= zobrist[own, cell]
        state.head[cell] = state.next[cell] = cell
        state.length[cell] = 1
        free = np.int64(0)
        for step in around:
            stone = state.board[cell + step]
            if stone == EMPTY:
                free += liberty[cell + step]
            elif stone != BORDER:
                state.liberties[state.head[cell + step]] -= liberty[cell]
        state.liberties[cell] = free
        before = state.empties
        for step in around:
            beside = cell + step
            if state.board[beside] == own:
                if state.head[beside] != state.head[cell]:
                    merge(state, np.int64(state.head[cell]), np.int64(state.head[beside]))
            elif state.board[beside] == 3 - own and state.liberties[state.head[beside]] == 0:
                capture(state, np.int64(state.head[beside]))
        # A lone stone that has taken one, and whose only liberty is there, may not be taken back at once.
        state.ko = state.empty[before] if state.empties == before + 1 and is_lone(state, cell) else 0

    number = "u1" if cells <= 256 else "u2"  # small, so that the records of many games stay in the processor's cache
    fields = {
        "board": ("u1", (cells,)),  # EMPTY, BLACK, WHITE or BORDER
        "head": (number, (cells,)),  # for each stone: the stone that its chain is known by
        "next": (number, (cells,)),  # for each stone: the next one of its chain, in a circle
        "length": (number, (cells,)),  # for each head: the number of stones in its chain
        "liberties": ("i8", (cells,)),  # for each head: the sum of `liberty` over its chain's pseudo-liberties
        "empty": (number, (num_points,)),  # the empty points, in any order; the first `empties` are in use
        "place": (number, (cells,)),  # for each empty point: where it stands in `empty`
        "empties": "i4",
        "ko": "i4",  # the cell that the simple ko forbids; 0 for none
        "hash": "u8",  # Zobrist's hash of the stones
    }
    return Chains(fields, setup, place)
