"""Where a game starts: the initial state, any other, or the end of a line of moves; checked before anything changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .game import Game, State
from .repetition import PositionCounts

__all__ = ["starting_point"]


def starting_point(game: Game, options: Mapping[str, Any]) -> tuple[State, list[int]]:
    """Return the state that the ``options`` of a ``reset`` start from, and the moves to play from there.

    Raises:
        ValueError: the state is of another game, a move is illegal, or the game would be over.
    """
    start, moves = _state(game, options.get("state")), options.get("moves", ())
    moves = [game.str_to_action(move) if isinstance(move, str) else int(move) for move in moves]
    over = bool(game.is_terminal(game.play_moves(moves, start)))
    if over or (game.repetition is not None and _repeats(game, start, moves)):
        raise ValueError(f"cannot start a game of {game.name} from a finished position: {dict(options)!r}")
    return start, moves


def _state(game: Game, state: Any) -> State:
    if state is None:
        return game.new_state()
    record = np.array(state).reshape(-1)
    if record.dtype != game.dtype or record.size != 1:
        raise ValueError(f"options['state'] must be one record of {game.spec}, with dtype {game.dtype}, got {state!r}")
    return record[0].copy()


def _repeats(game: Game, state: State, moves: list[int]) -> bool:
    """Return whether the moves end in a draw by repetition; raise `ValueError` where one of them breaks superko."""
    assert game.repetition is not None
    forbidden = game.repetition.effect == "forbidden"
    positions, state = PositionCounts(game), state.copy()
    repeats = positions.add(state)
    for ply, move in enumerate(moves):
        game.play(state, move)
        repeats = positions.add(state)
        if repeats and forbidden and move not in game.repetition.exempt:
            name = game.action_to_str(move)
            raise ValueError(f"move {name} at index {ply} is illegal in {game.name}: it repeats a position")
    return repeats and not forbidden
