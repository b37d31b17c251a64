"""Two-player board games, and PettingZoo and Gymnasium environments over them.

Importing this package registers every game with both libraries.
"""

from .aec import BoardGameEnv
from .checker import check_game
from .factory import game_factory
from .game import Game, State, Symmetry, state_dtype
from .games.connect_four import connect_four
from .games.tictactoe import tictactoe
from .registry import as_game, game_names, make_game, register_game
from .solo import SoloEnv

register_game(connect_four)
register_game(tictactoe, title="TicTacToe")

__all__ = [
    "BoardGameEnv",
    "Game",
    "SoloEnv",
    "State",
    "Symmetry",
    "as_game",
    "check_game",
    "connect_four",
    "game_factory",
    "game_names",
    "make_game",
    "register_game",
    "state_dtype",
    "tictactoe",
]
