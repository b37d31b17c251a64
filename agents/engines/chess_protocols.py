"""Programs that speak UCI or XBoard, by python-chess: started in an event loop of their own thread, and ended in time.

It imports python-chess, which is GPL-3, and is imported when such a program is first asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shlex
import signal
import threading
import weakref
from collections.abc import Coroutine, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import chess
import chess.engine

from ...envs.outside.spec import nearest
from .process import LAST_SECONDS, LONGEST, EngineError, LastLines, located

__all__ = ["PROTOCOLS", "ChessProcess", "chess"]

Answer = TypeVar("Answer")
_THREAD = "plyground engines"
_REST = 0.25  # seconds after a program's end in which what it wrote last is read, though a child keeps its pipes open


class _Quiet(chess.engine.Protocol):
    """Keeps the standard error of a program, in place of writing it to the log, and hears what is an answer.

    A move that nobody has asked for is passed over: an answer to an older question, or one too many. So is a line that
    python-chess fails to read.
    """

    _answer = ""  # the word that a move comes behind

    def __init__(self) -> None:
        super().__init__()
        self.errors = LastLines()
        self._is_asked = False

    def error_line_received(self, line: str) -> None:
        self.errors.add(line)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        super().pipe_data_received(fd, data)
        if len(self.buffer[fd]) >= LONGEST:  # a line that is too long comes in parts, or memory would run out
            super().pipe_data_received(fd, b"\n")

    def send_line(self, line: str) -> None:
        self._is_asked = self._is_asked or _first_word(line) == "go"
        super().send_line(line)

    def _line_received(self, line: str) -> None:
        if _first_word(line) == self._answer:
            if not self._is_asked:
                return
            self._is_asked = False
        with contextlib.suppress(Exception):  # what it finds wrong itself, it tells whoever waits
            super()._line_received(line)

    def process_exited(self) -> None:
        super().process_exited()
        self.loop.call_later(_REST, _close_pipes, self.transport)


class _UCI(_Quiet, chess.engine.UciProtocol):
    _answer = "bestmove"


class _XBoard(_Quiet, chess.engine.XBoardProtocol):
    """Speaks to programs without ``setboard``, too, which python-chess refuses: most games begin with all pieces."""

    _answer = "move"
    _can_set_up = True

    async def communicate(self, command_factory: Any) -> Any:
        commands: list[Any] = []

        def made(engine: Any) -> Any:
            commands.append(command_factory(engine))
            return commands[0]

        try:
            return await super().communicate(made)
        finally:  # where a program does not introduce itself, python-chess would wait for that, and fail, later
            if (timer := getattr(commands[0], "timeout_handle", None)) is not None:
                timer.cancel()

    def _line_received(self, line: str) -> None:
        if line.startswith("feature ") and "setboard=0" in line:
            self._can_set_up = False
            line = line.replace("setboard=0", "setboard=1")
        super()._line_received(line)

    def send_line(self, line: str) -> None:
        if line.startswith("setboard ") and not self._can_set_up:
            raise chess.engine.EngineError("it cannot set up a position other than that of all pieces")
        super().send_line(line)


def _is_of_others(record: logging.LogRecord) -> bool:
    """Return whether a record of python-chess's log is about no program of ours, all of which speak in one thread."""
    return record.threadName != _THREAD


logging.getLogger(chess.engine.__name__).addFilter(_is_of_others)

PROTOCOLS = {"uci": _UCI, "xboard": _XBoard}


