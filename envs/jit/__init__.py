"""How Numba takes any game: its type, kernels and their cache on disk, and what kernels need beside them.

Start with `game_type`. May import no other room and no file of `plyground.envs`: everything else stands on this.
"""

from .game_type import bind, borrowed, kernel
from .linked import helper

__all__ = ["bind", "borrowed", "helper", "kernel"]
