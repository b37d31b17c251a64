"""A program that this one has started, and that ends with whatever it has started; one that is spoken to in lines."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from ...envs.outside.arguments import is_list
from ...envs.outside.messages import shown

__all__ = ["LAST_SECONDS", "LONGEST", "EngineError", "EngineProcess", "LastLines", "OwnedProcess", "located"]

LAST_SECONDS = 1.0  # that a program has to end by itself, and its last words to be read
LONGEST = 2**16  # signs of a line; a longer one comes in parts
_GAMES = "/usr/games"
_LOOK = 0.25  # seconds between looks at whether it has ended
_KEPT, _WIDTH = 20, 200  # lines of its standard error, and signs of each
_WAITING = 4096  # lines that nobody has read yet, of a program that writes without end


class EngineError(RuntimeError):
    """A program cannot be started or do what is asked, has ended, answers nonsense, or does not answer in time."""


class LastLines(deque[str]):
    """The last lines that a program wrote to its standard error, shortened, without empty ones."""

    def __init__(self) -> None:
        super().__init__(maxlen=_KEPT)

    def add(self, line: str) -> None:
        """Keep a line."""
        if line.strip():
            self.append(line.strip()[:_WIDTH])

    @property
    def in_words(self) -> str:
        """The end of an error that tells the last one; nothing if there is none."""
        return f"; the last line of its standard error: {self[-1]}" if self else ""


def located(command: str | Sequence[str]) -> list[str]:
    """Return a command as a list, with the place of its program if that is found.

    Raises:
        ValueError: there is no command in it, a quotation mark too few, or it is no text.
    """
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command) if is_list(command) else []
    except ValueError as error:
        raise ValueError(f"cannot read the command {command!r}: {error}") from None
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f"a program is given as in a shell, for example 'gnugo --mode gtp', got {shown(command)}")
    if "/" not in words[0]:  # Debian keeps games in a folder that not all users search
        words[0] = shutil.which(words[0]) or shutil.which(words[0], path=_GAMES) or words[0]
    return words


class OwnedProcess:
    """A running program. It ends, with its children, when it is closed, or nobody refers to it any longer.

    Args:
        command: the program and its arguments.
        errors: what keeps the last lines that it writes to its standard error.
        **options: of `subprocess.Popen`, beside those of its standard input and standard error, which are pipes.

    Attributes:
        errors: the last lines that it wrote to its standard error.

    Raises:
        EngineError: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], errors: LastLines, **options: Any) -> None:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,  # so that its children can be killed with it
                **options,
            )
        except OSError as error:
            raise EngineError(f"cannot start {shlex.join(command)!r}: {error.strerror or error}") from None
        assert process.stdin is not None
        assert process.stderr is not None
        self._process, self._input, self.errors = process, process.stdin, errors
        self._readers: list[tuple[threading.Thread, IO[str]]] = []
        self._end = weakref.finalize(self, _end, process, self._readers)
        self._errors_reader = self._follow(process.stderr, _keep, errors)

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def exit_code(self, seconds: float) -> int | None:
        """Return its exit code once it has ended, minus the signal that ended it; None if it runs on so long."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def kill(self) -> None:
        """End the program, and whatever it has started, at once."""
        self._end()

    def _follow(self, stream: IO[str], read: Callable[[IO[str], Any], None], lines: Any) -> threading.Thread:
        """Let a thread read what the program writes."""
        reader = threading.Thread(target=read, args=(stream, lines), daemon=True)
        reader.start()
        self._readers.append((reader, stream))
        return reader

    def _last_words(self) -> str:
        self._errors_reader.join(LAST_SECONDS)  # what it wrote last may not have been read yet
        return self.errors.in_words


class EngineProcess(OwnedProcess):
    """A running program that is spoken to in lines, and answers in lines.

    Args:
        command: the program and its arguments, as a list or as in a shell.

    Attributes:
        command: the same as a list.

    Raises:
        ValueError: there is no command in it.
        EngineError: the program cannot be started.
    """

    def __init__(self, command: str | Sequence[str]) -> None:
        self.command = located(command)
        super().__init__(self.command, LastLines(), stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self._lines: queue.Queue[str | None] = queue.Queue(_WAITING)
        self._follow(self._process.stdout, _read, self._lines)

    @property
    def name(self) -> str:
        """The program's name, without its folder."""
        return os.path.basename(self.command[0])

    def write(self, line: str) -> None:
        """Write a line to the program.

        Raises:
            EngineError: it has ended.
        """
        try:
            self._input.write(line + "\n")
            self._input.flush()
        except (OSError, ValueError):
            raise EngineError(f"{self.name} has ended, and cannot be told {line!r}{self._last_words()}") from None

    def read(self, deadline: float) -> str | None:
        """Return the next line that it writes, without what ends it; None if there is none by then.

        Args:
            deadline: a time of `time.monotonic`.

        Raises:
            EngineError: it has ended.
        """
        line: str | None = None
        while True:
            has_ended = not self.is_running  # before its last lines are looked for
            left = max(deadline - time.monotonic(), 0)
            try:
                line = self._lines.get(timeout=min(left, _LOOK))
                break
            except queue.Empty:
                if has_ended:  # and a child of it keeps the pipe open
                    break
                if left <= _LOOK:
                    return None
        if line is None:
            self._lines.put(None)  # for whoever asks next
            raise EngineError(f"{self.name} has ended{self._last_words()}")
        return line

    def close(self) -> None:
        """End the program, and whatever it has started."""
        with contextlib.suppress(OSError, ValueError):
            self._input.close()  # by which many programs know that they are no longer needed
        self.exit_code(LAST_SECONDS)
        self.kill()


def _read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in itertools.chain(_lines_of(stream), [None]):
        if lines.full():  # nobody has asked for so many lines: the oldest goes, for whoever waits here cannot be ended
            with contextlib.suppress(queue.Empty):
                lines.get_nowait()
        lines.put(None if line is None else line.rstrip())


def _keep(stream: IO[str], lines: LastLines) -> None:
    for line in _lines_of(stream):
        lines.add(line)


def _lines_of(stream: IO[str]) -> Iterator[str]:
    """Yield the lines that a program writes, until it ends, as they are; one that is too long comes in parts."""
    with contextlib.suppress(ValueError):
        while line := stream.readline(LONGEST):
            yield line


def _end(process: subprocess.Popen[str], readers: list[tuple[threading.Thread, IO[str]]]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody of its session is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for reader, stream in readers:
        reader.join(LAST_SECONDS)
        if not reader.is_alive():  # closing what is being read would wait for it
            stream.close()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
