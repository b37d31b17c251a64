"""The PettingZoo module of this game, used as ``gomoku_v0.env()``: see `plyground.envs.games.mnk`."""

from .games.mnk import gomoku
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, gomoku)
