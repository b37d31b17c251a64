"""What tests of the forest share: a game that is none of ours, positions of random games, and an evaluator."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plyground.envs import Game, state_dtype
from plyground.envs.jit.bits import scattered
from tests.conftest import random_game

__all__ = ["answers", "harvest", "lottery", "positions"]

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


def lottery(prizes: Sequence[float], seed: int) -> Game:
    """Return a game of up to four moves, in which chance has chosen who moves when and the prize at each end.

    The prizes are what the first player may win; there are eight.
    """

    def setup(state: Any) -> None:
        state.prizes[:] = prizes
        state.path = scattered(np.uint64(seed + 1))

    def legal_actions(state: Any, actions: Any) -> int:
        actions[0], actions[1], actions[2] = 0, 1, 2
        return 3

    def play(state: Any, action: int) -> None:
        state.path = scattered(state.path ^ np.uint64(action + 1))
        state.ply += 1

    def utility(state: Any, player: int) -> float:
        prize = float(state.prizes[np.int64(state.path >> np.uint64(61))])
        return prize if player == 0 else -prize

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = state.path >> np.uint64(57)

    return Game(
        name="lottery",
        state=state_dtype(prizes=("f8", (8,)), path="u8", ply="i8"),
        num_actions=3,
        max_plies=4,
        max_utility=max(np.abs(prizes)),
        observation_shape=(1,),
        observation_high=127,
        setup=setup,
        player=lambda state: np.int64(state.path & np.uint64(1)) if state.ply > 0 else 0,
        legal_actions=legal_actions,
        play=play,
        is_terminal=lambda state: state.ply == 4 or (state.ply > 1 and state.path & np.uint64(14) == 0),
        utility=utility,
        observe=observe,
        key=lambda state: state.path,
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
