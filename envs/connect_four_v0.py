"""The PettingZoo module of this game, used as ``connect_four_v0.env()``: see `plyground.envs.games.connect_four`."""

from .games.connect_four import connect_four
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, connect_four)
