"""Where a game starts: the initial state, any other, or the end of a line of moves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .game import Game
from .outside.arguments import checked_options
from .position import Position
from .terms import State

__all__ = ["Start", "begin", "read_options"]


class Start(NamedTuple):
    """Where a game starts."""

    state: State  # a copy of what was given, the position that a text describes, or the initial state
    moves: list[int | str]  # played from there


def read_options(game: Game, options: Any) -> Start:
    """Return what the options of a ``reset`` say.

    Raises:
        ValueError: they are no mapping, the state or the text is none of the game, or the moves are no list.
    """
    options = checked_options(options, ("fen", "moves", "state"))
    state, moves, fen = options.get("state"), options.get("moves", ()), options.get("fen")
    if isinstance(moves, (str, bytes)) or not isinstance(moves, Iterable):
        raise ValueError(f"options['moves'] must be a list of action ids or names, got {moves!r}")
    if state is not None and fen is not None:
        raise ValueError("options['state'] and options['fen'] both say where the game starts: give one of them")
    if fen is not None:
        return Start(game.state_from_fen(fen), list(moves))
    start = game.new_state() if state is None else game.state_check.checked(state, "options['state']").copy()
    return Start(start, list(moves))


def begin(game: Game, position: Position, options: Any) -> tuple[State, int] | None:
    """Begin a game where the ``options`` of a ``reset`` say, and play their moves.

    Args:
        game: the game.
        position: a position of ``game``, begun anew; after an error it is of no use.
        options: ``"state"``, ``"fen"`` and ``"moves"``, see `BoardGameEnv.reset`.

    Returns:
        The last move, as the state before it and the action; None if there is none.

    Raises:
        ValueError: the options do not fit the game, a move is illegal, or the game would be over.
    """
    start = read_options(game, options)
    position.start(start.state)
    last = None
    for index, move in enumerate(start.moves):
        action = game.checked_action(position.state, move, index)
        if position.over:
            raise ValueError(f"move {move!r} at index {index} comes after the end of the game of {game.name}")
        if not position.mask[action]:
            name = game.move_name(position.state, action)
            raise ValueError(f"move {name} at index {index} is illegal in {game.name}: it repeats a position")
        last = position.state.copy(), action
        position.play(action)
    if position.over:
        raise ValueError(f"cannot start a game of {game.name} from a finished position:\n{game.text(position.state)}")
    return last
