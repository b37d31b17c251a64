"""The rules of a game as machine code, for slow searches beside which tests hold ours: in Python chess takes long."""

from __future__ import annotations

from typing import Any

import numpy as np

from plyground.envs import Game
from plyground.envs.jit import kernel

__all__ = ["CompiledRules"]


@kernel
def _player(game, state):
    return game.player(state)


@kernel
def _legal_actions(game, state, actions):
    return game.legal_actions(state, actions)


@kernel
def _noisy_actions(game, state, actions):
    return game.noisy_actions(state, actions)


@kernel
def _play(game, state, action):
    game.play(state, action)


@kernel
def _is_terminal(game, state):
    return game.is_terminal(state)


@kernel
def _utility(game, state, player):
    return game.utility(state, player)


@kernel
def _evaluate(game, state, player):
    return game.evaluate(state, player)


@kernel
def _is_forced(game, state):
    return game.is_forced(state)


@kernel
def _repetition_key(game, state):
    return game.repetition_key(state)


class CompiledRules:
    """Has the rules of a game under the names that `Game` has them by; each is compiled when it is first asked for."""

    def __init__(self, game: Game) -> None:
        self.game, self.num_actions = game, game.num_actions
        self._actions = np.empty(game.num_actions, np.int32)

    def player(self, state: Any) -> int:
        return _player(self.game, state)

    def actions(self, state: Any) -> list[int]:
        return self._actions[: _legal_actions(self.game, state, self._actions)].tolist()

    def noisy_actions(self, state: Any, actions: Any) -> int:
        return _noisy_actions(self.game, state, actions)

    def play(self, state: Any, action: int) -> None:
        _play(self.game, state, action)

    def is_terminal(self, state: Any) -> bool:
        return _is_terminal(self.game, state)

    def utility(self, state: Any, player: int) -> float:
        return _utility(self.game, state, player)

    def evaluate(self, state: Any, player: int) -> float:
        return _evaluate(self.game, state, player)

    def is_forced(self, state: Any) -> bool:
        return _is_forced(self.game, state)

    def repetition_key(self, state: Any) -> int:
        return int(_repetition_key(self.game, state))
