"""Openings: moves or positions that are set before the players take over, so that no two games are the same.

Start with `drawn`: random ones. `files` reads them from files, those of `positions` among them, and has the committed
ones of some games; `balanced` finds such, which leave both sides even. May import `plyground.envs`, `plyground.agents`
and the records.
"""

from ..records.opening import Opening
from .balanced import balanced_openings
from .drawn import default_opening_plies, random_line, random_openings
from .files import committed_openings, openings_of, read_moves, read_openings, write_openings

__all__ = [
    "Opening",
    "balanced_openings",
    "committed_openings",
    "default_opening_plies",
    "openings_of",
    "random_line",
    "random_openings",
    "read_moves",
    "read_openings",
    "write_openings",
]
