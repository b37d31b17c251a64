"""Work on the rows of a batch, cut into a piece for each thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

__all__ = ["Pieces"]


class Pieces:
    """Does work in several threads, if there are several. Copies and forked processes have threads of their own.

    Args:
        threads: how many.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._process = os.getpid()

    def spread(self, count: int, call: Callable[[int, int, int], object]) -> None:
        """Cut ``count`` rows into a piece for each thread, and call ``call(piece, first, last)`` for all at once."""
        pieces = max(1, min(self.threads, count))
        ends = [count * piece // pieces for piece in range(pieces + 1)]
        if self._pool is None or pieces == 1:
            for piece in range(pieces):
                call(piece, ends[piece], ends[piece + 1])
        else:
            if self._process != os.getpid():  # a fork has the pool, but not its threads: it would wait for ever
                self._pool, self._process = ThreadPoolExecutor(self.threads), os.getpid()
            work = [self._pool.submit(call, piece, ends[piece], ends[piece + 1]) for piece in range(pieces)]
            try:
                for one in work:
                    one.result()
            finally:  # after an error or Ctrl-C none may go on: what comes next would be written by both
                for one in work:
                    one.cancel()
                wait(work)

    def close(self) -> None:
        """End the threads: what comes later is done in one."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()

    def __reduce__(self) -> tuple[type[Pieces], tuple[int]]:
        return Pieces, (self.threads,)
