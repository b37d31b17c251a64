"""``plyground gtp``: a player as an engine, for graphical boards and referees."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .options import GameOption

__all__ = ["gtp"]


def gtp(
    player: Annotated[str, typer.Argument(help="The player, as in 'mcts(seconds=1)'.")],
    game: GameOption = "go_9x9",
) -> None:
    """Be an engine for graphical boards such as Sabaki: Go, Othello and gomoku, by the Go Text Protocol."""
    from ...envs import make_game
    from ..engine import GTPServer

    GTPServer(player, make_game(game)).run(sys.stdin, sys.stdout)
