"""Compiling ahead of a search, so that no clock runs while it takes long; and saying so to whoever waits.

Agents compile in `SearchAgent.prepare`, before their first search. Once that has taken a second, the logger
``"plyground"`` says what is being compiled, at the level of a warning: without other settings Python prints it to
standard error. What was compiled is kept on disk, so it is said once on each machine.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

from ..envs import Game
from ..envs.jit.cache import is_kept

__all__ = ["LOG", "Stopwatch", "compiling"]

LOG = logging.getLogger("plyground")

_EACH = "again in each process, for no folder can be written to: name one in NUMBA_CACHE_DIR"
_PATIENCE = 1.0  # seconds of compiling of which nothing is said
_EVENT = "numba:compile"  # loading from the cache on disk is not one


@contextmanager
def compiling(what: str, game: Game) -> Iterator[None]:
    """Say it in the log if the code inside compiles for longer than a second.

    The record that says so has an attribute ``compiling``, which is True. Another one, at the level of information,
    says that it is done; its ``compiling`` is False.

    Args:
        what: what is compiled, as in ``"alphabeta"``.
        game: the game that it is compiled for.
    """
    notice = _Notice(f"{what} for {game.spec}")
    event.register(_EVENT, notice)
    try:
        yield
    finally:
        event.unregister(_EVENT, notice)
        notice.end()


class _Notice(event.Listener):
    """Says that something is being compiled, a second after that has begun."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._start: float | None = None
        self._state = "quiet"  # then "said", then "over"
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._say)
        self._timer.daemon = True

    def on_start(self, event: Any) -> None:
        if self._start is None:
            self._start = time.perf_counter()
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Another function may follow."""

    def _say(self) -> None:
        with self._lock:
            if self._state == "quiet":
                self._state = "said"
                often = "once on this machine" if is_kept() else _EACH
                LOG.warning("compiling %s, %s …", self._what, often, extra={"compiling": True})

    def end(self) -> None:
        """Say no more, but that it is done."""
        self._timer.cancel()
        with self._lock:
            said, self._state = self._state == "said", "over"
            if said and self._start is not None:
                seconds = time.perf_counter() - self._start
                LOG.info("compiled %s in %.1f s", self._what, seconds, extra={"compiling": False})


class Stopwatch(event.Listener):
    """A clock that stands still while something is compiled, for work whose needs nobody knows beforehand.

    ::

        with Stopwatch() as clock:
            ...
        print(clock.seconds, "and", clock.compiling, "of compiling")

    Attributes:
        compiling: the seconds in which something was compiled. What is compiled for another function is part of its
            time.
    """

    def __init__(self) -> None:
        self.compiling = 0.0
        self._depth, self._since = 0, 0.0

    def __enter__(self) -> Stopwatch:
        event.register(_EVENT, self)
        self._start = time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        event.unregister(_EVENT, self)

    @property
    def seconds(self) -> float:
        """The seconds until now, without those of compiling."""
        return time.perf_counter() - self._start - self.compiling

    def on_start(self, event: Any) -> None:
        """Stand still, if compiling begins."""
        if self._depth == 0:
            self._since = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Go on, if compiling ends."""
        self._depth -= 1
        if self._depth == 0:
            self.compiling += time.perf_counter() - self._since
