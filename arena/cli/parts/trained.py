"""How a training run has ended: what is said of it, and whether it has done what was asked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from ...lines import console, print_plain
from ...training import RunFolder
from ...training.alphago.summary import lines_of

__all__ = ["exit_if_unfinished", "further", "kept", "steps_of", "tell_parts", "tell_untaught"]

_err = console(stderr=True)


def further(config: Any, folder: Path, steps: int) -> str:
    """Return the options without which nothing is left to do: twice each limit that the run has reached."""
    _, seconds = RunFolder(folder).done()
    options = ""
    if config.steps is not None and steps >= config.steps:
        options += f" --steps {2 * steps}"
    if config.minutes is not None and seconds >= 60 * config.minutes:
        more = 2 * config.minutes if seconds < 120 * config.minutes else math.ceil(seconds / 30)
        options += f" --minutes {more:g}"
    return options


def exit_if_unfinished(check: Callable[[], None]) -> None:
    """Exit with 130 where Ctrl-C has ended a run before it had done what was asked, which was then saved.

    Args:
        check: raises `ValueError` where nothing is left to do.
    """
    try:
        check()
    except ValueError:
        return
    raise typer.Exit(130)


def tell_untaught(folder: Path, trained: Any) -> None:
    """Say of a run of alphazero that has ended before anything was learned when that begins."""
    if getattr(trained, "learned", None) == 0:
        one_step = math.ceil(kept(folder, "batch_size") / kept(folder, "replay_ratio"))
        first = max(kept(folder, "learn_after"), one_step)
        print_plain(
            _err,
            f"the network has learned nothing yet: a run begins to learn after {first:,} samples (--learn-after of a "
            f"new run), and {trained.samples:,} were played",
        )


def kept(folder: Path, name: str) -> Any:
    """Return what the configuration of a run says of a field."""
    return json.loads((folder / "config.json").read_text()).get(name)


def tell_parts(folder: Path) -> None:
    """Say which parts of a run of alphago are finished, and what came out."""
    for line in lines_of(folder):
        print_plain(_err, line)


def steps_of(trained: Any) -> int:
    """Return the steps of a model of stable-baselines3, or of a progress."""
    return trained.steps if hasattr(trained, "steps") else trained.num_timesteps
