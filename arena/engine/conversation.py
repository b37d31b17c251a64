"""The two ends of a conversation by lines: commands that are read ahead, and answers that several threads may give."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TextIO

__all__ = ["Answers", "Commands", "in_a_line"]


class Commands:
    """Lines, one after the other. A thread reads them, so that whoever is busy can see whether there is one.

    Args:
        lines: for example standard input. An error in reading ends them.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()

        def read() -> None:
            with contextlib.suppress(OSError, ValueError):
                for line in lines:
                    self._lines.put(line)
            self._lines.put(None)  # or whoever waits for a line would wait for ever

        threading.Thread(target=read, name="commands", daemon=True).start()

    @property
    def is_one_waiting(self) -> bool:
        """Whether there is a line, or there will be no more."""
        return not self._lines.empty()

    def __iter__(self) -> Iterator[str]:
        while (line := self._lines.get()) is not None:
            yield line


class Answers:
    """Writes whole lines, and lets them be read at once.

    Args:
        out: where they go. Nothing happens if nobody reads there any longer.
    """

    def __init__(self, out: TextIO) -> None:
        self._out, self._lock = out, threading.Lock()

    def write(self, text: str) -> None:
        """Write one or more lines, without what ends the last."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._out.write(text + "\n")
            self._out.flush()


def in_a_line(error: Exception) -> str:
    """Return what an error says, or its kind if it says nothing."""
    return " ".join(str(error).split()) or type(error).__name__
