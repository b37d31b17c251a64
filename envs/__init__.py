"""Two-player board games, and PettingZoo and Gymnasium environments over them.

Importing this package registers every game with both libraries.
"""

from .aec import BoardGameEnv
from .board import Board
from .checker import check_game
from .factory import game_factory
from .game import Game, Repetition, State, Symmetry, state_dtype
from .games.checkers import checkers
from .games.connect_four import connect_four
from .games.go import go
from .games.mnk import gomoku, mnk
from .games.othello import othello
from .games.tictactoe import tictactoe
from .registry import as_game, game_names, make_game, register_game
from .solo import SoloEnv
from .vector.batch import GameBatch
from .vector.gymnasium import BoardVectorEnv
from .vector.opponents import OpponentLike, Opponents, RandomOpponents, as_opponents
from .vector.seats import SeatBatch
from .version import __version__

register_game(checkers)
register_game(connect_four)
register_game(go, presets={"go_9x9": "go(board_size=9)"})
register_game(gomoku)
register_game(mnk, title="MNK")
register_game(othello)
register_game(tictactoe, title="TicTacToe")

__all__ = [
    "Board",
    "BoardGameEnv",
    "BoardVectorEnv",
    "Game",
    "GameBatch",
    "OpponentLike",
    "Opponents",
    "RandomOpponents",
    "Repetition",
    "SeatBatch",
    "SoloEnv",
    "State",
    "Symmetry",
    "__version__",
    "as_game",
    "as_opponents",
    "check_game",
    "checkers",
    "connect_four",
    "game_factory",
    "game_names",
    "go",
    "gomoku",
    "make_game",
    "mnk",
    "othello",
    "register_game",
    "state_dtype",
    "tictactoe",
]
