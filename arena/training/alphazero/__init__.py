"""AlphaZero: self-play with a net inside the search, and learning from it, in runs that can be interrupted.

Start with `run`, then `session`: the loop. `self_play` makes the samples, `replay` keeps them, `learner` learns from
them. May import the packages below, the rooms `grading`, `openings` and `training`, and the files of
`plyground.arena`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...late import loaded_late

if TYPE_CHECKING:
    from .public import *  # noqa: F403  (the names stand there, once)
    from .public import __all__ as __all__
else:
    __getattr__, __dir__ = loaded_late(__name__, globals())
