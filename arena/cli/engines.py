"""``plyground gtp`` and ``uci``: a player as an engine, for graphical boards, referees and tournament managers."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from typing import Annotated, TextIO

import typer

__all__ = ["gtp", "uci"]


def gtp(
    player: Annotated[str, typer.Argument(help="The player, as in 'mcts(seconds=1)'.")],
    game: Annotated[
        str, typer.Option("--game", "-g", help="Go, gomoku or Othello, as in 'go(board_size=13)'.")
    ] = "go_9x9",
) -> None:
    """Run as an engine for graphical boards such as Sabaki: Go, Othello and gomoku, by the Go Text Protocol."""
    from ...envs import make_game
    from ..engine import GTPServer

    ends = _ends()
    with redirect_stdout(sys.stderr):  # where players may print what they like
        GTPServer(player, make_game(game)).run(*ends)


def uci(
    player: Annotated[str, typer.Argument(help="The player, as in 'alphabeta' or 'mcts(simulations=1000)'.")],
    game: Annotated[
        str, typer.Option("--game", "-g", help="Chess, or Chess960, as in 'chess(chess960=518)'.")
    ] = "chess",
) -> None:
    """Run as a chess engine for graphical boards and tournament managers, by the Universal Chess Interface."""
    from ...envs import make_game
    from ..engine import UCIServer

    ends = _ends()
    with redirect_stdout(sys.stderr):  # where players may print what they like
        UCIServer(player, make_game(game)).run(*ends)


def _ends() -> tuple[TextIO, TextIO]:
    """Return standard input and output, neither of which fails at a character that its encoding does not have.

    A board may send a path in the encoding of its own system, and a line that cannot be written is one that it waits
    for.
    """
    for end in (sys.stdin, sys.stdout):
        if isinstance(end, io.TextIOWrapper):
            end.reconfigure(errors="replace")
    return sys.stdin, sys.stdout
