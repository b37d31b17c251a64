"""A Python process that holds a player: how it is started, asked with a limit of time, and what is said if it fails.

A message is a length of 8 bytes and as many bytes of a pickled object. What answers there is in `child`.
"""

from __future__ import annotations

import contextlib
import json
import math
import pickle
import signal
import socket
import struct
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from ...envs.outside.messages import cut
from ..engines.process import LAST_SECONDS, EngineError, LastLines, OwnedProcess
from ..timing import Allowance

__all__ = ["Channel", "ClosedError", "Fault", "MoveTime", "PlayerError", "PlayerProcess"]

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    f"from {__package__}.child import main; main(int(sys.argv[1]))"
)
_LENGTH = struct.Struct("!Q")
_LOOK = 0.25  # seconds between looks at whether the other side has ended
_LEAST, _MOST = 0.001, 1e6  # seconds that a socket waits: of 0 it would not wait at all, and it cannot count for ever
_SAID = 300  # signs of an error
_WHEN = {
    "make": "when it was started",
    "reset": "when a game began",
    "watch": "when it was told of a move",
    "act": "when it was to move",
}


class ClosedError(Exception):
    """The other side of a channel has closed it."""


class Channel:
    """Messages to another process and from it, in bytes.

    Args:
        connection: a socket that leads there.
        has_ended: asked now and then, while a message is waited for, whether the other process has ended: something
            that it has started may keep its side open.
    """

    def __init__(self, connection: socket.socket, has_ended: Callable[[], bool] = lambda: False) -> None:
        self._connection, self._has_ended = connection, has_ended

    def send(self, message: bytes, deadline: float = math.inf) -> None:
        """Send a message.

        Args:
            message: the message.
            deadline: a time of `time.monotonic`.

        Raises:
            TimeoutError: it is not taken by then.
            ClosedError: nobody is there to take it.
        """
        left = min(deadline - time.monotonic(), _MOST)
        self._connection.settimeout(None if deadline == math.inf else max(left, _LEAST))
        try:
            self._connection.sendall(_LENGTH.pack(len(message)) + message)
        except ConnectionError:
            raise ClosedError from None

    def receive(self, deadline: float = math.inf) -> bytes:
        """Return the next message.

        Args:
            deadline: a time of `time.monotonic`.

        Raises:
            TimeoutError: there is none by then.
            ClosedError: there will be none.
        """
        return self._bytes(_LENGTH.unpack(self._bytes(_LENGTH.size, deadline))[0], deadline)

    def _bytes(self, size: int, deadline: float) -> bytes:
        data, got, has_ended = bytearray(size), 0, False
        while got < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._connection.settimeout(None if left == math.inf else max(min(left, _LOOK), _LEAST))
            try:
                count = self._connection.recv_into(memoryview(data)[got:])
            except TimeoutError:
                if has_ended:  # and nothing was left to read
                    raise ClosedError from None
                has_ended = self._has_ended()
                continue
            except ConnectionError:
                raise ClosedError from None
            if count == 0:
                raise ClosedError
            got += count
        return bytes(data)


class MoveTime(NamedTuple):
    """What `plyground.agents.timing.limit` is to tell a player of its next move."""

    allowance: Allowance | None
    clock: tuple[float, float, float, int] | None
    is_forced: bool


class Fault(NamedTuple):
    """An error on the player's side."""

    kind: str  # the name of its class
    text: str
    place: str  # where it was raised
    trace: str  # the whole traceback


class _ReportError(Exception):
    """What came from a player's process, the cause of an error."""

    def __str__(self) -> str:
        return f"in the player's process:\n{self.args[0]}"


class PlayerError(EngineError):
    """A player in a process of its own raised an error there.

    Args:
        message: all of it in a line.
        kind: the name of the error's class.
        text: what it said.
    """

    def __init__(self, message: str, kind: str = "", text: str = "") -> None:
        super().__init__(message)
        self.kind, self.text = kind, text


class _ShownLines(LastLines):
    """Goes on to our standard error too, as what players in this process print does."""

    def add(self, line: str) -> None:
        super().add(line)
        with contextlib.suppress(Exception):  # whatever stands there in a notebook, or nothing
            sys.stderr.write(line)


class PlayerProcess(OwnedProcess):
    """A Python process that holds a player. It ends, with its children, when this one does, too, however that may end.

    What the player prints goes to this process's standard error.

    Args:
        name: what the player is called in messages.

    Raises:
        EngineError: it cannot be started.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        ours, theirs = socket.socketpair()
        try:
            number, places = theirs.fileno(), json.dumps(list(map(str, sys.path)))
            command = [sys.executable, "-c", _PROGRAM, str(number), places]
            super().__init__(command, _ShownLines(), stdout=subprocess.DEVNULL, pass_fds=(number,))
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        weakref.finalize(self, ours.close)
        process, self._connection = self._process, ours
        self._channel = Channel(ours, lambda: process.poll() is not None)

    def ask(self, request: str, arguments: tuple[Any, ...], seconds: float) -> Any:
        """Return what the player's side answers.

        Args:
            request: a method of `plyground.agents.isolation.child.Holder`.
            arguments: its arguments.
            seconds: time for the answer.

        Raises:
            PlayerError: the player raised an error.
            EngineError: there is no answer in time, or the process has ended; or what is asked cannot be pickled.
        """
        when = _WHEN[request]
        try:
            message = pickle.dumps((request, arguments), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # whatever a wrapper of an environment puts into an info
            raise EngineError(f"{self.name} cannot be told what it is asked {when}: {error}") from error
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(message, deadline)
            data = self._channel.receive(deadline)
        except TimeoutError:
            raise EngineError(f"{self.name} gave no answer in {seconds:g} s {when}") from None
        except ClosedError:
            how, last = self._how_it_ended(), self._last_words()
            report = _ReportError("\n".join(self.errors)) if self.errors else None
            raise EngineError(f"{self.name} {how} {when}{last}") from report
        try:
            answer = pickle.loads(data)
        except Exception as error:
            raise EngineError(f"{self.name} gave an answer that cannot be read {when}: {error!r}") from error
        if isinstance(answer, Fault):
            said = cut(f"{answer.kind}: {answer.text}" if answer.text else answer.kind, _SAID)
            message = f"{self.name} raised {said} ({answer.place}) {when}"
            raise PlayerError(message, answer.kind, answer.text) from _ReportError(answer.trace)
        return answer

    def close(self) -> None:
        """Let the player end what it has started, and end the process."""
        self._connection.close()
        self.exit_code(LAST_SECONDS)
        self.kill()

    def _how_it_ended(self) -> str:
        code = self.exit_code(LAST_SECONDS)
        if code is None:
            return "has closed the connection to its process"
        if code >= 0:
            return f"has ended with exit code {code}"
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:  # one without a name
            return f"was ended by signal {-code}"
