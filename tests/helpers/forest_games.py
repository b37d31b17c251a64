"""What tests of the forest share: a game that is none of ours, positions of random games, and an evaluator."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.envs import Game, state_dtype
from tests.conftest import random_game

__all__ = ["answers", "harvest", "positions"]

WORTH = (3, 1, 2, 5, 4, 2, 6)


def harvest() -> Game:
    """Return a game in which the players take fields of different worth; each but the first takes two in a row.

    Who is ahead by more than five wins 49, the largest utility; otherwise it is how far a player is ahead.
    """
    fields, worth = len(WORTH), np.array(WORTH)

    def player(state: Any) -> int:
        return ((state.ply + 1) >> 1) & 1

    def legal_actions(state: Any, actions: Any) -> int:
        count = 0
        for i in range(fields):
            if state.owner[i] == 0:
                actions[count] = i
                count += 1
        return count

    def play(state: Any, action: int) -> None:
        own = ((state.ply + 1) >> 1) & 1
        state.owner[action] = own + 1
        state.ahead += worth[action] if own == 0 else -worth[action]
        state.ply += 1

    def utility(state: Any, player: int) -> float:
        ahead = state.ahead if player == 0 else -state.ahead
        return float(49 * np.sign(ahead) if abs(ahead) > 5 else ahead)

    def observe(state: Any, player: int, planes: Any) -> None:
        for i in range(fields):
            planes[i, 0] = state.owner[i] == player + 1
            planes[i, 1] = state.owner[i] == 2 - player

    return Game(
        name="harvest",
        state=state_dtype(owner=("i1", (fields,)), ahead="i4", ply="i4"),
        num_actions=fields,
        max_plies=fields,
        max_utility=49,
        observation_shape=(fields, 2),
        player=player,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.ply == fields,
        utility=utility,
        observe=observe,
    )


def answers(planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return logits and values that look random, and are always the same for the same planes."""
    logits, values = np.zeros(masks.shape, np.float32), np.zeros(len(planes), np.float32)
    for i, one in enumerate(planes):
        rng = np.random.default_rng(zlib.crc32(one.tobytes()))
        logits[i], values[i] = 1.5 * rng.standard_normal(masks.shape[1]), rng.uniform(-1, 1)
    return logits, values


def positions(game: Game, count: int, seed: int = 0) -> NDArray[Any]:
    """Return unfinished positions [count] of random games, of all lengths."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    while len(found) < count:
        states = random_game(game, rng)[:-1]
        found += [states[i] for i in rng.permutation(len(states))[:3]]
    return np.array(found[:count], game.dtype)
