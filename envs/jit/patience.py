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

_SECONDS = 0.25  # less than to compile a short rule, and more than plain Python takes for a few games of any of ours


class Patience:
    """The time for which a function still runs as plain Python, before it is compiled; ``with`` it, that goes on.

    As in compiled code, numbers may overflow meanwhile.

    Attributes:
        seconds: that are left; not above 0: the function is compiled.
    """

    def __init__(self) -> None:
        self.seconds = _SECONDS

    def __enter__(self) -> None:
        self._errors = np.errstate(all="ignore")
        self._errors.__enter__()
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds -= time.perf_counter() - self._began
        self._errors.__exit__(None, None, None)


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
            with patience:
                return self._plain(game, *arguments)
        return self._compiled(game, *arguments)