@lru_cache(maxsize=1)
def _loop_of(process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop in which programs are spoken to; a forked process has another."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=_THREAD, daemon=True).start()
    return loop


class ChessProcess:
    """A running program. It ends, with its children, when it is closed, or nobody refers to it any longer.

    Args:
        command: the program and its arguments, as in a shell.
        protocol: ``"uci"`` or ``"xboard"``.
        seconds: time for it to start.

    Raises:
        EngineError: it cannot be started, or does not speak the protocol.
    """

    def __init__(self, command: str, protocol: str, seconds: float) -> None:
        self._command = located(command)
        self.name = os.path.basename(self._command[0])
        self._loop = _loop_of(os.getpid())
        self._protocol: Any = None
        try:
            self._protocol = self._wait(self._started(PROTOCOLS[protocol]), "start", seconds)
        except OSError as error:
            raise EngineError(f"cannot start {shlex.join(self._command)!r}: {error.strerror or error}") from None
        self._end = weakref.finalize(self, _end, self._protocol, self._loop)
        advice = f"check its command, or try protocol={next(name for name in PROTOCOLS if name != protocol)}"
        try:
            self._wait(self._protocol.initialize(), f"introduce itself by {protocol}", seconds)
        except EngineError as error:
            is_running = self.is_running
            self.close()
            if not is_running:
                raise
            raise EngineError(f"{error}: {advice}; start_seconds is the time that it has") from error

    async def _started(self, protocol: Any) -> Any:
        return (await protocol.popen(self._command, setpgrp=True))[1]

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return not self._protocol.returncode.done()

    def configure(self, options: Mapping[str, Any], seconds: float) -> None:
        """Set options of the program. Who gives a rating, ``UCI_Elo``, wants it to be played by: the switch is set too.

        Raises:
            ValueError: it has no such option (the nearest is suggested), or the option takes no such value.
            EngineError: it has ended, or does not answer in time.
        """
        known = {name.lower(): name for name in self._protocol.options}
        for name in options:
            if name.lower() not in known:
                raise ValueError(f"{self.name} has no option {name!r}: {nearest(name, self._protocol.options)}")
            kind = self._protocol.options[known[name.lower()]].type
            if kind == "spin" and isinstance(options[name], float) and not options[name].is_integer():
                raise ValueError(f"{self.name}: {name} must be a whole number, got {options[name]!r}")
        try:
            named = {known[name.lower()]: value for name, value in options.items()}
            if "UCI_Elo" in named and "UCI_LimitStrength" in self._protocol.options:
                named.setdefault("UCI_LimitStrength", True)  # without it programs pass over the rating
            self._wait(self._protocol.configure(named), "take its options", seconds)
        except EngineError as error:
            if isinstance(error.__cause__, chess.engine.EngineError) and self.is_running:
                raise ValueError(f"{self.name}: {error.__cause__}") from None
            raise

    def play(
        self,
        board: chess.Board,
        limit: Any,
        game: object,
        seconds: float,
        moves: list[chess.Move] | None = None,
        with_line: bool = False,
    ) -> chess.engine.PlayResult:
        """Return the program's move, with its score.

        Args:
            board: the position, with the moves that led to it.
            limit: how long it may think, as python-chess has it.
            game: the same object for all moves of a game.
            seconds: time for the answer.
            moves: the moves that it may choose from; None for all legal ones. XBoard cannot tell it.
            with_line: whether its line of best play is wanted, which takes time to read.

        Raises:
            EngineError: it has ended, answers nonsense, cannot do what is asked, or does not answer in time.
        """
        info = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
        info |= chess.engine.INFO_PV if with_line else chess.engine.INFO_NONE
        task = self._protocol.play(board, limit, game=game, info=info, root_moves=moves)
        return self._wait(task, "move", seconds)

    def close(self) -> None:
        """End the program, and whatever it has started."""
        with contextlib.suppress(Exception):  # it ends in either way
            self._wait(self._protocol.quit(), "quit", LAST_SECONDS)
        self._end()

    def _wait(self, task: Coroutine[Any, Any, Answer], what: str, seconds: float) -> Answer:
        """Return what comes of a task, in time."""
        waiting = asyncio.run_coroutine_threadsafe(asyncio.wait_for(task, seconds), self._loop)
        try:
            return waiting.result()
        except (TimeoutError, asyncio.TimeoutError):
            raise EngineError(f"{self.name} did not {what} in {seconds:g} s{self._last_words()}") from None
        except chess.engine.EngineTerminatedError:
            raise EngineError(f"{self.name} has ended{self._last_words()}") from None
        except chess.engine.EngineError as error:  # what it says is wrong, or it cannot do what is asked
            raise EngineError(f"{self.name}: {error}") from error
        except BaseException:  # Ctrl-C: what it says later would answer no question
            waiting.cancel()
            raise

    def _last_words(self) -> str:
        return "" if self._protocol is None else self._protocol.errors.in_words


def _end(protocol: Any, loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody of its group is left
        os.killpg(protocol.transport.get_pid(), signal.SIGKILL)
    if not loop.is_closed():
        loop.call_soon_threadsafe(_let_go, protocol)


def _let_go(protocol: Any) -> None:
    """Close the pipes to a program now, and what else asyncio has of it when it has ended.

    A transport that is closed before asks the system whether the program has ended: if it is told so, asyncio, which
    waits for that in another thread, never is, and complains of an unknown process.
    """
    transport = protocol.transport
    if transport.get_returncode() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has left its group
            os.kill(transport.get_pid(), signal.SIGKILL)
    _close_pipes(transport)
    protocol.returncode.add_done_callback(lambda _: transport.close())


def _close_pipes(transport: Any) -> None:
    for number in range(3):
        if (pipe := transport.get_pipe_transport(number)) is not None:
            pipe.close()


def _first_word(line: str) -> str:
    return line.split(maxsplit=1)[0] if line.strip() else ""
