"""Running a long kernel so that a time limit or Ctrl-C can end it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray

__all__ = ["run_with_stop"]

Result = TypeVar("Result")


def run_with_stop(function: Callable[[], Result], stop: NDArray[Any], seconds: float | None = None) -> Result:
    """Call ``function``, and set ``stop[0]``, which its kernel polls, after ``seconds`` or on Ctrl-C.

    The kernel runs in a thread of its own, without the GIL: Python handles signals only in the main thread, which would
    otherwise sit inside the kernel.

    Raises:
        KeyboardInterrupt: after Ctrl-C, once the kernel has ended.
        Exception: what ``function`` raised.
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
    thread.start()
    try:
        thread.join(seconds)
    except KeyboardInterrupt:
        stop[0] = 1
        thread.join()
        raise
    stop[0] = 1
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
