"""The PettingZoo module of this game, used as ``minichess_v0.env()``: see `plyground.envs.games.minichess`."""

from .games.minichess import minichess
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, minichess)
