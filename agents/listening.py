"""Following a search while it runs: what it has found so far, and a way to end it from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from .analysis import Analysis

__all__ = ["Listener"]


class Listener:
    """Hears what a search finds, and may end it. Set it as ``agent.listener`` before the search.

    `AlphaBeta` tells of each depth that it has finished, `MCTS` and `PUCT` now and then of what they have found, and a
    search of a forest (a Gumbel root, or proofs) each time that it has doubled its simulations, or, where these are
    given, of nothing until it has ended. However soon it is stopped, a search finds a move first. Each search needs a
    listener of its own.

    Args:
        hear: called with what was found so far, in whatever thread the search runs. If it returns True, that is enough,
            and the search ends.
        every: seconds between two reports of a search that has no depths.
    """

    def __init__(self, hear: Callable[[Analysis], bool | None] | None = None, every: float = 0.1) -> None:
        self._hear, self.every = hear, every
        self._stopped = threading.Event()
        self._flag: NDArray[Any] | None = None  # what a running kernel polls

    @property
    def is_stopped(self) -> bool:
        """Whether the search is to end."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Let the search end at once. Any thread may call this, and as often as it likes."""
        self._stopped.set()
        flag = self._flag
        if flag is not None:
            flag[0] = 1

    def hear(self, found: Analysis) -> bool:
        """Take notice of what was found so far; return whether the search is to end."""
        if self._hear is not None and self._hear(found):
            self.stop()
        return self.is_stopped

    @contextmanager
    def stopping(self, flag: NDArray[Any]) -> Iterator[None]:
        """Let `stop` set ``flag[0]``, which a kernel polls, as long as this lasts."""
        self._flag = flag
        if self.is_stopped:  # between the last kernel and this one
            flag[0] = 1
        try:
            yield
        finally:
            self._flag = None
