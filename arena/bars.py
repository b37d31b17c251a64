"""A progress bar that also tells a log how long work stands: what is piped or written to a file has no bar."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.progress import Progress, ProgressColumn, TaskID

__all__ = ["Bar"]

_APART = 60.0  # seconds from one line of a log to the next


class Bar(Progress):
    """`rich.progress.Progress`, which draws over itself; where that cannot be, the same as a line each minute.

    Rich alone shows nothing there before the end, so that the log of an hour on a cluster would be empty for an hour.

    Args:
        columns: as Rich's.
        console: where it is shown.
        disable: True shows nothing, whatever the console is.
    """

    def __init__(self, *columns: str | ProgressColumn, console: Console, disable: bool = False) -> None:
        super().__init__(*columns, console=console, disable=disable)
        drawn = console.is_jupyter or (console.is_terminal and not console.is_dumb_terminal)
        self._in_lines = not (drawn or disable)
        self._said = time.monotonic()

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """Change a task, as Rich does; a line says so if the last one is a minute old."""
        super().update(task_id, **changes)
        if self._in_lines and time.monotonic() - self._said >= _APART:
            self._said = time.monotonic()
            self.console.print(self.make_tasks_table(self.tasks))
