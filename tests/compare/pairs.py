"""Every game, and who else has it."""

from __future__ import annotations

from .checkers import CHECKERS
from .chess import CHESS, ClassicChess, PythonChess
from .classic_go import CLASSIC_GO, ClassicGo
from .connect_four import CONNECT_FOUR
from .go import GO
from .mnk import GOMOKU, MNK
from .othello import OTHELLO
from .pair import Pair
from .tictactoe import TICTACTOE

__all__ = ["PAIRS"]

PAIRS: dict[str, Pair | ClassicGo | PythonChess | ClassicChess] = {
    pair.name: pair for pair in (CHECKERS, *CHESS, CONNECT_FOUR, *GO, *CLASSIC_GO, *GOMOKU, *MNK, OTHELLO, TICTACTOE)
}
