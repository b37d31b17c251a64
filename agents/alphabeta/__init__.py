"""Alpha-beta search.

Start with `agent`; the search itself is `negamax`. May import `plyground.envs` and the files of `plyground.agents`.
"""

from .agent import AlphaBeta

__all__ = ["AlphaBeta"]
