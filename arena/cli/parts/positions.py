"""Positions and moves as people type them, and a line that says how a position stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....envs import Game, State
from ....envs.definition.board import sides_of

__all__ = ["position_data", "start_of", "status_of"]


def start_of(game: Game, position: str) -> State:
    """Return the position that a text describes, or the initial one for an empty text.

    Raises:
        ValueError: the game has no such texts, or it cannot be read.
    """
    return game.state_from_fen(position) if position else game.new_state()


def board_text(game: Game, state: State, unicode: bool = False) -> str:
    """Return a position as text; ``unicode``: with the symbols of the pieces, if the game's board has any."""
    if unicode and game.board is not None and game.board.symbols:
        return game.board.text(state, unicode=True)
    return game.text(state)


def position_data(game: Game, state: State) -> dict[str, Any]:
    """Return a position for JSON."""
    over = bool(game.is_terminal(state))
    return {
        "game": game.source,
        "board": game.text(state),
        "status": status_of(game, state, game.players),
        "to_move": None if over else game.players[int(game.player(state))],
        "legal": [] if over else [game.move_name(state, action) for action in game.actions(state)],
    }


def status_of(game: Game, state: State, names: Sequence[str] | None = None) -> str:
    """Return a line that says who is to move, or who won, by these names; by default, as people call the two."""
    names = sides_of(game) if names is None else names
    if not game.is_terminal(state):
        return f"{names[int(game.player(state))]} to move"
    first, second = game.utility(state, 0), game.utility(state, 1)
    return "draw" if first == second else f"{names[int(first < second)]} won"
