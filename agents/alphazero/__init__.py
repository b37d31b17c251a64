"""Players that AlphaZero's networks make: the search that asks one, and the network alone.

Start with `agent`; `nets` finds the network of a run, of a file, or one that comes with the package. May import
`plyground.envs`, its room `jit`, the files of `plyground.agents`, the rooms `networks`, `policies`, `puct` and
`puct.forest`.
"""

from .agent import AlphaZero
from .policy import network

__all__ = ["AlphaZero", "network"]
