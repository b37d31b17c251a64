"""Stones on the points of a grid, the chains they form, and their capture: the part of Go that all its rules share.

Points have numbers, row by row from the top left, and *cells* of a board with a border that neighbours on both sides
share, so that no walk needs to look where the board ends. The cells of a 3x3 board (``#`` is border)::

     #  #  #  #
     #  5  6  7
     #  9 10 11
     # 13 14 15
     #  #  #  #  #

Chains are circular lists of stones, with pseudo-liberties: each stone counts each empty point beside it, so that a
point may count more than once, and a chain is captured when its count is zero (Ł. Lew's libEGO, 2008). Beside the
count, a chain has the sums of its pseudo-liberties' cells and of the squares of these. All of them are one and the same
cell c if, and only if, the sums are count * c and count * c * c: so one comparison tells whether a move on c takes the
chain. The three numbers are packed into one, `liberty` being what a single cell adds.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..game import Rule
from ..jit import helper

__all__ = ["BLACK", "BORDER", "EMPTY", "WHITE", "Chains", "chains"]

EMPTY, BLACK, WHITE, BORDER = range(4)

# Where the sums stand, above the count. On 19x19 there are less than 4 * 361 pseudo-liberties, on cells below 421.
_COUNT = (1 << 11) - 1
_CELLS, _SQUARES = 11, 31


class Chains(NamedTuple):
    """What `chains` makes. ``own`` is a colour, BLACK or WHITE; cells must be empty points."""

    fields: dict[str, tuple[DTypeLike, tuple[int, ...]] | DTypeLike]  # for the state's dtype
    cell_of: NDArray[np.uint16]  # [points]
    point_of: NDArray[np.uint16]  # [cells]
    zobrist: NDArray[np.uint64]  # [3, cells] of stones, by colour; the row EMPTY is free for other uses
    setup: Rule  # setup(state): the empty board, in a zeroed record
    place: Rule  # place(state, cell, own): put a stone down, and take off what it captures
    is_legal: Rule  # is_legal(state, cell, own): whether a stone may be put there: no suicide, not on `ko`
    after: Rule  # after(state, cell, own): whether that is legal, and what `hash` would be then
    is_eye: Rule  # is_eye(state, cell, own): whether it is a single-point eye
    is_lone: Rule  # is_lone(state, cell): whether the stone there is a chain with a single pseudo-liberty
    area_balance: Rule  # area_balance(state): BLACK's area minus WHITE's


@cache
def chains(board_size: int) -> Chains:
    """Return the operations for a board of ``board_size`` points a side."""
    points, width = board_size * board_size, board_size + 1
    cells = (board_size + 2) * width + 1
    cell_of = np.array([(i // board_size + 1) * width + i % board_size + 1 for i in range(points)], np.uint16)
    point_of = np.zeros(cells, np.uint16)
    point_of[cell_of] = np.arange(points)
    liberty = np.array([1 | cell << _CELLS | cell * cell << _SQUARES for cell in range(cells)], np.int64)
    around = np.array([-width, -1, 1, width], np.int64)
    diagonals = np.array([-width - 1, -width + 1, width - 1, width + 1], np.int64)
    zobrist: Any = np.random.SeedSequence(19).generate_state(3 * cells, np.uint64).reshape(3, cells)

    def setup(state: Any) -> None:
        state.board[:] = BORDER
        state.board[cell_of] = EMPTY
        state.empty[:] = cell_of
        state.place[cell_of] = np.arange(points)
        state.empties = points

    @helper(forceinline=True)
    def is_last(state: Any, cell: int, beside: Any) -> bool:
        """Return whether ``cell`` is the last liberty of the stone ``beside``; anything if there is none."""
        liberties = state.liberties[state.head[beside]]
        return liberties == (liberties & _COUNT) * liberty[cell]

    @helper(forceinline=True)
    def is_legal(state: Any, cell: int, own: int) -> bool:
        # All four sides are looked at, without a jump: which of them decides can hardly be foreseen.
        legal = 0
        for i in range(4):
            beside = np.uint64(cell + around[i])  # unsigned: then no code asks whether it counts from the end
            stone = state.board[beside]
            taken = is_last(state, cell, beside)
            # A free point, a chain of one's own that lives on, or one of the opponent's that does not.
            legal |= (stone == EMPTY) | ((stone == own) & (not taken)) | ((stone == 3 - own) & taken)
        return (legal != 0) & (cell != state.ko)

    @helper
    def is_lone(state: Any, cell: int) -> bool:
        head = state.head[cell]
        return state.length[head] == 1 and state.liberties[head] & _COUNT == 1

    @helper
    def is_eye(state: Any, cell: int, own: int) -> bool:
        for step in around:
            stone = state.board[cell + step]
            if stone != own and stone != BORDER:
                return False
        theirs, edge = 0, 0
        for step in diagonals:
            stone = state.board[cell + step]
            if stone == BORDER:
                edge = 1
            elif stone == 3 - own:
                theirs += 1
        return theirs + edge < 2

    @helper
    def merge(state: Any, a: Any, b: Any) -> None:
        """Make one chain of two, given by their heads: the smaller one gets the other's head."""
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
        liberties = np.int64(0)
        for step in around:
            stone = state.board[cell + step]
            if stone == EMPTY:
                liberties += liberty[cell + step]
            elif stone != BORDER:
                state.liberties[state.head[cell + step]] -= liberty[cell]
        state.liberties[cell] = liberties
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

    @helper
    def hash_of_taken(state: Any, cell: int, sides: int) -> Any:
        """Return Zobrist's hash of the chains on these sides of ``cell``, given as bits."""
        found = np.uint64(0)
        for i in range(4):
            if sides >> i & 1 == 0:
                continue
            head = np.int64(state.head[cell + around[i]])
            colour, stone = state.board[head], head
            while True:
                found ^= zobrist[colour, stone]
                stone = np.int64(state.next[stone])
                if stone == head:
                    break
            for j in range(i + 1, 4):  # the same chain, met again
                beside = cell + around[j]
                if state.board[beside] == colour and state.head[beside] == head:
                    sides &= ~(1 << j)
        return found

    @helper(forceinline=True)
    def after(state: Any, cell: int, own: int) -> tuple[bool, Any]:
        found = state.hash ^ zobrist[own, cell]
        # As in `is_legal`. Most moves take nothing, and this way that is cheap to see.
        lives, sides = 0, 0
        for i in range(4):
            beside = np.uint64(cell + around[i])
            stone = state.board[beside]
            taken = is_last(state, cell, beside)
            lives |= (stone == EMPTY) | ((stone == own) & (not taken))
            sides |= ((stone == 3 - own) & taken) << i
        if sides != 0:
            found ^= hash_of_taken(state, cell, sides)
        return ((lives | sides) != 0) & (cell != state.ko), found

    @helper
    def area_balance(state: Any) -> int:
        reached = np.zeros(cells, np.uint8)  # the one array that is allocated, once a game: by BLACK, WHITE or both (3)
        changed = True
        while changed:
            changed = False
            for i in range(state.empties):
                cell = np.int64(state.empty[i])
                found = reached[cell]
                for step in around:
                    stone = state.board[cell + step]
                    if stone == EMPTY:
                        found |= reached[cell + step]
                    elif stone != BORDER:
                        found |= stone
                if found != reached[cell]:
                    reached[cell] = found
                    changed = True
        balance = 0
        for i in range(points):
            owner = state.board[cell_of[i]] | reached[cell_of[i]]
            balance += np.int64(owner == BLACK) - np.int64(owner == WHITE)
        return balance

    number = "u1" if cells <= 256 else "u2"  # small records: those of a batch of games should stay in the cache
    fields = {
        "board": ("u1", (cells,)),  # EMPTY, BLACK, WHITE or BORDER
        "head": (number, (cells,)),  # of a stone: the stone that its chain is known by
        "next": (number, (cells,)),  # of a stone: another of its chain, in a circle
        "length": (number, (cells,)),  # of a head: the stones in its chain
        "liberties": ("i8", (cells,)),  # of a head: the sum of `liberty` over the chain's pseudo-liberties
        "empty": (number, (points,)),  # the empty points, in any order; the first `empties` are in use
        "place": (number, (cells,)),  # of an empty point: where it stands in `empty`
        "empties": "i4",
        "ko": "i4",  # the cell that the simple ko forbids; 0 for none
        "hash": "u8",  # Zobrist's, of the stones
    }
    return Chains(fields, cell_of, point_of, zobrist, setup, place, is_legal, after, is_eye, is_lone, area_balance)
