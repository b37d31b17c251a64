"""Tournaments: who plays whom, the games, and the table of results.

Start with `course`; `plyground.arena.matches` plays tournaments. `formats` names who may play whom: `schedules`, with
the `pairing` of a Swiss round, and `allocation`, which plays where it tells most. `course` keeps how far a tournament
is, and checks what was played `earlier`. `bundles` cuts what is left into pieces, `table` plays a piece, game by game
or `side_by_side`, and `games` puts all together; `workers` are processes that play. `standings` is the table of
results. May import `plyground.envs`, its compiled code and its batches, `plyground.agents`, the loop, the records and
the referee.
"""

from .standings import Score, Standing, standings

__all__ = ["Score", "Standing", "standings"]
