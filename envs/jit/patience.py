"""Plain Python before compiled code: to compile takes a second or more, and a call or a few of plain Python less.

What must answer quickly each time, as in the midst of a search or a batch, is no case for this.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

__all__ = ["Patience", "PlainFirst"]

_SECONDS = 0.25  # less than the compiler takes, and enough for a few games from a file


class Patience:
    """The time for which a function still runs as plain Python, before it is compiled.

    Attributes:
        seconds: that are left; where they are not above 0, the function is to be compiled.
    """

    def __init__(self) -> None:
        self.seconds = _SECONDS

    def plain(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function, for which the time goes on; as in compiled code, numbers may overflow in it."""
        began = time.perf_counter()
        try:
            with np.errstate(all="ignore"):
                return function(*arguments)
        finally:
            self.seconds -= time.perf_counter() - began


class PlainFirst:
    """A kernel that runs as plain Python with each game at first, and as machine code when that has taken long.

    Args:
        compiled: the kernel; its first argument is the game, and it calls nothing but the game's rules.
    """

    def __init__(self, compiled: Callable[..., Any]) -> None:
        self._compiled = compiled
        self._plain: Callable[..., Any] = getattr(compiled, "py_func", compiled)  # itself, where nothing is compiled
        self._patience: defaultdict[Hashable, Patience] = defaultdict(Patience)

    def __call__(self, game: Any, *arguments: Any) -> Any:
        """Call it with a game; what is returned may be numbers of NumPy or of Python."""
        patience = self._patience[game.numba_type]
        if patience.seconds > 0:
            return patience.plain(self._plain, game, *arguments)
        return self._compiled(game, *arguments)
