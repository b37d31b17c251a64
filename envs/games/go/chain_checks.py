"""Whether the record of a Go board is what play can have left there: the chains, their liberties, and the ko.

All of it follows from the board, and is found again from there; nothing is read at a place that has not been checked.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...definition.terms import Rule
from ...jit import helper
from ..points import BORDER, EMPTY, WHITE, points
from .liberties import liberties

__all__ = ["ChainChecks", "chain_checks"]


class ChainChecks(NamedTuple):
    """What `chain_checks` makes, for states with the fields of `plyground.envs.games.go.chains`."""

    chains_agree: Rule  # chains_agree(state): whether all fields but `ko` agree with the board
    ko_agrees: Rule  # ko_agrees(state, own): whether ``own`` can have lost a stone on `ko`, where chains agree


@cache
def chain_checks(board_size: int) -> ChainChecks:
    """Return the questions for a board of ``board_size`` points a side."""
    num_points, cells, cell_of, _, around, _, zobrist = points(board_size)
    liberty, is_lone = liberties(board_size)[:2]
    is_point = np.zeros(cells, np.bool_)
    is_point[cell_of] = True

    @helper
    def board_agrees(state: Any) -> bool:
        """Return whether each cell holds what it may, and the hash and the list of empty points are the board's."""
        empties, found = 0, state.hash
        for cell in range(cells):
            stone = state.board[cell]
            if (
                state.head[cell] >= cells
                or (is_point[cell] and stone > WHITE)
                or (not is_point[cell] and stone != BORDER)
            ):
                return False
            if stone == EMPTY:
                empties += 1
            elif stone != BORDER:
                found ^= zobrist[stone, cell]
        if state.empties != empties or found != 0:
            return False
        for i in range(empties):
            cell = np.int64(state.empty[i])
            if cell >= cells or state.board[cell] != EMPTY or state.place[cell] != i:
                return False
        return True

    @helper
    def stones_of(state: Any, head: int, marks: Any, stack: Any) -> int:
        """Return the number of stones connected with that on ``head``, or 0 if their records do not agree with it.

        ``marks`` [cells] are 1 for stones that have been seen; ``stack`` [points] is room to work in.
        """
        colour, count, free, waiting = state.board[head], 0, np.int64(0), 1
        stack[0], marks[head] = head, 1
        while waiting > 0:
            waiting -= 1
            stone = np.int64(stack[waiting])
            count += 1
            if state.head[stone] != head:
                return 0
            for step in around:
                beside = stone + step
                if state.board[beside] == EMPTY:
                    free += liberty[beside]
                elif state.board[beside] == colour and marks[beside] == 0:
                    stack[waiting], marks[beside] = beside, 1
                    waiting += 1
        if state.length[head] != count or state.liberties[head] != free or free == 0:
            return 0
        # The circle comes back to the head after as many stones, and not before.
        stone = head
        for i in range(count):
            stone = np.int64(state.next[stone])
            if stone >= cells or marks[stone] == 0 or state.head[stone] != head or (stone == head) != (i == count - 1):
                return 0
        return count

    @helper
    def chains_agree(state: Any) -> bool:
        if not board_agrees(state):
            return False
        marks, stack = np.zeros(cells, np.uint8), np.zeros(num_points, np.uint16)
        stones = 0
        for point in range(num_points):
            cell = np.int64(cell_of[point])
            if state.board[cell] != EMPTY and state.head[cell] == cell:
                count = stones_of(state, cell, marks, stack)
                if count == 0:
                    return False
                stones += count
        return stones == num_points - state.empties  # every stone belongs to a head

    @helper
    def ko_agrees(state: Any, own: int) -> bool:
        if not 0 <= state.ko < cells or state.board[state.ko] != EMPTY:
            return False
        taker = False  # whether a stone beside can have taken one here, and no more
        for step in around:
            beside = state.ko + step
            stone = state.board[beside]
            if stone != 3 - own and stone != BORDER:
                return False
            if stone == 3 - own and is_lone(state, beside):
                taker = True
        return taker

    return ChainChecks(chains_agree, ko_agrees)
