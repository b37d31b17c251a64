"""The PettingZoo module of this game, used as ``mnk_v0.env(m=4, n=4, k=3)``: see `plyground.envs.games.mnk`."""

from .games.mnk import mnk
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, mnk)
