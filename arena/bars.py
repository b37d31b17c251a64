"""Progress that a log can have, too: where nothing can be drawn over, a bar and a changing line are a line each minute.

Rich alone shows nothing there before the end, so that the log of an hour on a cluster would be empty for an hour.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress, ProgressColumn, TaskID
from rich.text import Text

from .lines import print_plain

__all__ = ["Bar", "status"]

_APART = 60.0  # seconds from one line of a log to the next
_LOG = 240  # columns of a log


class Bar(Progress):
    """`rich.progress.Progress`, or a line each minute.

    Args:
        columns: as Rich's.
        console: where it is shown.
        disable: True shows nothing, whatever the console is.
    """

    def __init__(self, *columns: str | ProgressColumn, console: Console, disable: bool = False) -> None:
        if not console.is_terminal:
            console.width = max(console.width, _LOG)  # a line is broken nowhere
        super().__init__(*columns, console=console, disable=disable)
        self._log = _Log(console)

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """Change a task, as Rich does."""
        super().update(task_id, **changes)
        if not self.disable and self._log.is_due():
            self.console.print(self.make_tasks_table(self.tasks))


@contextmanager
def status(console: Console, text: str = "") -> Iterator[Callable[[str], None]]:
    """Show a line beside a spinner, or each minute, as long as the context lasts; what it yields changes the line.

    Args:
        console: where it is shown.
        text: the line until it is changed; it is shown as it is, without markup.
    """
    log = _Log(console)
    with console.status(Text(text)) as shown:

        def update(text: str) -> None:
            shown.update(Text(text))
            if log.is_due():
                print_plain(console, text)

        yield update


class _Log:
    """Whether a console is a log, and when its next line is due."""

    def __init__(self, console: Console) -> None:
        drawn = console.is_jupyter or (console.is_terminal and not console.is_dumb_terminal)
        self._next = float("inf") if drawn else time.monotonic() + _APART

    def is_due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _APART
        return True
