"""A person at the terminal."""

from __future__ import annotations

from collections.abc import Callable

from ..envs import Game, as_game
from .agent import Info, Observation, mask_in, state_of

__all__ = ["Human"]

_MOST_NAMES = 20  # legal moves that the question lists


class Human:
    """Shows the board, and asks for a move until it gets a legal one.

    Args:
        game: the game, or its name.
        ask: shows a prompt and returns a line, as `input` does.
        show: shows text, as `print` does.
    """

    def __init__(
        self, game: Game | str, ask: Callable[[str], str] = input, show: Callable[[str], object] = print
    ) -> None:
        self.game = as_game(game)
        self._ask, self._show = ask, show

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: people remember by themselves."""

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the action that the person chose.

        Raises:
            KeyboardInterrupt: the person typed ``q``, or closed the input.
        """
        game = self.game
        state = state_of(game, observation, info)
        mask = mask_in(observation, info)
        legal = [action for action in game.actions(state) if mask is None or mask[action]]
        names = ", ".join(game.action_to_str(action) for action in legal[:_MOST_NAMES])
        if len(legal) > _MOST_NAMES:
            names += f", … {len(legal)} in all"
        self._show(game.text(state))
        while True:
            try:
                answer = self._ask(f"Your move ({names}; q to give up): ").strip()
            except EOFError:
                raise KeyboardInterrupt from None
            if answer.lower() in ("q", "quit"):
                raise KeyboardInterrupt
            try:
                action = game.str_to_action(answer)
            except ValueError as error:
                self._show(str(error))
                continue
            if action in legal:
                return action
            self._show(f"{answer} is not a legal move now.")
