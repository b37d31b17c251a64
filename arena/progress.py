"""Long work with a progress bar, on standard error, that Ctrl-C ends without losing what is done."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .record import GameRecord, saved_records
from .training import learn

__all__ = ["learn_with_progress", "play_with_progress"]

_console = Console(stderr=True)


def play_with_progress(played: Iterator[GameRecord], total: int, out: str | Path | None = None) -> list[GameRecord]:
    """Play the games of an iterator and return their records; on Ctrl-C, those that are finished.

    Args:
        played: from `iter_match` or `iter_round_robin`.
        total: how many games it has.
        out: a file of JSON lines, to which each game is added as soon as it is finished.
    """
    records: list[GameRecord] = []
    try:
        with _progress() as progress:
            task = progress.add_task("playing", total=total)
            for record in played if out is None else saved_records(out, played):
                records.append(record)
                progress.advance(task)
    except KeyboardInterrupt:
        _console.print(f"stopped after {len(records)} of {total} games")
    return records


def learn_with_progress(model: Any, steps: int) -> None:
    """Train a model from `new_model`; on Ctrl-C return early, with what it has learned so far."""
    with _progress("mean reward {task.fields[reward]}") as progress:
        task = progress.add_task("training", total=steps, reward="…")

        def show(done: int, reward: float) -> None:
            progress.update(task, completed=done, reward="…" if math.isnan(reward) else f"{reward:+.2f}")

        try:
            learn(model, steps, show)
        except KeyboardInterrupt:
            _console.print("stopped; the model keeps what it has learned")
        progress.update(task, completed=min(steps, model.num_timesteps))


def _progress(extra: str = "") -> Progress:
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    return Progress(*columns, *([TextColumn(extra)] if extra else []), console=_console)
