"""A player as an engine: what a graphical board, a referee or a server for games asks by the Go Text Protocol.

Start with `server`. `clock` shares out a player's time, `analysis` says what a search found in the words of Leela Zero
and KataGo. May import `plyground.envs` with its rooms `games` and `vector`, and `plyground.agents` with its room
`engines`.
"""

from .server import GTPServer

__all__ = ["GTPServer"]
