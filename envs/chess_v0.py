"""The PettingZoo module of this game, used as ``chess_v0.env()``: see `plyground.envs.games.chess`."""

from .games.chess.game import chess
from .modules import env_functions

__all__ = ["env", "raw_env"]

env, raw_env = env_functions(__name__, chess)
