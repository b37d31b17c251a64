"""Tournaments: who plays whom, the games, and the table.

`plyground.arena.matches` plays them. `formats` names who may play whom: `schedules`, and `allocation`,
which plays where it tells most; `course` keeps how far a tournament is, `games`
plays, here or in other processes, and `standings` is the table. May import `plyground.envs`, `plyground.agents`, the
loop and the records.
"""

from .standings import Score, Standing, standings

__all__ = ["Score", "Standing", "standings"]
