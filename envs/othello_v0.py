"""The PettingZoo module of this game, used as ``othello_v0.env()``: see `plyground.envs.games.othello`."""

from .games.othello import othello
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, othello)
