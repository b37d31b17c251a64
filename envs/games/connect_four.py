"""Connect Four on bitboards, with the conventions of ``pettingzoo.classic.connect_four_v3``. An action is a column.

A column takes ``rows + 1`` bits, from the bottom up, with a bit on top that stays empty, so that lines never wrap
around (J. Tromp's layout). On the usual board::

     6 13 20 27 34 41 48   always empty
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.board import Board
from ..definition.terms import Symmetry, state_dtype
from ..factory import game_factory
from ..game import Game
from ..jit import helper
from ..jit.bits import popcount
from .features.connect_four import WEIGHTS, make_features
from .features.runs import column_knowledge

__all__ = ["connect_four"]

STATE = state_dtype(mine="u8", theirs="u8", ply="i4")  # mine: the stones of the player to move

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@game_factory
def connect_four(rows: int = 6, columns: int = 7) -> Game:
    """Make the game of Connect Four on a board of ``rows`` x ``columns``.

    Raises:
        ValueError: a side is below 4, or the board needs more than 64 bits.
    """
    if min(rows, columns) < 4 or (rows + 1) * columns > 64:
        raise ValueError(
            "connect_four needs at least 4 rows and 4 columns, with (rows + 1) * columns <= 64: "
            f"got rows={rows}, columns={columns}"
        )
    height = np.uint64(rows + 1)
    cells = rows * columns
    top = np.array([1 << (column * (rows + 1) + rows - 1) for column in range(columns)], np.uint64)
    bits = np.array([[c * (rows + 1) + rows - 1 - r for c in range(columns)] for r in range(rows)], np.uint64)
    bottom = np.uint64(sum(1 << int(bit) for bit in bits[-1]))
    board = np.uint64(sum(1 << int(bit) for bit in bits.flat))
    steps = np.array([1, rows, rows + 1, rows + 2], np.uint64)  # from a cell up, right and down, right, right and up
    ones = np.uint64(2 ** (rows + 1) - 1)

    def player(state: Any) -> int:
        return state.ply & 1

    def legal_actions(state: Any, actions: Any) -> int:
        taken = state.mine | state.theirs
        count = 0
        for column in range(columns):
            if taken & top[column] == _ZERO:
                actions[count] = column
                count += 1
        return count

    def play(state: Any, action: int) -> None:
        column = np.uint64(action) * height
        taken = (state.mine | state.theirs) >> column  # the column's lowest cell is now the lowest bit
        stone = ((taken + _ONE) & ~taken) << column  # its lowest empty cell
        mine = state.mine
        state.mine = state.theirs
        state.theirs = mine | stone
        state.ply += 1

    @helper
    def has_four(stones: Any) -> bool:
        for step in steps:
            pairs = stones & (stones >> step)
            if pairs & (pairs >> (step + step)) != _ZERO:
                return True
        return False

    def is_terminal(state: Any) -> bool:
        return state.ply == cells or has_four(state.theirs)

    def utility(state: Any, player: int) -> float:
        if not has_four(state.theirs):
            return 0.0
        return -1.0 if player == state.ply & 1 else 1.0

    def observe(state: Any, player: int, planes: Any) -> None:
        to_move = player == state.ply & 1
        own, other = (state.mine, state.theirs) if to_move else (state.theirs, state.mine)
        for row in range(rows):
            for column in range(columns):
                planes[row, column, 0] = (own >> bits[row, column]) & _ONE
                planes[row, column, 1] = (other >> bits[row, column]) & _ONE

    @helper
    def key(state: Any) -> Any:
        # In each column a one marks the lowest empty cell; below it, a one is a stone of the player to move (J. Tromp).
        return state.mine + (state.mine | state.theirs) + bottom

    def canonical_key(state: Any) -> Any:
        left_to_right, mirrored = key(state), _ZERO
        for column in range(columns):
            part = (left_to_right >> (np.uint64(column) * height)) & ones
            mirrored |= part << (np.uint64(columns - 1 - column) * height)
        return min(left_to_right, mirrored)

    def is_valid(state: Any) -> bool:
        mine, theirs, ply = state.mine, state.theirs, np.int64(state.ply)
        taken = mine | theirs
        # One more at the bottom of each column moves up to its lowest empty cell, if no stone floats above that.
        if taken & ~board != _ZERO or mine & theirs != _ZERO or taken & (taken + bottom) != _ZERO:
            return False
        if popcount(theirs) != (ply + 1) // 2 or popcount(mine) != ply // 2 or has_four(mine):
            return False
        if not has_four(theirs):
            return True
        for column in range(columns):  # the move that won is on top of a column
            last = (((taken + bottom) & (ones << (np.uint64(column) * height))) >> _ONE) & theirs
            if last != _ZERO and not has_four(theirs ^ last):
                return True
        return False

    def decode(planes: Any, state: Any) -> None:
        values = np.uint64(1) << bits
        state.mine, state.theirs = (values[plane != 0].sum(dtype=np.uint64) for plane in np.moveaxis(planes, 2, 0))
        state.ply = np.count_nonzero(planes)

    def pieces(state: Any) -> Any:
        first, second = (state.mine, state.theirs) if state.ply % 2 == 0 else (state.theirs, state.mine)
        return (((first >> bits) & _ONE) + 2 * ((second >> bits) & _ONE)).astype(np.int8)

    def landing(state: Any, action: int) -> tuple[int, ...]:
        row = np.count_nonzero(pieces(state)[:, action] == 0) - 1
        return (int(row) * columns + action,) if row >= 0 else ()

    cells_mirrored = np.arange(rows * columns).reshape(rows, columns)[:, ::-1].ravel()
    return Game(
        name="connect_four",
        state=STATE,
        num_actions=columns,
        max_plies=cells,
        observation_shape=(rows, columns, 2),
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        knowledge=column_knowledge(rows, columns),
        features=make_features(bits, steps),
        weights=WEIGHTS,
        key=key,
        canonical_key=canonical_key,
        is_valid=is_valid,
        decode=decode,
        board=Board(
            rows, columns, pieces, landing, "holes", column_labels=tuple(str(column) for column in range(columns))
        ),
        symmetries=[Symmetry(cells_mirrored, np.arange(columns)[::-1].copy())],
    )
