"""Tournaments: who plays whom, the games, and the table of results.

`plyground.arena.matches` plays them. `schedules` are the formats, `course` keeps how far a tournament is, `bundles`
cuts what is left into pieces, `table` plays a piece, game by game or `side_by_side`, and `games` puts all together;
`workers` are processes that play. `standings` is the table of results. May import `plyground.envs`, its compiled code
and its batches, `plyground.agents`, the loop and the records.
"""

from .standings import Score, Standing, standings

__all__ = ["Score", "Standing", "standings"]
