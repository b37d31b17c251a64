"""Games in one SQLite file, which several processes may add to, and which loses nothing that is finished.

Start with `session`, a tournament while it is played; `schema` has the tables, `keys` what makes two games the same
game, `rows` a game as a row, `reading` the games of a file, `events` where and when they were played, `titles` what
stands behind ``#`` in a name. May import `plyground.envs`, `plyground.agents` and `plyground.arena.records`.
"""

from .reading import Entry, StoredTournament, check_store, listed, players_in, read_store, tournaments_in
from .saving import collection_in, saved_in_store, write_store
from .session import Plan, Session

__all__ = [
    "Entry",
    "Plan",
    "Session",
    "StoredTournament",
    "check_store",
    "collection_in",
    "listed",
    "players_in",
    "read_store",
    "saved_in_store",
    "tournaments_in",
    "write_store",
]
