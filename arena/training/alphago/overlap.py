"""Held-out positions that were learned too.

The games are split, and not their positions: no game is on both sides, but games meet, by transposition, as mirror
images, and in their first plies. What a policy says of such a position it may have learned by heart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs import Game
from ....envs.jit import kernel
from ...formats import read_records
from ...records.record import GameRecord
from .part import Run
from .records import chosen_plies

__all__ = ["also_learned", "marks_of_others"]

_ROWS = 256  # games that are replayed side by side


def also_learned(run: Run) -> NDArray[np.bool_]:
    """Return [held-out games, plies] whether a player chose a move there, and in the same position of a learned game.

    Positions are the same if `Game.canonical_key` is: mirror images are, in the games whose rules tell.
    """
    learned, held_out = (list(read_records(run.path / "records" / f"{name}.jsonl")) for name in ("learned", "held_out"))
    known = np.unique(np.concatenate([keys for _, _, keys in _keys(run.game, learned)]))
    found = np.zeros((len(held_out), max(len(record.moves) for record in held_out)), np.bool_)
    for numbers, ply, keys in _keys(run.game, held_out):
        found[numbers, ply] = np.isin(keys, known)
    return found


def _keys(game: Game, records: Sequence[GameRecord]) -> Iterator[tuple[NDArray[np.intp], int, NDArray[np.uint64]]]:
    """Yield games in which a player chose the move at a ply, that ply, and the keys of the positions there."""
    for start in range(0, len(records), _ROWS):
        for rows, ply, batch in chosen_plies(game, records[start : start + _ROWS]):
            keys = np.zeros(rows.size, np.uint64)
            _write_keys(game, batch.states, rows, keys)
            yield rows + start, ply, keys


@kernel
def _write_keys(game, states, rows, keys):
    for place in range(rows.size):
        keys[place] = game.canonical_key(states[rows[place]])


def marks_of_others(count: int, learned: int, accuracy: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """Return the share of held-out positions that were learned too, and the accuracy on the others.

    Args:
        count: held-out positions.
        learned: those of them that were learned too.
        accuracy: returns the marks of the others; not called if there are none.
    """
    names = ("positions", "top 1", "top 5", "log likelihood")
    others = None if learned == count else {name: mark for name, mark in accuracy().items() if name in names}
    return {"also learned": learned / count, "not learned": others}
