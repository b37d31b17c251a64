"""Progress that a log can have, too: where nothing can be drawn over, a bar and a changing line are a line each minute.

What a task's field ``note`` says stands below its bar, broken between its items only; in a log it ends the line.

Rich alone shows nothing there before the end, so that the log of an hour on a cluster would be empty for an hour.
"""

from __future__ import annotations

import re
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import Progress, ProgressColumn, Task, TaskID
from rich.table import Column
from rich.text import Text

from .lines import print_plain

__all__ = ["Bar", "in_lines", "status"]

_APART = 60.0  # seconds from one line of a log to the next
_LOG = 240  # columns of a log
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_IN_ITEMS = re.compile(r"(?<![,|]) ")


class Bar(Progress):
    """`rich.progress.Progress`, or a line each minute.

    Args:
        columns: as Rich's.
        console: where it is shown.
        disable: True shows nothing, whatever the console is.
    """

    def __init__(self, *columns: str | ProgressColumn, console: Console, disable: bool = False) -> None:
        self._is_below = console.is_terminal
        if not console.is_terminal:
            console.width = max(console.width, _LOG)  # a line is broken nowhere
            columns = (*columns, _NoteColumn(Column(overflow="fold")))  # of some lines
        super().__init__(*columns, console=console, disable=disable)
        self._log = _Log(console)

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """Change a task, as Rich does."""
        super().update(task_id, **changes)
        if not self.disable and self._log.is_due():
            self.console.print(self.get_renderable())

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield the bars, and what is noted below them."""
        yield from super().get_renderables()
        for task in self.tasks if self._is_below else ():
            if note := task.fields.get("note"):
                yield Text(in_lines(note, self.console.width), no_wrap=True, overflow="ellipsis")


class _NoteColumn(ProgressColumn):
    """What is noted on a task, in its own line."""

    def render(self, task: Task) -> Text:
        return Text(task.fields.get("note", ""))


def in_lines(text: str, width: int) -> str:
    """Return lines of items, as in ``"120 steps, 9 games/s | random 97 %"``, broken between items where too long."""
    lines: list[str] = []
    for line in text.splitlines():
        whole = _IN_BRACKETS.sub(lambda found: found[0].replace(" ", "\xa0"), line)  # no blank for `textwrap`
        items = _IN_ITEMS.sub("\xa0", whole)
        lines += textwrap.wrap(items, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\xa0", " ")


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
            shown.update(Text(in_lines(text, max(1, console.width - 2))))  # beside the spinner
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
