"""A person at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..envs import Game, State, as_game
from .agent import Info, Observation, mask_in, state_of
from .described import Described

__all__ = ["Human"]

_MOST_NAMES = 12  # legal moves that the question lists
_MOST_IN_HELP = 60
_QUIT = ("q", "quit")


class Human(Described):
    """Shows the board, and asks for a move until it gets a legal one. ``?`` lists the moves.

    Args:
        game: the game, or its name.
        ask: shows a prompt and returns a line, as `input` does.
        show: shows text, as `print` does.
        board: draws a position for ``show``. Default: the game's ``text``.
        commands: other words that a person may type, each with what it does, for the help, and a function of the state
            that does it.
    """

    def __init__(
        self,
        game: Game | str,
        ask: Callable[[str], str] = input,
        show: Callable[[Any], object] = print,
        *,
        board: Callable[[State], Any] | None = None,
        commands: Mapping[str, tuple[str, Callable[[State], object]]] | None = None,
    ) -> None:
        self.game = as_game(game)
        self._ask, self._show = ask, show
        self._board = board or self.game.text
        self._commands = dict(commands or {})

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: people remember by themselves."""

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the action that the person chose.

        Raises:
            KeyboardInterrupt: the person typed ``q`` or ``quit``, or closed the input.
        """
        game = self.game
        state = state_of(game, observation, info)
        mask = mask_in(observation, info)
        legal = [action for action in game.actions(state) if mask is None or mask[action]]
        names = [game.move_name(state, action) for action in legal]
        example = ", ".join(names) if len(names) <= _MOST_NAMES else f"such as {names[len(names) // 2]}"
        self._show(self._board(state))
        while True:
            try:
                answer = self._ask(f"Your move ({example}; ? for help): ").strip()
            except EOFError:
                raise KeyboardInterrupt from None
            if answer.lower() in _QUIT:
                raise KeyboardInterrupt
            if answer in ("?", "help"):
                self._show(self._help(names))
                continue
            if answer.lower() in self._commands:
                self._commands[answer.lower()][1](state)
                continue
            if not answer:
                continue
            try:
                action = game.move_of(state, answer)
            except ValueError as error:
                # "D3" where the game says d3: after `move_of`, for in SAN a B is a bishop, and a b is a file.
                alike = [one for one, name in zip(legal, names, strict=True) if name.lower() == answer.lower()]
                if len(alike) == 1:
                    return alike[0]
                self._show(str(error))
                continue
            if action in legal:
                return action
            self._show(f"{answer} is not a legal move now.")

    def _help(self, names: list[str]) -> str:
        shown = " ".join(names[:_MOST_IN_HELP]) + (f" … {len(names)} in all" if len(names) > _MOST_IN_HELP else "")
        words = {**{word: what for word, (what, _) in self._commands.items()}, "quit": "leave the game"}
        return "\n".join([f"Legal moves: {shown}", *(f"  {word:8}{what}" for word, what in words.items())])
