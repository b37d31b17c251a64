"""A game in progress, for environments: the state, what both players see of it, and what depends on its past."""

from __future__ import annotations

from typing import Any

import numpy as np

from .definition.terms import State
from .game import Game
from .history import copy_frames, new_frames, show_frames, slide
from .jit import bind, kernel
from .repetition import copy_past, enter, is_drawn, mark, new_past, new_scratch, write_mask

__all__ = ["Position", "check_plies"]

_ALONE = np.zeros(1, np.intp)  # the row of the only game


def check_plies(game: Game, plies: int) -> None:
    """Check that a game that is not over may go on after so many plies: there is no room for more of its past.

    Raises:
        ValueError: its rules promise by ``max_plies`` that it is over.
    """
    if plies >= game.max_plies:
        raise ValueError(
            f"a game of {game.spec} goes on after {plies} plies, and its max_plies={game.max_plies} says that none "
            "does: give more, or let is_terminal end it (check_game finds such faults)"
        )


@kernel
def _advance(game, state, action, ply, planes, frames, past, scratch, mask, utilities):
    """Play ``action`` (unless negative), then write what both players see, the mask, and the utilities at the end.

    Returns:
        The player to move, 0 or 1, and whether the game is over.
    """
    if action >= 0:
        game.play(state, action)
    over = game.is_terminal(state)
    if over:
        utilities[0] = game.utility(state, 0)
        utilities[1] = game.utility(state, 1)
    times = enter(game, state, past, 0, ply)
    if frames is None:
        planes[:] = 0
        game.observe(state, 0, planes[0])
        game.observe(state, 1, planes[1])
        mark(past, planes.reshape(-1, planes.shape[-1]), times)
    else:
        slide(game, state, ply, past, frames, 0, times)
        for player in range(2):
            show_frames(frames, 0, player, planes[player].reshape(-1))
    if not over and is_drawn(game, state, past, 0, ply, scratch, times):
        utilities[:] = 0
        over = True
    write_mask(game, state, over, past, 0, ply, scratch, mask)
    return game.player(state), over


class Position:
    """A position and its past. Copies (deepcopy, pickle) share nothing.

    Each move writes the same arrays anew: copy them to hand them on.

    Attributes:
        state: the record.
        player: the player to move, 0 or 1.
        over: whether the game has ended, by the rules of the state or by repetition.
        plies: how many plies the game has had since its start.
        planes: [players, *observation_shape] what each player sees.
        mask: [num_actions] 1 for what the player to move may play: the legal actions but for those that superko
            forbids.
        utilities: [players] once the game is over.
        past: the positions that the game has had, or None where it does not matter.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.state: State = game.new_state()
        self.player, self.over, self.plies = 0, False, 0
        self.planes = np.zeros((2, *game.observation_shape), game.observation_dtype)
        self.mask = np.zeros(game.num_actions, np.int8)
        self.utilities = np.zeros(2)
        self.past = new_past(game, 1)
        self._frames = new_frames(game, 1)
        self._scratch = new_scratch(game)
        self._bind()

    def _bind(self) -> None:
        self._buffers = (self.planes, self._frames, self.past, self._scratch, self.mask, self.utilities)
        self._advance = bind(_advance, self._game, self.state, 0, 0, *self._buffers)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_advance", "_buffers")}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        vars(self).update(attributes)
        self._bind()

    def start(self, state: State) -> None:
        """Begin a game with a state, which is changed from now on."""
        self.state, self.plies = state, 0
        self._move(-1)

    def play(self, action: int) -> None:
        """Play a legal action.

        Raises:
            ValueError: the game should have ended, see `check_plies`; nothing is changed.
        """
        check_plies(self._game, self.plies)
        self.plies += 1
        self._move(action)

    def become(self, other: Position) -> None:
        """Go on where another position of the same game is, with its past, and share nothing with it."""
        self.state = other.state.copy()
        self.player, self.over, self.plies = other.player, other.over, other.plies
        self.planes[:], self.mask[:], self.utilities[:] = other.planes, other.mask, other.utilities
        if self.past is not None and other.past is not None:
            copy_past(other.past, self.past, _ALONE, other.plies)
        if self._frames is not None:
            copy_frames(other.planes, self._frames, _ALONE)

    def _move(self, action: int) -> None:
        self.player, self.over = self._advance(self._game, self.state, action, self.plies, *self._buffers)
