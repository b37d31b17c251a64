"""Othello on bitboards. Actions are cells, numbered row by row from the top left, and last the pass.

Cell ``i`` is bit ``i``, and is named as in books, by its column's letter and its row's number from the top. Black moves
first::

       a  b  c  d  e  f  g  h
    1  0  1  2  3  4  5  6  7
    2  8  9 10 11 12 13 14 15
    3 16 17 18 19 20 21 22 23
    4 24 25 26  O  X 29 30 31      X black, O white
    5 32 33 34  X  O 37 38 39
    …

A player who cannot move passes, and may not pass otherwise; when neither can move, the game is over, with more discs
the winner. Empty squares count for nobody. The noisy moves are those into a corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definition.board import BLACK_FIRST, Board, letters
from ..definition.terms import Symmetry, state_dtype
from ..factory import game_factory
from ..game import Game
from ..jit import helper
from ..jit.bits import lowest, popcount, scattered
from ..jit.prng import below
from .discs import discs
from .features.othello import WEIGHTS, make_features

__all__ = ["othello"]

# mine: discs of the player to move; theirs: the other's discs; moves: where the player to move may place a disc
STATE = state_dtype(mine="u8", theirs="u8", moves="u8", turn="i4")

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_OF_TURN = np.uint64(0x9E3779B97F4A7C15)  # marks white to move in keys: 2⁶⁴ divided by the golden ratio


@game_factory
def othello(size: int = 8, by_discs: bool = False) -> Game:
    """Make the game of Othello.

    Args:
        size: cells along a side: 4, 6 or 8.
        by_discs: whether it counts by how many discs one wins: the utility is then own discs minus the other's,
            instead of 1 for any win.

    Raises:
        ValueError: the size is none of these.
    """
    if size not in (4, 6, 8):
        raise ValueError(f"othello needs a size of 4, 6 or 8, got {size}")
    cells = pass_action = size * size
    grid = np.arange(cells).reshape(size, size)
    bits = grid.astype(np.uint64)
    low, high = size // 2 - 1, size // 2  # the rows and columns in the middle
    corners = np.uint64(sum(1 << int(cell) for cell in grid[:: size - 1, :: size - 1].flat))
    board = np.uint64(2**cells - 1)
    centre = np.uint64(sum(1 << int(cell) for cell in grid[low : high + 1, low : high + 1].flat))
    steps, placements, turned = discs(size)
    # Over either diagonal, and half a turn.
    images = np.array([grid.T.ravel(), grid[::-1, ::-1].T.ravel(), grid[::-1, ::-1].ravel()], np.uint64)

    def setup(state: Any) -> None:
        state.mine = (_ONE << bits[low, high]) | (_ONE << bits[high, low])
        state.theirs = (_ONE << bits[low, low]) | (_ONE << bits[high, high])
        state.moves = placements(state.mine, state.theirs)

    def player(state: Any) -> int:
        return state.turn

    def legal_actions(state: Any, actions: Any) -> int:
        rest = state.moves
        count = 0
        while rest != _ZERO:
            actions[count] = lowest(rest)
            rest &= rest - _ONE
            count += 1
        if count == 0 and placements(state.theirs, state.mine) != _ZERO:
            actions[0] = pass_action
            count = 1
        return count

    def random_action(state: Any, actions: Any, rng: Any) -> int:
        rest = state.moves
        if rest == _ZERO:
            return pass_action
        for _ in range(below(rng, popcount(rest))):
            rest &= rest - _ONE
        return lowest(rest)

    def play(state: Any, action: int) -> None:
        mine, theirs = state.mine, state.theirs
        if action != pass_action:
            disc = _ONE << np.uint64(action)
            discs = turned(mine, theirs, disc)
            mine |= disc | discs
            theirs &= ~discs
        state.mine, state.theirs = theirs, mine
        state.moves = placements(theirs, mine)
        state.turn ^= 1

    def is_terminal(state: Any) -> bool:
        return state.moves == _ZERO and placements(state.theirs, state.mine) == _ZERO

    def utility(state: Any, player: int) -> float:
        balance = popcount(state.mine) - popcount(state.theirs)
        if player != state.turn:
            balance = -balance
        if by_discs:
            return float(balance)
        return 1.0 if balance > 0 else -1.0 if balance < 0 else 0.0

    def observe(state: Any, player: int, planes: Any) -> None:
        own, other = (state.mine, state.theirs) if player == state.turn else (state.theirs, state.mine)
        for row in range(size):
            for column in range(size):
                planes[row, column, 0] = (own >> bits[row, column]) & _ONE
                planes[row, column, 1] = (other >> bits[row, column]) & _ONE
                planes[row, column, 2] = player

    def noisy_actions(state: Any, actions: Any) -> int:
        rest = state.moves & corners
        count = 0
        while rest != _ZERO:
            actions[count] = lowest(rest)
            rest &= rest - _ONE
            count += 1
        return count

    @helper
    def key_of(mine: Any, theirs: Any, turn: int) -> Any:
        return scattered(scattered(mine) ^ theirs) ^ (np.uint64(turn) * _OF_TURN)

    def key(state: Any) -> Any:
        return key_of(state.mine, state.theirs, state.turn)  # `moves` follows from them

    def canonical_key(state: Any) -> Any:
        best = key_of(state.mine, state.theirs, state.turn)
        for image in images:
            mine, theirs = _ZERO, _ZERO
            for cell in range(cells):
                mine |= ((state.mine >> np.uint64(cell)) & _ONE) << image[cell]
                theirs |= ((state.theirs >> np.uint64(cell)) & _ONE) << image[cell]
            best = min(best, key_of(mine, theirs, state.turn))
        return best

    def is_valid(state: Any) -> bool:
        taken = state.mine | state.theirs
        if state.mine & state.theirs != _ZERO or taken & ~board != _ZERO or centre & ~taken != _ZERO:
            return False
        return 0 <= state.turn <= 1 and state.moves == placements(state.mine, state.theirs)

    def decode(planes: Any, state: Any) -> None:
        state.mine, state.theirs = ((_ONE << bits)[planes[:, :, plane] != 0].sum(dtype=np.uint64) for plane in (0, 1))
        state.moves = placements(state.mine, state.theirs)
        state.turn = planes[0, 0, 2]

    def pieces(state: Any) -> Any:
        black, white = (state.mine, state.theirs) if state.turn == 0 else (state.theirs, state.mine)
        return (((black >> bits) & _ONE) + 2 * ((white >> bits) & _ONE)).astype(np.int8)

    def owners(state: Any) -> Any:
        found = pieces(state).ravel()
        return (found == 1).astype(np.int8) - (found == 2)

    rows = tuple(str(row) for row in range(1, size + 1))
    return Game(
        name="othello",
        state=STATE,
        num_actions=cells + 1,
        max_plies=2 * (cells - 4) - 1,  # each disc fills a cell, and between two discs there is at most one pass
        max_utility=float(cells) if by_discs else 1.0,
        observation_shape=(size, size, 3),
        setup=setup,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        features=make_features(grid, steps, placements),
        weights=WEIGHTS,
        noisy_actions=noisy_actions,
        key=key,
        canonical_key=canonical_key,
        random_action=random_action,
        is_valid=is_valid,
        decode=decode,
        owners=owners,
        action_to_str=[*(f"{column}{row}" for row in rows for column in letters(size)), "pass"].__getitem__,
        board=Board(
            size,
            size,
            pieces,
            lambda state, action: (action,) if action < cells else (),
            "othello",
            rows,
            letters(size),
            sides=BLACK_FIRST,
        ),
        symmetries=[Symmetry(image.ravel(), np.append(image, pass_action)) for image in images],
    )
