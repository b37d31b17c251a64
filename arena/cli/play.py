"""``plyground play``: a person against an agent, at the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from ..lines import console
from .options import GameArgument, Seed, Unicode

__all__ = ["play"]

_out = console(highlight=False)
_AGENT = "a game against an agent"


def play(
    context: typer.Context,
    game: GameArgument,
    against: Annotated[
        str, typer.Option(help="Your opponent, as in 'mcts(seconds=1)'; 'human' for two people.")
    ] = "mcts(simulations=1000)",
    seat: Annotated[str, typer.Option(help="Your seat: first or second.")] = "first",
    seed: Seed = 0,
    unicode: Unicode = False,
) -> None:
    """Play against an agent at the terminal.

    Type a move as it is written at the board, or ? for help, hint, undo, resign, quit.
    """
    from ...envs import make_game
    from .parts.modes import check_options
    from .parts.table import Table

    check_options(context, "--against human" if against == "human" else _AGENT, {_AGENT: ("seat",)})
    if seat not in ("first", "second"):
        raise ValueError(f"seat must be 'first' or 'second', got {seat!r}")
    table = Table(make_game(game), against, ("first", "second").index(seat), unicode)
    try:
        table.play(seed)
    except KeyboardInterrupt:
        _out.print("\nGame abandoned.")
