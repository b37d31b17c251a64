"""Training of policies: configuration, opponents, networks, and runs that can be interrupted.

Start with `run`. May import the packages below and the files of `plyground.arena`, its room `openings`, and the
room `policies` of `plyground.agents`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..late import loaded_late

if TYPE_CHECKING:
    from .public import *  # noqa: F403  (the names stand there, once)
    from .public import __all__ as __all__
else:
    __getattr__, __dir__ = loaded_late(__name__, globals())
