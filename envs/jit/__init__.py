"""How Numba takes any game: its type, kernels and their cache on disk, and what kernels need beside them.

Start with `kernels`; `game_type` says how a kernel takes a game as an argument. May import no other room and no file of
`plyground.envs`: everything else stands on this.
"""

from .kernels import bind, kernel
from .linked import helper
from .patience import Patience, PlainFirst
from .prefetch import prefetch
from .recursion import self_call

__all__ = ["Patience", "PlainFirst", "bind", "helper", "kernel", "prefetch", "self_call"]
