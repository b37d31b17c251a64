"""Programs that others wrote, as players: processes that are told of the moves and asked for theirs.

Start with `agent`: the player. `gtp` is what it says to a program, `process` the program itself, `following` how it
knows the moves from the positions that it is shown. May import `plyground.envs` and the files of `plyground.agents`.
"""

from .agent import DisagreementError, Engine
from .gtp import LETTERS, GTPClient, GTPRefusalError, vertices_of
from .process import EngineError

__all__ = [
    "LETTERS",
    "DisagreementError",
    "Engine",
    "EngineError",
    "GTPClient",
    "GTPRefusalError",
    "vertices_of",
]
