"""Matches between players, tournaments, and the training of policies.

Start with `loop`, a game between two players; then `matches`, many of them, and the room `training`. May import
`plyground.envs` and `plyground.agents`, with their rooms.

What is here is loaded when it is first asked for, so that the command line starts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .late import loaded_late

if TYPE_CHECKING:
    from .public import *  # noqa: F403  (the names stand there, once)
    from .public import __all__ as __all__
else:
    __getattr__, __dir__ = loaded_late(__name__, globals())
