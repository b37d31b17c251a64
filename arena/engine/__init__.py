"""A player as an engine: what a graphical board, a referee or a server for games asks by a protocol.

Start with `server`, which speaks the Go Text Protocol, at the board of `seat`; `live` tells of a search while it goes
on, `analysis` in the words of Leela Zero and KataGo. `uci` speaks the Universal Chess Interface, at the board of
`chess_seat`: `thinking` is a search that it asks for, `plyground.agents.scores` tells values in centipawns. Both share
`table`, the player and its referee, and `conversation`, the lines. May import `plyground.envs` with its rooms
`games.go`, `jit` and `vector`, `plyground.agents` with its room `engines`, and the rooms `records` and `referee`.
"""

from .server import GTPServer
from .uci import UCIServer

__all__ = ["GTPServer", "UCIServer"]
