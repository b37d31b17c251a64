"""Tic-tac-toe: OpenSpiel numbers the cells along the rows, we down the columns, as PettingZoo does."""

from .pair import Pair

__all__ = ["TICTACTOE"]

TICTACTOE = Pair("tictactoe", "tictactoe", "tic_tac_toe", lambda game, state, action: 3 * (action % 3) + action // 3)
