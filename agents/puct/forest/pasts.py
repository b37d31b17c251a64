"""What the trees of a forest know of the positions of their games, where one that comes again is forbidden or drawn.

See `plyground.agents.repetitions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....envs import Game
from ....envs.jit import helper
from ....envs.repetition import exempt_of, filters_of
from ...agent import checked_past
from ...repetitions import Repeats, kept_past, times_of, with_root

__all__ = ["Keys", "Pasts", "of_row"]

_NONE = np.zeros(0, np.uint64)


class Keys(NamedTuple):
    """The repetition keys of positions, for the kernels of one search."""

    key: NDArray[np.uint64]  # [rows, nodes] at each node
    past: NDArray[np.uint64]  # [positions] before the roots, those of one search after those of the other
    ends: NDArray[np.int64]  # [searches] where they end
    seen: NDArray[np.uint64]  # [searches, 1, words] their filters
    exempt: NDArray[np.bool_]  # [num_actions] actions that may lead to any position
    after: NDArray[np.uint64]  # [rows, num_actions] scratch
    times: int | None  # as in `Repeats`


@helper
def of_row(keys: Any, r: int, place: int) -> Any:
    """Return what the tree in row ``r``, which is at this place in the search, must know; None of no keys."""
    if keys is None:
        return None
    first = keys.ends[place - 1] if place > 0 else np.int64(0)
    past = keys.past[first : keys.ends[place]]
    return Repeats(keys.key[r], None, past, keys.seen[place], keys.exempt, keys.after[r], keys.times)


class Pasts:
    """The positions of many games, a row for each.

    Args:
        game: the game.
        rows: how many trees there are.
        nodes: room in each.

    Attributes:
        keys: for the kernels.
    """

    def __init__(self, game: Game, rows: int, nodes: int) -> None:
        self._game = game
        self._before = [_NONE] * rows  # the positions before each root, itself included or not
        actions = 0 if times_of(game) else game.num_actions
        ends, after = np.zeros(0, np.int64), np.zeros((rows, actions), np.uint64)
        key = np.zeros((rows, nodes), np.uint64)
        self.keys = Keys(key, _NONE, ends, filters_of(_NONE, ends), exempt_of(game), after, times_of(game) or None)

    @property
    def nbytes(self) -> int:
        """The memory of the keys, in bytes; those of the games, which are few, not counted."""
        return self.keys.key.nbytes + self.keys.after.nbytes

    def go_on(self, rows: NDArray[np.intp], left: NDArray[np.uint64]) -> None:
        """Count the roots of the trees in these ``rows`` among the positions, after those ``left`` [rows]."""
        for row, key in zip(rows.tolist(), left, strict=True):
            self._before[row] = np.append(with_root(self._before[row], key), self.keys.key[row, 0])

    def enter(
        self, rows: NDArray[np.intp], has_tree: NDArray[np.bool_], told: Sequence[ArrayLike | None] | None
    ) -> NDArray[np.intp]:
        """Take in what the next search is told, and return the rows whose trees are of other games.

        Args:
            rows: [rows] their numbers.
            has_tree: bool [rows].
            told: [rows] the keys of the positions before the roots; None where they are not known: a tree that is kept
                then goes on with what it knows. None for all: they are not known anywhere.

        Raises:
            ValueError: there are more or fewer, or they are no keys; nothing is changed.
        """
        if told is not None and len(told) != rows.size:
            raise ValueError(f"past must have the keys of each of {rows.size} games, or None, got {len(told)}")
        pasts = [checked_past(self._game, None if told is None else told[place]) for place in range(rows.size)]
        others = list[int]()
        for place, row in enumerate(rows.tolist()):
            past = pasts[place]
            if has_tree[place]:
                kept = kept_past(self._game, self._before[row], self.keys.key[row, :1], past)
                if kept is None:
                    others.append(row)
                else:
                    past = kept
            self._before[row] = _NONE if past is None else past
        before = [self._before[row] for row in rows]
        past, ends = np.concatenate([_NONE, *before]), np.cumsum([one.size for one in before], dtype=np.int64)
        self.keys = self.keys._replace(past=past, ends=ends, seen=filters_of(past, ends))
        return np.array(others, np.intp)
