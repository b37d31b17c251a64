"""Ctrl-C put off, where Python would lose it or half of something would be done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["can_be_put_off", "uninterrupted"]


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off until the block has ended, which has to be soon: the longest compile one kernel, in seconds."""
    if not can_be_put_off():
        yield
        return
    came = False

    def wait(number: int, frame: Any) -> None:
        nonlocal came
        came = True

    before = signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def can_be_put_off() -> bool:
    """Return whether this thread is the one that signals come to, and Python has set what handles Ctrl-C.

    A process in the background of a script ignores it: it is meant for the one in front.
    """
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) not in (None, signal.SIG_IGN)
