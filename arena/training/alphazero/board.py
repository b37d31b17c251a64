"""Scalars of a run for TensorBoard, where it is installed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..session import Progress

__all__ = ["ScalarLog"]

_EVERY = 10.0  # seconds of training from one line of scalars to the next


class ScalarLog:
    """Writes the numbers of a progress, grouped by where they stand in it; without TensorBoard it writes nothing.

    Args:
        folder: the folder of the event files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._writer, self._last = folder, None, -_EVERY

    def add(self, progress: Progress, *, last: bool = False) -> None:
        """Write the numbers, if those before are some seconds old, or these are the last.

        Texts are left out, and what is None.
        """
        if progress.seconds - self._last < _EVERY and not last:
            return
        self._last = progress.seconds
        if self._writer is None:
            self._writer = _new_writer(self._folder, progress.steps)
        for group, value in asdict(progress).items():
            if isinstance(value, dict):
                for name, number in value.items():
                    self._writer.add_scalar(f"{group}/{name}", number, progress.steps)
            elif value is not None and not isinstance(value, str):
                self._writer.add_scalar(f"run/{group}", value, progress.steps)

    def close(self) -> None:
        """Force what was written to disk."""
        if self._writer is not None:
            self._writer.close()


def _new_writer(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return _Nowhere()
    return SummaryWriter(str(folder), purge_step=step)  # what was written after the state that the run goes on from


class _Nowhere:
    """Takes scalars, and forgets them."""

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Forget it."""

    def close(self) -> None:
        """Do nothing."""
