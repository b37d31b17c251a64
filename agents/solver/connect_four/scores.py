"""The exact values of Connect Four positions: the kernel, its table, and a book of the opening.

The book holds the scores of all positions of the first plies; mirror images share one. It is made by
`plyground.agents.solver.connect_four.book`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs import Game, State, connect_four
from ....envs.definition.identity import has_rules_of
from ....envs.jit import bind
from ...clock import run_with_stop
from .kernel import LIMIT, NODES, STOP, UNKNOWN, layout, new_workspace, score_kernel

__all__ = ["BOOK", "Book", "ConnectFourScores", "canonical_key", "distance_of", "is_connect_four", "load_book"]

BOOK = Path(__file__).parent / "data" / "connect_four.npz"
_SOON = 34  # empty cells: positions with no more of them take a second at most
_SHORT = 200_000  # positions to visit in the main thread, where nothing can interrupt the search: some 20 ms


class Book(NamedTuple):
    """Scores of all positions of the first plies of 7x6."""

    plies: int  # the most plies played in a position of the book
    keys: NDArray[np.uint64]  # [positions] ascending, from `canonical_key`
    scores: NDArray[np.int8]  # [positions]

    def score(self, key: int) -> int | None:
        """Return the score of a position; None for one to which no game leads, which is not in the book."""
        wanted = np.uint64(key)
        place = int(np.searchsorted(self.keys, wanted))
        return int(self.scores[place]) if place < self.keys.size and self.keys[place] == wanted else None


@cache
def load_book(path: Path = BOOK) -> Book | None:
    """Return the book in a file; None where there is no such file."""
    if not path.exists():
        return None
    with np.load(path) as data:
        return Book(int(data["plies"]), data["keys"], data["scores"])


def is_connect_four(game: Game) -> bool:
    """Return whether a game is Connect Four by its rules, on any board, however it is seen and evaluated."""
    return has_rules_of(game, connect_four)


def distance_of(score: int, left: int) -> int:
    """Return the plies to the end of a game with this score and ``left`` empty cells."""
    if score == 0:
        return left
    distance = left - 2 * (abs(score) - 1)  # or one less: the winner moves last
    return distance if distance % 2 == int(score > 0) else distance - 1


def canonical_key(game: Game, state: State) -> int:
    """Return the least of the keys of a Connect Four position and its mirror image."""
    height = game.parameters["rows"] + 1
    key, ones = int(game.key(state)), (1 << height) - 1
    columns = [key >> height * column & ones for column in range(game.parameters["columns"])]
    return min(key, sum(part << height * place for place, part in enumerate(reversed(columns))))


class ConnectFourScores:
    """Exact scores of Connect Four positions, as `plyground.agents.solver.connect_four.kernel` defines them.

    Args:
        game: Connect Four, on any board.
        table_mb: megabytes for the transposition table, which takes the largest power of two that fits.
        book: whether to look positions up in the opening book; only 7x6 has one.

    Attributes:
        nodes: positions visited since this object was made.
        on_progress: called ten times a second with the positions visited, and the megabytes in use.
    """

    def __init__(self, game: Game, table_mb: float = 64, book: bool = True) -> None:
        self.game = game
        rows, columns = game.parameters["rows"], game.parameters["columns"]
        self.nodes = 0
        self.on_progress: Callable[[int, float], object] | None = None
        self._cells = rows * columns
        self._shape = layout(rows, columns)
        self._workspace = new_workspace(rows, columns, table_mb)
        self._bits = int(self._workspace.table.size).bit_length() - 1
        self._slot_bits = [np.uint64(self._bits_for(left)) for left in range(self._cells + 1)]
        self._filling = 1
        self._book = load_book() if book and (rows, columns) == (6, 7) else None
        zero = np.uint64(0)
        self._score = bind(score_kernel(rows, columns), zero, zero, 0, zero, zero, self._workspace)

    def _bits_for(self, left: int) -> int:
        """Return the power of two of the slots to use with ``left`` empty cells: as few as hardly add visits."""
        return max(self._shape.least_slot_bits, min(self._bits, 14 + max(left - 20, 0) * 2 // 5 + max(left - 31, 0)))

    def compile(self) -> None:
        """Nothing is left to compile: the kernel was bound when this was made."""

    def clear(self) -> None:
        """Empty the table, at no cost: entries of earlier fillings count as free."""
        self._filling += 1
        if self._filling == self._shape.fillings:
            self._workspace.table[:] = 0
            self._filling = 1

    def score(self, state: State) -> int:
        """Return the score of a position in which nobody has won.

        Raises:
            KeyboardInterrupt: after Ctrl-C; scores found so far stay in the table.
        """
        stones = int(state["ply"])
        if self._book is not None and stones <= self._book.plies:
            found = self._book.score(canonical_key(self.game, state))
            if found is not None:
                return found
        own, w = state["mine"], self._workspace
        arguments: Any = (own, own | state["theirs"], stones, self._slot_bits[self._cells - stones])
        counts = w.counts
        counts[NODES], counts[LIMIT], counts[STOP] = 0, _SHORT, 0
        found = self._score(*arguments, np.uint64(self._filling), w)
        if found == UNKNOWN:
            counts[LIMIT] = np.iinfo(np.int64).max
            found = run_with_stop(
                lambda: self._score(*arguments, np.uint64(self._filling), w), counts[STOP:], tell=self._tell
            )
        self.nodes += int(counts[NODES])
        return found

    def _tell(self) -> None:
        if self.on_progress is not None:
            w = self._workspace
            self.on_progress(self.nodes + int(w.counts[NODES]), w.table.nbytes / 2**20)

    def is_soon_solved(self, plies: int) -> bool:
        """Return whether positions after ``plies`` plies are in the book, or take a second at most."""
        return (self._book is not None and plies <= self._book.plies) or self._cells - plies <= _SOON

    def value(self, state: State) -> tuple[float, int]:
        """Return the value for the player to move, 1, 0 or -1, and the plies to the end of the game.

        Nobody may have won.
        """
        score = self.score(state)
        return float(np.sign(score)), distance_of(score, self._cells - int(state["ply"]))
