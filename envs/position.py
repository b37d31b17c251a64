"""A game in progress, for environments: the state, what both players see of it, and what depends on its past."""

from __future__ import annotations

from typing import Any

import numpy as np

from .game import Game, State
from .jit import bind, kernel
from .repetition import PositionCounts

__all__ = ["Position"]


@kernel
def _advance(game, state, action, actions, planes, remembered, frame, mask, utilities):
    """Play ``action`` (unless negative), then write what both players see, the mask, and the utilities at the end.

    Of the channels of an observation, the first ``remembered`` (which may be 0) move on by one ``frame`` of channels.

    Returns:
        The player to move, 0 or 1, and whether the game is over.
    """
    if action >= 0:
        game.play(state, action)
    if action >= 0 and remembered > 0:
        cells = planes.reshape(-1, planes.shape[-1])
        for i in range(cells.shape[0]):
            for channel in range(frame + remembered - 1, frame - 1, -1):
                cells[i, channel] = cells[i, channel - frame]
    else:
        planes[:] = 0
    game.observe(state, 0, planes[0])
    game.observe(state, 1, planes[1])
    mask[:] = 0
    for i in range(game.legal_actions(state, actions)):
        mask[actions[i]] = 1
    over = game.is_terminal(state)
    if over:
        utilities[0] = game.utility(state, 0)
        utilities[1] = game.utility(state, 1)
    return game.player(state), over


class Position:
    """A position and its past. Copies (deepcopy, pickle) share nothing.

    The arrays are written anew by each move: whoever hands them on copies them.

    Attributes:
        state: the record.
        planes: what each player sees, [players] and then the ``observation_shape``.
        mask: [num_actions] 1 for what the player to move may play: the legal actions but for those that superko
            forbids.
        utilities: [players] once the game is over.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.state: State = game.new_state()
        self.planes = np.zeros((2, *game.observation_shape), game.observation_dtype)
        self.mask = np.zeros(game.num_actions, np.int8)
        self.utilities = np.zeros(2)
        self._actions = np.empty(game.num_actions, np.int32)
        self._past = None if game.repetition is None else PositionCounts(game)
        self._bind()

    def _bind(self) -> None:
        frames, frame = self._game.history or (1, 0)
        self._buffers = (self._actions, self.planes, (frames - 1) * frame, frame, self.mask, self.utilities)
        self._advance = bind(_advance, self._game, self.state, 0, *self._buffers)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_advance", "_buffers")}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        vars(self).update(attributes)
        self._bind()

    def start(self, state: State) -> tuple[int, bool]:
        """Begin with a state, which is changed from now on; return as `play` does."""
        self.state = state
        if self._past is not None:
            self._past.clear()
        return self.play(-1)

    def play(self, action: int) -> tuple[int, bool]:
        """Play a legal action (none if negative), and return the player to move and whether the game is over."""
        player, over = self._advance(self._game, self.state, action, *self._buffers)
        if self._past is not None:
            over = self._apply_repetition(self._past, over)
        return player, over

    def _apply_repetition(self, past: PositionCounts, over: bool) -> bool:
        """Count the position, and return whether the game is over, by the rules of the state or by repetition."""
        assert self._game.repetition is not None
        repeats = past.add(self.state)
        if over:
            return True
        if self._game.repetition.effect == "forbidden":
            past.forbid(self.state, self.mask)
            return False
        if repeats:
            self.utilities[:] = 0
        return repeats
