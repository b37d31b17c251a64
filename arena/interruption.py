"""Ctrl-C when it suits a long session, such as training, and never lost."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

__all__ = ["Interruptible", "always_heard", "interruptible"]

_SOON = 0.05  # seconds after which Ctrl-C is raised anew


class Interruptible(Protocol):
    """A session that ends soon after ``interrupted`` is set to True."""

    interrupted: bool


@contextmanager
def interruptible(session: Interruptible) -> Iterator[None]:
    """Let the first Ctrl-C end a session soon, and the second at once."""
    from ..envs.jit.interruption import can_be_put_off  # the command line begins without Numba

    if not can_be_put_off():
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


@contextmanager
def always_heard() -> Iterator[None]:
    """Raise a Ctrl-C anew that Python has dropped.

    It does so where the first code that it runs after the signal is the callback of a weak reference, as it often is
    after a long search for garbage: what is raised there is printed, and forgotten.
    """
    before = sys.unraisablehook

    def hear(dropped: Any) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            threading.Timer(_SOON, _thread.interrupt_main).start()  # here it would be dropped again
        else:
            before(dropped)

    sys.unraisablehook = hear
    try:
        yield
    finally:
        sys.unraisablehook = before
