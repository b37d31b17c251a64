"""Where a game starts: the initial state, any other, or the end of a line of moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .game import Game, State
from .position import Position

__all__ = ["begin"]


def begin(game: Game, position: Position, options: Mapping[str, Any]) -> tuple[State, int] | None:
    """Begin a game where the ``options`` of a ``reset`` say, and play their moves.

    Args:
        game: the game.
        position: a position of ``game``, begun anew; after an error it is of no use.
        options: ``"state"`` and ``"moves"``, see `BoardGameEnv.reset`.

    Returns:
        The last move, as the state before it and the action; None if there is none.

    Raises:
        ValueError: the state is of another game, a move is illegal, or the game would be over.
    """
    position.start(_state(game, options.get("state")))
    last = None
    for index, move in enumerate(options.get("moves", ())):
        action = game.checked_action(position.state, move, index)
        if position.over:
            raise ValueError(f"move {move!r} at index {index} comes after the end of the game of {game.name}")
        if not position.mask[action]:
            name = game.action_to_str(action)
            raise ValueError(f"move {name} at index {index} is illegal in {game.name}: it repeats a position")
        last = position.state.copy(), action
        position.play(action)
    if position.over:
        raise ValueError(f"cannot start a game of {game.name} from a finished position: {dict(options)!r}")
    return last


def _state(game: Game, state: Any) -> State:
    if state is None:
        return game.new_state()
    record = np.array(state).reshape(-1)
    if record.dtype != game.dtype or record.size != 1:
        raise ValueError(f"options['state'] must be one record of {game.spec}, with dtype {game.dtype}, got {state!r}")
    return record[0].copy()
