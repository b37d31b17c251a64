"""Chess against python-chess at every ply, and our classic environment against ``chess_v6``, record by record.

With python-chess moves, check, ends, claims, repetitions and validity are compared at every ply, and texts at some. Of
``chess_v6`` all that it shows is compared, and a few moves are illegal; `tests/helpers/classic_chess.py` says what the
infos have. The faults that ``classic=True`` keeps have tests in `tests/games/test_chess_classic.py`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from plyground.envs import make_game

__all__ = ["CHESS", "ClassicChess", "PythonChess"]

_TEXTS = 0.1  # share of the plies at which FEN and names of moves are compared too


@dataclass(frozen=True)
class PythonChess:
    """Chess, or Chess960 from one array, in random games that are steered in turn to what is rare.

    Attributes:
        name: of the pair, on the command line.
        number: of the array; -1 for chess.
        games: how many random games the full comparison plays, of some 350 plies.
        sample: how many the test suite plays.
    """

    name: str
    number: int
    games: int
    sample: int

    @property
    def game(self) -> str:
        """Our spec. It draws where the Laws of FIDE do without a claim, but for the fifth repetition."""
        return f"chess(chess960={self.number}, max_quiet_plies=150, repetition=0)"

    peer = "python-chess"

    def run(self, games: int, seed: int = 0) -> Iterator[int]:
        """Play random games, and yield the length of each, in plies.

        Raises:
            AssertionError: they differ; the message has the position.
            ModuleNotFoundError: python-chess is not installed.
        """
        played = import_module("tests.helpers.chess_games").games(make_game(self.game), math.inf, seed, _TEXTS)
        for found in itertools.islice(played, games):
            yield found["plies"]


@dataclass(frozen=True)
class ClassicChess:
    """The environment with the faults of ``chess_v6`` beside it, in random games that are steered in turn.

    Attributes:
        name: of the pair, on the command line.
        games: how many random games the full comparison plays, three in a second.
        sample: how many the test suite plays.
    """

    name: str
    games: int
    sample: int

    game = "chess(classic=True)"
    peer = "pettingzoo chess_v6"

    def run(self, games: int, seed: int = 0) -> Iterator[int]:
        """Play random games in both, and yield the length of each, in plies.

        Raises:
            AssertionError: something that the environments show differs; the message has the position.
            ModuleNotFoundError: python-chess or pygame is not installed.
        """
        for found in import_module("tests.helpers.classic_chess").classic_games(games, seed):
            yield found["plies"]


CHESS = [
    PythonChess("chess", -1, games=3_000, sample=8),
    PythonChess("chess960", 692, games=260, sample=8),
    ClassicChess("chess-classic", games=140, sample=7),
]
