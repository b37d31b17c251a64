"""Two-player board games, and PettingZoo and Gymnasium environments over them.

Importing this package registers every game with both libraries. Start with `game`, what a game is; then `aec`, the
environment of every game, and the room `games`, their rules. May import nothing else of plyground; only a spec string
of an opponent is handed to `plyground.agents`, in `vector.opponents`.

Besides games and environments, here is what you write rules of your own with: `kernel` and `helper`, `below` and
`uniform` for random numbers, `popcount` and `lowest` for bitboards, `lead` for evaluations, `draw_grid`, `letters` and
`numbers_up` for boards. ``BoardVecEnv``, which needs stable-baselines3, is loaded when it is asked for.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .aec import BoardGameEnv, BoardInfo, BoardObservation
from .checking.checker import check_game
from .definition.board import Board, draw_grid, letters, numbers_up
from .definition.evaluation import lead
from .definition.knowledge import Knowledge
from .definition.terms import Repetition, State, Symmetry, state_dtype
from .factory import game_factory
from .game import Game
from .games.checkers import checkers
from .games.chess.game import chess
from .games.connect_four import connect_four
from .games.go.game import go
from .games.minichess import minichess
from .games.mnk import gomoku, mnk
from .games.othello import othello
from .games.tictactoe import tictactoe
from .jit import helper, kernel
from .jit.bits import lowest, popcount
from .jit.prng import below, uniform
from .players import PlayerLike
from .registry import as_game, game_names, make_game, register_game
from .render import picture
from .solo import SoloEnv
from .vector.batch import GameBatch
from .vector.gymnasium import BoardVectorEnv
from .vector.opponents import FromFunction, OpponentLike, Opponents, RandomOpponents, as_opponents
from .vector.seats import SeatBatch
from .version import __version__

register_game(checkers)
register_game(chess)
register_game(connect_four)
register_game(go, presets={"go_9x9": "go(board_size=9)"})
register_game(gomoku)
register_game(minichess)
register_game(mnk, title="MNK")
register_game(othello)
register_game(tictactoe, title="TicTacToe")

__all__ = [
    "Board",
    "BoardGameEnv",
    "BoardInfo",
    "BoardObservation",
    "BoardVectorEnv",
    "FromFunction",
    "Game",
    "GameBatch",
    "Knowledge",
    "OpponentLike",
    "Opponents",
    "PlayerLike",
    "RandomOpponents",
    "Repetition",
    "SeatBatch",
    "SoloEnv",
    "State",
    "Symmetry",
    "__version__",
    "as_game",
    "as_opponents",
    "below",
    "check_game",
    "checkers",
    "chess",
    "connect_four",
    "draw_grid",
    "game_factory",
    "game_names",
    "go",
    "gomoku",
    "helper",
    "kernel",
    "lead",
    "letters",
    "lowest",
    "make_game",
    "minichess",
    "mnk",
    "numbers_up",
    "othello",
    "picture",
    "popcount",
    "register_game",
    "state_dtype",
    "tictactoe",
    "uniform",
]

if TYPE_CHECKING:
    from . import checkers_v0 as checkers_v0
    from . import chess_v0 as chess_v0
    from . import connect_four_v0 as connect_four_v0
    from . import go_v0 as go_v0
    from . import gomoku_v0 as gomoku_v0
    from . import minichess_v0 as minichess_v0
    from . import mnk_v0 as mnk_v0
    from . import othello_v0 as othello_v0
    from . import tictactoe_v0 as tictactoe_v0
    from .vector.stable_baselines import BoardVecEnv as BoardVecEnv
else:  # where a type checker saw `__getattr__`, it would take any name for one of ours

    def __getattr__(name: str) -> Any:
        """Load what needs more than the core, when it is asked for."""
        if name == "BoardVecEnv":
            return import_module(".vector.stable_baselines", __name__).BoardVecEnv
        if name.endswith("_v0"):  # as `pettingzoo.classic` has its modules
            with suppress(ModuleNotFoundError):
                return import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
