"""The referee: time, and results that are known before the rules end a game.

Start with `conditions`: what players agree on beside the rules. By `clock` and `time_control` who has used up the time
loses; `adjudication` ends games whose result is known. May import `plyground.envs` and `plyground.agents`; the games
are played in `plyground.arena.loop`.
"""

from .adjudication import Adjudicator, Position, adjudicator_of
from .conditions import Conditions, Failures
from .time_control import TimeControl

__all__ = ["Adjudicator", "Conditions", "Failures", "Position", "TimeControl", "adjudicator_of"]
