"""The PettingZoo module of this game, used as ``tictactoe_v0.env()``: see `plyground.envs.games.tictactoe`."""

from .aec import env_functions
from .games.tictactoe import tictactoe

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(tictactoe)
