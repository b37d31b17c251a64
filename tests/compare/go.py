"""Go: OpenSpiel numbers the points from the bottom left, and ends the game as a draw when a board comes again.

Each move that our superko forbids is played there too, and must end the game; every other move must not.
"""

from __future__ import annotations

from typing import Any

from plyground.envs import Game, make_game

from .pair import Pair

__all__ = ["GO"]


def _translate(game: Game, state: Any, action: int) -> int:
    size = game.observation_shape[0]
    row, column = divmod(action, size)
    return action if row == size else (size - 1 - row) * size + column


def _pair(size: int, komi: float, games: int, sample: int) -> Pair:
    spec = f"go(board_size={size}, komi={komi})"
    length = make_game(spec).max_plies
    peer = f"go(board_size={size},komi={komi},max_game_length={length})"
    return Pair(f"go{size}", spec, peer, _translate, games, sample)


GO = [
    _pair(3, 0.0, 20_000, 200),
    _pair(5, 7.5, 20_000, 200),
    _pair(9, 7.5, 20_000, 100),
    _pair(13, 0.5, 2_000, 10),
    _pair(19, 7.5, 1_000, 3),
]
