"""Ctrl-C when it suits a long session, such as training."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from ..envs.jit.interruption import can_be_put_off

__all__ = ["Interruptible", "interruptible"]


class Interruptible(Protocol):
    """A session that ends soon after ``interrupted`` is set to True."""

    interrupted: bool


@contextmanager
def interruptible(session: Interruptible) -> Iterator[None]:
    """Let the first Ctrl-C end a session soon, and the second at once."""
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
