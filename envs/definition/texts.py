"""How a game writes its moves and positions, and reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .terms import Rule, State

__all__ = ["GameTexts", "fields_text", "placed"]


@contextmanager
def placed(index: int) -> Iterator[None]:
    """Say in the error about a name which move of a line it is."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"move at index {index}: {error}") from error


def fields_text(state: State) -> str:
    """Return the fields of a state by their names, a line for each, for games that draw themselves in no other way."""
    return "\n".join(
        f"{name} = {np.array2string(np.asarray(state[name]), prefix=f'{name} = ')}" for name in state.dtype.names or ()
    )


class GameTexts:
    """The part of a `Game` that deals in text."""

    name: str
    num_actions: int
    initial: NDArray[Any]
    play: Rule
    checked_action: Callable[[State, int | str, int], int]

    def name_actions(
        self,
        action_to_str: Callable[[int], str],
        str_to_action: Callable[[str], int] | None,
        move_name: Callable[[Any, int], str] | None,
        move_of: Callable[[Any, str], int] | None,
    ) -> None:
        """Take in the functions that `Game` is given for actions."""
        self.action_to_str = action_to_str
        self._parse_action = str_to_action
        self._name_move, self._parse_move = move_name, move_of

    def write_positions(self, fen_of: Callable[[Any], str] | None, read_fen: Callable[[str], Any] | None) -> None:
        """Take in the functions that `Game` is given for positions."""
        self._write_fen, self._read_fen = fen_of, read_fen

    def str_to_action(self, text: str) -> int:
        """Return the action that ``text`` names, as `action_to_str` writes it.

        Raises:
            ValueError: no action has that name.
        """
        if not isinstance(text, str):
            raise ValueError(f"the name of an action of {self.name} is text, got {text!r}")
        if self._parse_action is not None:
            return self._parse_action(text)
        for action in range(self.num_actions):
            if self.action_to_str(action) == text.strip():
                return action
        names = [self.action_to_str(action) for action in range(min(self.num_actions, 8))]
        raise ValueError(f"{self.name} has no action {text!r}: expected a name such as {', '.join(names)}")

    def move_name(self, state: State, action: int) -> str:
        """Return the name of an action in ``state``, as people write it there."""
        return self.action_to_str(action) if self._name_move is None else self._name_move(state, action)

    def move_of(self, state: State, text: str) -> int:
        """Return the action that ``text`` names in ``state``, as `move_name` writes it.

        Raises:
            ValueError: no action has that name there.
        """
        if self._parse_move is None or not isinstance(text, str):
            return self.str_to_action(text)
        return self._parse_move(state, text)

    def line_of(self, moves: Iterable[int | str], state: State | None = None) -> list[int]:
        """Return a line of moves, action ids or their names, as ids.

        Where names depend on the state, they are played from ``state`` (default: the initial one), and must be legal.

        Raises:
            ValueError: a name is unknown, or illegal where it must not be; the message says which.
        """
        if self._parse_move is None:
            return [self._number_of(move, index) for index, move in enumerate(moves)]
        after, line = (self.initial[0] if state is None else state).copy(), []
        for index, move in enumerate(moves):
            line.append(self.checked_action(after, move, index))
            self.play(after, line[-1])
        return line

    def _number_of(self, move: int | str, index: int) -> int:
        if not isinstance(move, str):
            return move
        with placed(index):
            return self.str_to_action(move)

    def line_names(self, moves: Iterable[int], state: State | None = None) -> list[str]:
        """Return the names of legal moves that are played one after another from ``state`` (default: the initial one).

        Without names that depend on the state, nothing is played, and the moves may be any.
        """
        if self._name_move is None:
            return [self.action_to_str(move) for move in moves]
        after, names = (self.initial[0] if state is None else state).copy(), []
        for move in moves:
            names.append(self.move_name(after, move))
            self.play(after, move)
        return names

    def fen(self, state: State) -> str:
        """Return a position as text, in the notation of the game (FEN).

        Raises:
            ValueError: the game has no such notation.
        """
        if self._write_fen is None:
            raise ValueError(f"positions of {self.name} cannot be written as text")
        return self._write_fen(state)

    def state_from_fen(self: Any, text: str) -> State:
        """Return the state of a position that is given as text, in the notation of the game (FEN).

        Raises:
            ValueError: the game has no such notation, or the text is no position of the game.
        """
        return self.state_check.checked(self._position_of(text), "the position")

    def _position_of(self, text: str) -> State:
        """Return what a text describes, which is not asked whether it is a state of the game."""
        if self._read_fen is None:
            raise ValueError(f"positions of {self.name} cannot be read as text: give moves or a state instead")
        return self._read_fen(text)
