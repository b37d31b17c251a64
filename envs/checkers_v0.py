"""The PettingZoo module of this game, used as ``checkers_v0.env()``: see `plyground.envs.games.checkers`."""

from .games.checkers import checkers
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, checkers)
