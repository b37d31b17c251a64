"""The kernel of the Connect Four solver: null-window negamax on bitboards, made anew for each size of board.

A score counts the stones that the winner, with best play, still holds before the stone that completes the line. It is
positive if the player to move wins, negative if the other side does, 0 for a draw. So the winner hastens and the loser
delays.

Stones lie as in `plyground.envs.games.connect_four`: a column takes ``rows + 1`` bits, from the bottom up. A position
is the stones of the player to move and all stones; the key, their sum, is exact (J. Tromp). What the search knows:

- A player who can win at once does. One who faces such a win of the other side blocks it. Nobody plays below a winning
  cell of the other side. Where no move is left that keeps to this, the game is lost two plies on (P. Pons).
- Moves that make more winning cells go first, then moves in the middle columns (P. Pons). While moves are listed, one
  after which the other side cannot avoid the loss is found without a visit.
- A side that could not make four in a line even with all empty cells cannot win.
- The table holds a lower and an upper bound of each position. An entry takes 64 bits: the part of the scrambled key
  that its place does not tell, both bounds, and the number of the table's filling. Raising that number empties the
  table.
- In the opening, mirrored positions share an entry.
- While moves are listed, the table is asked about what each leads to (enhanced transposition cut-offs: J. Schaeffer and
  A. Plaat, "New advances in alpha-beta searching", ACM Computer Science Conference, 1996).

Sources: P. Pons, "Solving Connect 4: how to build a perfect AI", blog.gamesolver.org (2015-2019); J. Tromp, "John's
Connect Four Playground", tromp.github.io/c4/c4.html, and his program Fhourstones. The code is our own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs.jit import helper, kernel
from ....envs.jit.bits import popcount
from ...search import table_memory

__all__ = ["LIMIT", "NODES", "STOP", "UNKNOWN", "Layout", "Workspace", "layout", "new_workspace", "score_kernel"]

# Places in `Workspace.counts`: positions visited, positions to visit at most, and whether to give up.
NODES, LIMIT, STOP = range(3)
UNKNOWN = 127  # the score of a search that was stopped; no board has so many cells

_ZERO, _ONE, _TWO, _THREE = (np.uint64(n) for n in range(4))
_SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)  # odd: a product with it, of as many bits as the key, tells the key
_BOUND_BITS, _BOUND = np.uint64(7), np.uint64(0x7F)
_BOTH_BITS, _BOTH = np.uint64(14), np.uint64(0x3FFF)
_BIAS = 64  # added to bounds, which may be negative
_FEW = 6  # empty cells: with no more, a position is searched faster than looked up
_FEW_AHEAD = 14  # empty cells: with no more, it is searched faster than looked up from the position before


class Layout(NamedTuple):
    """How keys and table entries lie in 64 bits, the lowest first: lower bound 7, upper bound 7, tag, filling."""

    key_bits: int  # bits of a key
    least_slot_bits: int  # b: a table has at least 2 ** b slots
    tag_bits: int  # bits of the tag, the lowest of the scrambled key
    fillings: int  # the number of fillings that can be told apart


class Workspace(NamedTuple):
    """The arrays of a search, allocated once."""

    table: NDArray[np.uint64]  # [slots] the entries; slots are a power of two
    boards: NDArray[np.uint64]  # [plies, columns + 1, 3] move, threats after it, weight; last: own, taken, tag
    marks: NDArray[np.int64]  # [plies, 4] number of moves, number of moves tried, slot, best score
    counts: NDArray[np.int64]  # [3] see `NODES`, `LIMIT` and `STOP`


def layout(rows: int, columns: int) -> Layout:
    """Return the layout for a board."""
    key_bits = (rows + 1) * columns
    least = max(14, key_bits - 43)  # so that 7 bits at least are left for the filling
    tag_bits = max(key_bits - least, 0)
    return Layout(key_bits, least, tag_bits, 1 << min(64 - 14 - tag_bits, 20))


def new_workspace(rows: int, columns: int, table_mb: float) -> Workspace:
    """Allocate the arrays for a board, with the largest power of two of slots that fits, at least 128 kB.

    Raises:
        MemoryError: there is no memory for them.
    """
    shape = layout(rows, columns)
    with table_memory(table_mb):
        bits = max(int(min(float(table_mb) * 2**17, 2**63)).bit_length() - 1, shape.least_slot_bits)
        table = np.zeros(1 << min(bits, max(shape.key_bits, shape.least_slot_bits)), np.uint64)
    cells = rows * columns
    counts = np.array([0, np.iinfo(np.int64).max, 0])
    return Workspace(
        table,
        np.zeros((cells, columns + 1, 3), np.uint64),
        np.zeros((cells, 4), np.int64),
        counts,
    )


@cache
def score_kernel(rows: int, columns: int) -> Callable[..., Any]:
    """Return the kernel ``score(own, taken, stones, slot_bits, filling, w) -> int`` for a board.

    The kernel returns the score of a position in which nobody has won, or `UNKNOWN` if the search was stopped. The
    table keeps what was found; entries of other fillings count as free. The arguments, all of fixed types, are:

    - own, taken: ``uint64``, the stones of the player to move, and all stones.
    - stones: int, the number of stones.
    - slot_bits: ``uint64``, b: the search uses 2 ** b slots. A small search is faster in few slots, which the
      processor's cache holds; an entry is true wherever it lies.
    - filling: ``uint64``, from 1 to ``layout.fillings - 1``.
    - w: the `Workspace`.
    """
    shape = layout(rows, columns)
    cells = rows * columns
    up, down, flat, rise = (np.uint64(n) for n in (1, rows, rows + 1, rows + 2))  # steps from a cell to the next
    bottom = np.uint64(sum(1 << column * (rows + 1) for column in range(columns)))
    board = np.uint64(int(bottom) * ((1 << rows) - 1))
    from_middle = sorted(range(columns), key=lambda column: abs(2 * column - columns + 1))
    column_cells = np.array([((1 << rows) - 1) << column * (rows + 1) for column in from_middle], np.uint64)
    key_bits, key_ones = np.uint64(shape.key_bits), np.uint64((1 << shape.key_bits) - 1)
    tag_ones, filling_shift = np.uint64((1 << shape.tag_bits) - 1), np.uint64(14 + shape.tag_bits)
    folded_below = 2 * columns - 2  # stones: with more, mirrored positions hardly ever meet
    column_ones = np.uint64((1 << (rows + 1)) - 1)

    def sized(function: Callable[..., Any]) -> Callable[..., Any]:
        """Put the size into a function's name: machine code of two sizes, loaded from disk, must not share a name."""
        function.__qualname__ += f"_{rows}x{columns}"
        return function

    @helper
    @sized
    def completing(stones: Any, step: Any) -> Any:
        """Return the cells that complete four in a line with this step; some are taken or off the board."""
        two, three = step + step, step + step + step
        pairs = stones & (stones >> step)  # the lower of two neighbours
        triples = pairs & (stones >> two)
        cells = (triples << three) | (triples >> step)
        return cells | (pairs & (stones >> three)) << two | ((pairs >> two) & stones) << step

    @helper
    @sized
    def winning_cells(stones: Any, taken: Any) -> Any:
        """Return the empty cells with which ``stones`` make four in a line."""
        cells = (stones << up) & (stones << _TWO) & (stones << _THREE)
        cells |= completing(stones, down) | completing(stones, flat) | completing(stones, rise)
        return cells & (board ^ taken)

    @helper
    @sized
    def has_four(stones: Any) -> bool:
        pairs = stones & (stones >> flat)
        found = pairs & (pairs >> (flat + flat))
        pairs = stones & (stones >> down)
        found |= pairs & (pairs >> (down + down))
        pairs = stones & (stones >> rise)
        found |= pairs & (pairs >> (rise + rise))
        pairs = stones & (stones >> up)
        return found | (pairs & (pairs >> _TWO)) != _ZERO

    @helper
    @sized
    def folded(key: Any) -> Any:
        """Return the key that a position shares with its mirror image."""
        mirrored = _ZERO
        for column in range(columns):
            part = (key >> np.uint64(column * (rows + 1))) & column_ones
            mirrored |= part << np.uint64((columns - 1 - column) * (rows + 1))
        return min(key, mirrored)

    @helper
    @sized
    def place_and_tag(key, stones, shift, filling):
        """Return the slot of a position, and how its entry begins."""
        if stones < folded_below:
            key = folded(key)
        scrambled = (key * _SCRAMBLE) & key_ones
        return np.int64(scrambled >> shift), (filling << filling_shift) | ((scrambled & tag_ones) << _BOTH_BITS)

    @helper
    def upper_bound(entry):
        return np.int64((entry >> _BOUND_BITS) & _BOUND) - _BIAS

    @helper
    @sized
    def bound(own, taken, threats, stones, alpha, slot_bits, filling, w):
        """Return a score that is at most α and an upper bound, or above α and a lower bound; or `UNKNOWN`.

        The player to move cannot win at once, the other side would win at ``threats``, and nobody has won. The
        recursion is written as a loop, a position's share of the stack being ``w.boards[ply]`` and ``w.marks[ply]``.
        """
        shift = key_bits - slot_bits
        nodes, ply = w.counts[NODES], 0
        while True:
            # Step 1. Enter a position, and see whether the stones alone answer.
            nodes += 1
            left = cells - stones
            playable = (taken + bottom) & board
            forced = playable & threats
            moves = playable & ~(threats >> up)
            if forced != _ZERO:
                moves &= forced if forced & (forced - _ONE) == _ZERO else _ZERO
            score, most, least = UNKNOWN, (left - 1) // 2, -((left - 2) // 2)
            if moves == _ZERO:
                score = -(left // 2)
            elif left <= 2:
                score = 0
            elif most <= alpha:
                score = most
            elif least > alpha:
                score = least
            elif (alpha >= 0 and not has_four((board ^ taken) | own)) or (alpha < 0 and not has_four(board ^ own)):
                score = 0

            # Step 2. Ask the table.
            slot, tag = np.int64(0), _ZERO
            if score == UNKNOWN and left > _FEW:
                slot, tag = place_and_tag(own + taken, stones, shift, filling)
                entry = w.table[slot]
                if entry & ~_BOTH == tag:
                    upper, lower = upper_bound(entry), np.int64(entry & _BOUND) - _BIAS
                    if upper <= alpha:
                        score = upper
                    elif lower > alpha:
                        score = lower

            # Step 3. List the moves, those with the most winning cells first.
            count = 0
            if score == UNKNOWN:
                if nodes >= w.counts[LIMIT] or w.counts[STOP] != 0:
                    w.counts[NODES] = nodes
                    return UNKNOWN
                for column in range(columns):
                    move = moves & column_cells[column]
                    if move == _ZERO:
                        continue
                    wins = winning_cells(own | move, taken | move)
                    replies = ((taken | move) + bottom) & board & wins
                    if replies & (replies - _ONE) != _ZERO or (replies << up) & wins != _ZERO:
                        score = most  # two wins next, or one above the other
                        break
                    if left > _FEW_AHEAD:
                        place, next_tag = place_and_tag((own ^ taken) + (taken | move), stones + 1, shift, filling)
                        entry = w.table[place]
                        if entry & ~_BOTH == next_tag and -upper_bound(entry) > alpha:
                            score = -upper_bound(entry)
                            break
                    weight = np.uint64(popcount(wins))
                    i = count
                    while i > 0 and w.boards[ply, i - 1, 2] < weight:
                        for part in range(3):
                            w.boards[ply, i, part] = w.boards[ply, i - 1, part]
                        i -= 1
                    w.boards[ply, i, 0], w.boards[ply, i, 1], w.boards[ply, i, 2] = move, wins, weight
                    count += 1

            if score == UNKNOWN:
                tried = 0
                w.boards[ply, columns, 0], w.boards[ply, columns, 1], w.boards[ply, columns, 2] = own, taken, tag
                w.marks[ply, 0], w.marks[ply, 2], w.marks[ply, 3] = count, slot, -_BIAS
            else:
                # Step 4. Go back to the last position with a move to try, remembering what those after it are worth.
                while True:
                    if ply == 0:
                        w.counts[NODES] = nodes
                        return score
                    ply, stones, alpha = ply - 1, stones - 1, -alpha - 1
                    score = max(-score, w.marks[ply, 3])
                    w.marks[ply, 3] = score
                    tried = w.marks[ply, 1]
                    if score <= alpha and tried < w.marks[ply, 0]:
                        break
                    if cells - stones > _FEW:
                        slot, tag = w.marks[ply, 2], w.boards[ply, columns, 2]
                        entry = w.table[slot]
                        lower_bits, upper_bits = _ZERO, _BOUND
                        if entry & ~_BOTH == tag:
                            lower_bits, upper_bits = entry & _BOUND, (entry >> _BOUND_BITS) & _BOUND
                        if score > alpha:
                            lower_bits = np.uint64(score + _BIAS)
                        else:
                            upper_bits = np.uint64(score + _BIAS)
                        w.table[slot] = tag | (upper_bits << _BOUND_BITS) | lower_bits
                own, taken = w.boards[ply, columns, 0], w.boards[ply, columns, 1]

            # Step 5. Make the next move.
            w.marks[ply, 1] = tried + 1
            move, threats = w.boards[ply, tried, 0], w.boards[ply, tried, 1]
            own, taken = own ^ taken, taken | move
            ply, stones, alpha = ply + 1, stones + 1, -alpha - 1

    @kernel
    @sized
    def score(own, taken, stones, slot_bits, filling, w):
        left = cells - stones
        if left == 0:
            return 0
        if winning_cells(own, taken) & (taken + bottom) & board != _ZERO:
            return (left + 1) // 2
        threats = winning_cells(own ^ taken, taken)
        lower, upper = -(left // 2), (left - 1) // 2
        while lower < upper:
            # First find who wins, then how soon, beginning with late wins, which are the cheapest to prove.
            if lower < 0 <= upper:
                middle = 0 if upper > 0 else -1
            elif lower >= 0:
                middle = lower + (upper - lower - 1) // 2
            else:
                middle = upper - 1 - (upper - lower - 1) // 2
            found = bound(own, taken, threats, stones, middle, slot_bits, filling, w)
            if found == UNKNOWN:
                return UNKNOWN
            if found > middle:
                lower = found
            else:
                upper = found
        return lower

    return score
