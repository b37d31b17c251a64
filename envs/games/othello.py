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
the winner. Empty squares count for nobody.

Runs of discs are followed from all cells at once, and in a number of steps that is the logarithm of their length (the
parallel prefix of P. M. Kogge and H. S. Stone, IEEE Transactions on Computers 22, 1973, on bitboards).

The evaluation weighs seven features, most of them Rosenbloom's or near to his. A count is what one side has more than
the other, and where it is divided by less than all there could be, it ends at ±1:

===========  ===================================================================================================
mobility     legal moves, by all of both sides (the formula of P. Norvig, Paradigms of Artificial Intelligence
             Programming, 1992, section 18.12)
frontier     discs next to an empty cell, by all such discs; fewer are better, for they give the other side moves
corners      corners, by 2
stability    discs on the edges in an unbroken row from a corner of their colour, which no move can turn, by 8;
             corners count here too
x_squares    discs diagonally next to an empty corner, by 2; fewer are better, for they give the corner away
c_squares    discs on an edge next to an empty corner, by 4; fewer are better
discs        discs, by a quarter of the cells
===========  ===================================================================================================

(P. S. Rosenbloom, "A world-championship-level Othello program", Artificial Intelligence 19, 1982.) The weights started
as those of a logistic regression of results on features, over games of the search against itself, and matches decided
between them. Noisy are the moves into a corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..board import Board, letters
from ..evaluation import lead
from ..factory import game_factory
from ..game import Game, Symmetry, state_dtype
from ..jit import helper
from ..jit.bits import lowest, popcount, scattered
from ..jit.prng import below

__all__ = ["othello"]

# The discs of the player to move and of the other; where the player to move may place one; who that is.
STATE = state_dtype(mine="u8", theirs="u8", moves="u8", turn="i4")

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_OF_TURN = np.uint64(0x9E3779B97F4A7C15)  # in the keys of white's positions: 2⁶⁴ divided by the golden ratio


@helper
def run_up(start: Any, over: Any, step: Any) -> Any:
    """Return the bits of ``over`` in an unbroken run from a bit of ``start``, up to 6 long, towards higher bits."""
    run = over & (start << step)
    run |= over & (run << step)
    pairs, two = over & (over << step), step + step
    run |= pairs & (run << two)
    return run | (pairs & (run << two))


@helper
def run_down(start: Any, over: Any, step: Any) -> Any:
    """Do the same towards lower bits."""
    run = over & (start >> step)
    run |= over & (run >> step)
    pairs, two = over & (over >> step), step + step
    run |= pairs & (run >> two)
    return run | (pairs & (run >> two))


