"""Running a long kernel so that a time limit or Ctrl-C can end it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

from numpy.typing import NDArray

from .listening import Listener

__all__ = ["run_with_stop"]

_POLL_SECONDS = 0.1  # a longer wait could not be interrupted on every system

Result = TypeVar("Result")


def run_with_stop(
    function: Callable[[], Result],
    stop: NDArray[Any],
    seconds: float | None = None,
    tell: Callable[[], object] | None = None,
    listener: Listener | None = None,
) -> Result:
    """Call ``function``, and set ``stop[0]``, which its kernel polls, after ``seconds`` or on Ctrl-C.

    The kernel runs in a thread of its own, without the GIL: Python handles signals only in the main thread, which would
    otherwise sit inside the kernel. ``tell`` is called about ten times a second meanwhile, to show progress. A
    ``listener`` that is stopped sets the flag as well.

    Raises:
        KeyboardInterrupt: after Ctrl-C, once the kernel has ended.
        Exception: whatever ``function`` raised.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # handed to the caller below
            errors.append(error)

    stop[0] = 0
    thread = threading.Thread(target=work, daemon=True)
    with nullcontext() if listener is None else listener.stopping(stop):
        try:
            thread.start()
            end = math.inf if seconds is None else time.monotonic() + float(seconds)  # NumPy's may be too coarse
            while thread.is_alive() and (left := end - time.monotonic()) > 0:
                thread.join(min(left, _POLL_SECONDS))
                if tell is not None and thread.is_alive():
                    tell()
        finally:
            stop[0] = 1
            if thread.ident is not None:  # Ctrl-C did not come before it had begun
                thread.join()
    if errors:
        raise errors[0]
    return results[0]
