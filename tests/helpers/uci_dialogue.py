"""A player of ours as a chess engine that runs in a thread, and is spoken to in UCI."""

from __future__ import annotations

import io
import queue
import re
import threading
from collections.abc import Iterator

from plyground.arena.engine import UCIServer

__all__ = ["Dialogue", "Lines", "played", "scores"]

_INFO = re.compile(
    r"info depth \d+ seldepth \d+ multipv (\d+) score (cp -?\d+|mate -?\d+) nodes \d+ nps \d+ (?:hashfull \d+ )?"
    r"time \d+ pv ([a-h1-8nbrq ]+)"
)


class Lines(io.StringIO):
    """Text that is written, line by line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: queue.Queue[str] = queue.Queue()

    def write(self, text: str) -> int:
        for line in text.splitlines():
            self.lines.put(line)
        return len(text)


class Dialogue:
    """A server that runs in a thread, and is spoken to."""

    def __init__(self, server: UCIServer) -> None:
        self.server, self.out = server, Lines()
        self._commands: queue.Queue[str | None] = queue.Queue()
        self.thread = threading.Thread(target=server.run, args=(self._read(), self.out), daemon=True)
        self.thread.start()

    def _read(self) -> Iterator[str]:
        while (line := self._commands.get()) is not None:
            yield line

    def send(self, *lines: str) -> None:
        for line in lines:
            self._commands.put(line + "\n")

    def until(self, word: str) -> list[str]:
        """Return the lines up to one that begins with a word."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(word):
            lines.append(self.out.lines.get(timeout=120))
        return lines

    def ask(self, *lines: str) -> list[str]:
        """Send lines, the last of which begins a search, and return what is said until its move is."""
        self.send(*lines)
        return self.until("bestmove")

    def said(self, *lines: str) -> list[str]:
        """Return all that is said to these lines."""
        self.send(*lines, "isready")
        return self.until("readyok")[:-1]

    def end(self) -> None:
        self._commands.put(None)
        self.thread.join(60)
        assert not self.thread.is_alive()


def played(lines: list[str]) -> str:
    assert sum(line.startswith("bestmove") for line in lines) == 1
    return lines[-1].split()[1]


def scores(lines: list[str]) -> list[tuple[int, str, list[str]]]:
    """Return the rank, the score and the line of each report."""
    found = [_INFO.fullmatch(line) for line in lines if line.startswith("info depth")]
    return [(int(one[1]), one[2], one[3].split()) for one in found if one is not None]