@game_factory
def othello(size: int = 8, by_discs: bool = False) -> Game:
    """Make the game of Othello.

    Args:
        size: of the board's side: 4, 6 or 8.
        by_discs: what counts is by how many discs one wins: the utility is own discs minus the other's, instead of 1
            for any win.

    Raises:
        ValueError: the size is another.
    """
    if size not in (4, 6, 8):
        raise ValueError(f"othello needs a size of 4, 6 or 8, got {size}")
    cells = size * size
    grid = np.arange(cells).reshape(size, size)
    bits = grid.astype(np.uint64)
    pass_action = cells
    board = np.uint64(2**cells - 1)
    sides = (grid[0], grid[-1], grid[:, 0], grid[:, -1])
    corners = np.uint64(sum(1 << int(cell) for cell in grid[:: size - 1, :: size - 1].flat))
    inner = np.uint64(sum(1 << int(cell) for cell in grid[:, 1:-1].flat))  # all columns but the first and the last
    top, bottom, left, right = (np.uint64(sum(1 << int(cell) for cell in side)) for side in sides)
    x_squares = np.uint64(sum(1 << int(cell) for cell in grid[1 : -1 : size - 3, 1 : -1 : size - 3].flat))
    steps = np.array([1, size - 1, size, size + 1], np.uint64)  # to the right, down left, down, down right
    between = np.array([inner, inner, board, inner], np.uint64)  # where a run may pass, so that none wraps around
    scale = float(cells) if by_discs else 1.0
    # Over either diagonal, and half a turn.
    images = np.array([grid.T.ravel(), grid[::-1, ::-1].T.ravel(), grid[::-1, ::-1].ravel()], np.uint64)

    @helper
    def placements(own: Any, other: Any) -> Any:
        ends = _ZERO
        for i in range(4):
            step, over = steps[i], other & between[i]
            ends |= (run_up(own, over, step) << step) | (run_down(own, over, step) >> step)
        return ends & board & ~(own | other)

    @helper
    def turned(own: Any, other: Any, disc: Any) -> Any:
        """Return the discs of ``other`` between the new disc and others of ``own``."""
        discs = _ZERO
        for i in range(4):
            step, over = steps[i], other & between[i]
            up, down = run_up(disc, over, step), run_down(disc, over, step)
            if (up << step) & own != _ZERO:
                discs |= up
            if (down >> step) & own != _ZERO:
                discs |= down
        return discs

    def setup(state: Any) -> None:
        low, high = size // 2 - 1, size // 2
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

    @helper
    def next_to(some: Any) -> Any:
        """Return the cells next to ``some`` in any of the eight directions, and perhaps some of these themselves."""
        row = some | ((some & ~right) << steps[0]) | ((some & ~left) >> steps[0])
        return row | (row << steps[2]) | (row >> steps[2])

    @helper
    def anchored(own: Any) -> Any:
        """Return the discs of ``own`` on the edges that no move can turn: from a corner on, in an unbroken row."""
        held = own & corners
        if held == _ZERO:
            return held
        across, down = own & (top | bottom), own & (left | right)
        found = held | run_up(held, across, steps[0]) | run_down(held, across, steps[0])
        return found | run_up(held, down, steps[2]) | run_down(held, down, steps[2])

    def features(state: Any, player: int) -> tuple[float, ...]:
        mine, theirs = state.mine, state.theirs
        own, other = popcount(state.moves), popcount(placements(theirs, mine))
        mobility = (own - other) / (own + other + 2.0)
        empty = board & ~(mine | theirs)
        exposed = next_to(empty)
        own, other = popcount(mine & exposed), popcount(theirs & exposed)
        frontier = (other - own) / (own + other + 2.0)
        own_corners, other_corners = popcount(mine & corners), popcount(theirs & corners)
        own_stable, other_stable = popcount(anchored(mine)), popcount(anchored(theirs))
        risky = next_to(empty & corners)
        own_x, other_x = popcount(mine & risky & x_squares), popcount(theirs & risky & x_squares)
        own_c, other_c = popcount(mine & risky & ~x_squares), popcount(theirs & risky & ~x_squares)
        sign = 1.0 if player == state.turn else -1.0
        return (
            sign * mobility,
            sign * frontier,
            lead(sign * own_corners, sign * other_corners, 2.0),
            lead(sign * own_stable, sign * other_stable, 8.0),
            lead(sign * other_x, sign * own_x, 2.0),
            lead(sign * other_c, sign * own_c, 4.0),
            lead(sign * popcount(mine), sign * popcount(theirs), cells / 4),
        )

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

    def decode(planes: Any, state: Any) -> None:
        values = _ONE << bits
        state.mine, state.theirs = (values[planes[:, :, plane] != 0].sum(dtype=np.uint64) for plane in (0, 1))
        state.moves = placements(state.mine, state.theirs)
        state.turn = planes[0, 0, 2]

    def pieces(state: Any) -> Any:
        black, white = (state.mine, state.theirs) if state.turn == 0 else (state.theirs, state.mine)
        return (((black >> bits) & _ONE) + 2 * ((white >> bits) & _ONE)).astype(np.int8)

    names = [f"{column}{row}" for row in range(1, size + 1) for column in letters(size)] + ["pass"]
    return Game(
        name="othello",
        state=STATE,
        num_actions=cells + 1,
        max_plies=2 * (cells - 4) - 1,  # each disc fills a cell, and between two discs there is at most one pass
        max_utility=scale,
        observation_shape=(size, size, 3),
        setup=setup,
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        observe=observe,
        features=features,
        weights={
            "mobility": 0.22,
            "frontier": 0.18,
            "corners": 0.19,
            "stability": 0.12,
            "x_squares": 0.16,
            "c_squares": 0.05,
            "discs": 0.02,
        },
        noisy_actions=noisy_actions,
        key=key,
        canonical_key=canonical_key,
        random_action=random_action,
        decode=decode,
        action_to_str=names.__getitem__,
        board=Board(
            rows=size,
            columns=size,
            pieces=pieces,
            cells=lambda state, action: (action,) if action != pass_action else (),
            style="othello",
            row_labels=tuple(str(row) for row in range(1, size + 1)),
            column_labels=letters(size),
        ),
        symmetries=[Symmetry(image.ravel(), np.append(image, pass_action)) for image in images],
    )
