"""The PettingZoo module of this game, used as ``tictactoe_v0.env()``: see `plyground.envs.games.tictactoe`."""

from .games.tictactoe import tictactoe
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, tictactoe)
