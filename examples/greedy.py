"""A player of one's own in one file: it looks one ply ahead. It is named by its place, wherever a player is.

Run from the root of the repository::

    plyground tournament ./examples/greedy.py:Greedy random "alphabeta(depth=2)" --game othello
    plyground rate ./examples/greedy.py:Greedy --games 100
    plyground match random ./examples/greedy.py:Greedy --game ./examples/breakthrough.py:breakthrough --games 20

``docs/write_an_agent.md`` says what else a player may have.
"""

from typing import Any

import numpy as np

from plyground.envs import Game, State


class Greedy:
    """Plays the move after which the game's evaluation is best for it; of equal ones, any.

    Args:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._rng = np.random.default_rng()

    def reset(self, seed: int | None = None) -> None:
        """Begin a game. The same seed gives the same game."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)

    def act(self, observation: Any, info: Any) -> int:
        """Return the action."""
        legal = np.flatnonzero(observation["action_mask"])
        worth = np.array([self.worth(info["state"], int(action)) for action in legal])
        return int(self._rng.choice(legal[worth == worth.max()]))

    def worth(self, state: State, action: int) -> float:
        """Return what the player to move can hope for after an action."""
        player, after = self.game.player(state), self.game.play_moves([action], state)
        if self.game.is_terminal(after):
            return self.game.utility(after, player)
        return self.game.evaluate(after, player)
