"""Moves as people type them, and a line that says how a position stands."""

from __future__ import annotations

from ..envs import Game, State

__all__ = ["read_moves", "status_of"]


def read_moves(game: Game, text: str) -> list[int]:
    """Return the legal moves in a text, in which they are separated by spaces or commas.

    Args:
        game: whose moves they are, from its initial state.
        text: names of actions; or their ids, where the game has no action of that name.

    Raises:
        ValueError: a move is unknown, illegal, or comes after the end; the message says which.
    """
    moves = [_action(game, token) for token in text.replace(",", " ").split()]
    game.play_moves(moves)
    return moves


def _action(game: Game, token: str) -> int:
    try:
        return game.str_to_action(token)
    except ValueError:
        if token.isdecimal() and int(token) < game.num_actions:
            return int(token)
        raise


def status_of(game: Game, state: State) -> str:
    """Return who is to move, or who won."""
    if not game.is_terminal(state):
        return f"{game.players[int(game.player(state))]} to move"
    first, second = game.utility(state, 0), game.utility(state, 1)
    return "draw" if first == second else f"{game.players[int(first < second)]} won"
