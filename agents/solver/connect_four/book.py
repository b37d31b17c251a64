"""Making the opening book of the Connect Four solver, by the solver itself.

All positions after the last ply of the book are searched, and the scores of earlier ones are backed up from these.
Scores found so far are kept in a file beside the book, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import io
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np

from ....envs import Game, State, connect_four
from ....envs.outside.arguments import check_jobs, is_positive
from ....envs.outside.files import check_writable
from ....envs.outside.whole_files import write_whole
from ...settings import check_arguments
from .scores import ConnectFourScores, canonical_key

__all__ = ["Progress", "make_book", "opening_layers"]

_CHUNK = 1  # positions that a worker searches at a time: one may take a minute


class Progress(NamedTuple):
    """How much of a book is done."""

    done: int  # positions searched
    total: int  # positions to search


def opening_layers(plies: int, game: Game | None = None) -> list[dict[int, State]]:
    """Return the unfinished positions after 0, 1, 2 … ``plies`` plies, by key; mirror images share one."""
    game = game or connect_four()
    layers = [{canonical_key(game, game.new_state()): game.new_state()}]
    for _ in range(plies):
        after = {}
        for state in layers[-1].values():
            for action in game.actions(state):
                child = game.play_moves([action], state)
                if not game.is_terminal(child):
                    after.setdefault(canonical_key(game, child), child)
        layers.append(after)
    return layers


def make_book(
    path: Path, plies: int, *, table_mb: float = 128, jobs: int = 1, game: Game | None = None
) -> Generator[Progress, None, None]:
    """Make the book of the first ``plies`` plies, and yield the progress after each piece of work.

    Args:
        path: the file to write at the end. Until then a file beside it, ending in ``.part.npz``, holds the scores.
        plies: plies of the book, 12 at most; each ply more takes several times as long.
        table_mb: megabytes for the table of each process.
        jobs: processes to run; -1 for one on each core.
        game: Connect Four, on any board. Default: 7x6, the only board whose book the solver looks for.

    Raises:
        ValueError: ``plies``, ``table_mb`` or ``jobs`` are out of range.
        FileNotFoundError: there is no folder to write to.
        PermissionError: nothing can be written there.
    """
    if not 1 <= plies <= 12:
        raise ValueError(f"a book has 1 to 12 plies, got {plies}")
    check_arguments(("table_mb", table_mb, is_positive(table_mb), "a finite number above 0"))
    check_jobs(jobs)
    check_writable(path)
    game = game or connect_four()
    layers = opening_layers(plies, game)
    keys = sorted(layers[-1])
    part = path.with_suffix(".part.npz")
    known = _read(part)
    todo = [key for key in keys if key not in known]
    yield Progress(len(keys) - len(todo), len(keys))
    chunks = [todo[i : i + _CHUNK] for i in range(0, len(todo), _CHUNK)]
    work = (joblib.delayed(_scores)([layers[-1][key] for key in chunk], table_mb, game) for chunk in chunks)
    found: Any = joblib.Parallel(jobs, return_as="generator")(work)
    for chunk, scores in zip(chunks, found, strict=True):
        known.update(zip(chunk, scores, strict=True))
        _write(part, plies, known)
        yield Progress(sum(key in known for key in keys), len(keys))
    _write(path, plies, _backed_up(game, layers, {key: known[key] for key in keys}))
    part.unlink(missing_ok=True)


@cache
def _solver(table_mb: float, game: Game) -> ConnectFourScores:
    """Return the solver of this process, whose table serves one piece of work after another."""
    return ConnectFourScores(game, table_mb, book=False)


def _scores(states: list[State], table_mb: float, game: Game) -> list[int]:
    return [_solver(table_mb, game).score(state) for state in states]


def _backed_up(game: Game, layers: list[dict[int, State]], known: dict[int, int]) -> dict[int, int]:
    """Return the scores of all layers, given those of the last."""
    for ply, layer in reversed(list(enumerate(layers[:-1]))):
        for key, state in layer.items():
            children = [game.play_moves([action], state) for action in game.actions(state)]
            won = any(game.is_terminal(child) for child in children)
            known[key] = (
                (game.max_plies - ply + 1) // 2
                if won
                else max(-known[canonical_key(game, child)] for child in children)
            )
    return known


def _read(path: Path) -> dict[int, int]:
    if not path.exists():
        return {}
    with np.load(path) as data:
        return dict(zip(data["keys"].tolist(), data["scores"].tolist(), strict=True))


def _write(path: Path, plies: int, scores: dict[int, int]) -> None:
    """Write a book in one step, so that an interrupt leaves either the old file or the new one."""
    keys = sorted(scores)
    content = io.BytesIO()
    np.savez_compressed(
        content,
        plies=np.array(plies),
        keys=np.array(keys, np.uint64),
        scores=np.array([scores[key] for key in keys], np.int8),
    )
    write_whole(path, content.getbuffer())
