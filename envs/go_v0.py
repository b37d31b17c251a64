"""The PettingZoo module of this game, used as ``go_v0.env(board_size=9)``: see `plyground.envs.games.go.game`."""

from .games.go.game import go
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, go)
