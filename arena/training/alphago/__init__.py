"""AlphaGo's pipeline: a policy from records, one that improves by play, a value network, and a fast rollout policy.

D. Silver et al., "Mastering the game of Go with deep neural networks and tree search", Nature 529 (2016).

Start with `run`, then `part`: what all parts have in common; `policy`, `rollout`, `reinforce` and `value` are the four
parts. May import the packages below, the rooms `alphazero`, `grading`, `openings`, `records` and `training`, and the
files of `plyground.arena`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...late import loaded_late

if TYPE_CHECKING:
    from .public import *  # noqa: F403  (the names stand there, once)
    from .public import __all__ as __all__
else:
    __getattr__, __dir__ = loaded_late(__name__, globals())
