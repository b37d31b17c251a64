"""Programs that others wrote, as players: processes that are told of the moves and asked for theirs.

Start with `agent`: the player that speaks GTP. `gtp` is what it says to a program, `process` the program itself,
`following` how it knows the moves from the positions that it is shown. `gnugo` is GNU Go, told of our rules.
`chess_engine` is the player that speaks UCI or XBoard, by python-chess, of which `chess_protocols` makes use.

May import `plyground.envs` and the files of `plyground.agents`.
"""

from .agent import DisagreementError, Engine
from .chess_engine import ChessEngine, engine
from .gnugo import gnugo, gnugo_command
from .gtp import LETTERS, GTPClient, GTPRefusalError, vertices_of
from .process import EngineError

__all__ = [
    "LETTERS",
    "ChessEngine",
    "DisagreementError",
    "Engine",
    "EngineError",
    "GTPClient",
    "GTPRefusalError",
    "engine",
    "gnugo",
    "gnugo_command",
    "vertices_of",
]
