"""Where a game starts: the initial state, any other, or the end of a line of moves."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from .definition.terms import State
from .game import Game
from .outside.arguments import checked_options, is_list
from .outside.messages import shown
from .position import Position

__all__ = ["Start", "begin", "position_of", "position_text", "read_options"]


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
    if not options:  # as nearly always
        return Start(game.new_state(), [])
    state, moves, fen = options.get("state"), options.get("moves", ()), options.get("fen")
    if not is_list(moves):
        raise ValueError(f"options['moves'] must be a list of action ids or names, got {moves!r}")
    if state is not None and fen is not None:
        raise ValueError("options['state'] and options['fen'] both say where the game starts: give one of them")
    if fen is not None:
        return Start(game.state_from_fen(fen), list(moves))
    start = game.new_state() if state is None else game.state_check.checked(state, "options['state']").copy()
    return Start(start, list(moves))


def begin(game: Game, position: Position, options: Any) -> tuple[list[int], State | None]:
    """Begin a game where the ``options`` of a ``reset`` say, and play their moves.

    Args:
        game: the game.
        position: a position of ``game``, begun anew; after an error it is of no use.
        options: ``"state"``, ``"fen"`` and ``"moves"``, see `BoardGameEnv.reset`.

    Returns:
        The moves as actions, and the state before the last of them; None if there are none.

    Raises:
        ValueError: the options do not fit the game, a move is illegal, or the game would be over.
    """
    start = read_options(game, options)
    position.start(start.state)
    line: list[int] = []
    before: State | None = None
    for index, move in enumerate(start.moves):
        action = game.checked_action(position.state, move, index)
        if position.over:
            raise ValueError(f"move {move!r} at index {index} comes after the end of the game of {game.name}")
        if not position.mask[action]:
            name = game.move_name(position.state, action)
            raise ValueError(f"move {name} at index {index} is illegal in {game.name}: it repeats a position")
        if index == len(start.moves) - 1:
            before = position.state.copy()
        line.append(action)
        position.play(action)
    if position.over:
        raise ValueError(f"cannot start a game of {game.name} from a finished position:\n{game.text(position.state)}")
    return line, before


def position_text(game: Game, state: State) -> str | None:
    """Return a position as text, from which `position_of` makes the very same state; None for the initial one.

    That is the notation of the game (FEN) if it tells all of the state, and else its fields as JSON.
    """
    if state == game.initial[0]:
        return None
    try:
        text = game.fen(state)
        if game.state_from_fen(text) == state:
            return text
    except ValueError:  # the game has no notation, or none for this position
        pass
    return json.dumps({name: state[name].tolist() for name in game.dtype.names or ()}, separators=(",", ":"))


def position_of(game: Game, text: str | None) -> State:
    """Return the state that `position_text` or the notation of the game describes; None: the initial one.

    Raises:
        ValueError: the text cannot be read, or is no position of the game.
    """
    if text is None:
        return game.new_state()
    if not text.startswith("{"):
        return game.state_from_fen(text)
    state = game.new_state()
    try:
        fields = json.loads(text)
        if not isinstance(fields, dict) or set(fields) != set(game.dtype.names or ()):
            raise ValueError("other fields")
        for name, value in fields.items():
            values = np.array(value, state[name].dtype)
            if values.shape != state[name].shape or values.tolist() != value:
                raise ValueError(name)
            state[name] = values
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise ValueError(
            f"the position {shown(text)} cannot be read: expected the fields of a state of {game.name}, as JSON"
        ) from None
    return game.state_check.checked(state, "the position")
