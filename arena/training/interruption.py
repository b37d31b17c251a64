"""Ctrl-C during training: the first lets a session end well, the second ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

__all__ = ["Interruptible", "interruptible"]


class Interruptible(Protocol):
    """A session that ends soon after ``interrupted`` is set to True."""

    interrupted: bool


@contextmanager
def interruptible(session: Interruptible) -> Iterator[None]:
    """Let the first Ctrl-C end a session soon, and the second at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        if session.interrupted:
            raise KeyboardInterrupt
        session.interrupted = True

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
