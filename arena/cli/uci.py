"""``plyground uci``: a player as a chess engine, for graphical boards and tournament managers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .options import GameOption

__all__ = ["uci"]


def uci(
    player: Annotated[str, typer.Argument(help="The player, as in 'alphabeta' or 'mcts(simulations=1000)'.")],
    game: GameOption = "chess",
) -> None:
    """Be a chess engine for graphical boards and tournament managers, by the Universal Chess Interface."""
    from ...envs import make_game
    from ..engine import UCIServer

    UCIServer(player, make_game(game)).run(sys.stdin, sys.stdout)
