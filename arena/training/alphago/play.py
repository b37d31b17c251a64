"""Games of networks in batches: moves drawn from their policies, and what each player saw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....envs import Game, GameBatch
from ....envs.vector.row_random import draw_uniforms
from ..ladder import Net

__all__ = ["Moves", "drawn", "play_games"]


class Moves(NamedTuple):
    """The moves of one side of some games."""

    planes: NDArray[Any]  # [moves, *observation_shape]
    masks: NDArray[np.bool_]  # [moves, num_actions]
    actions: NDArray[np.int64]  # [moves]
    games: NDArray[np.int64]  # [moves] the number of the game
    plies: NDArray[np.int64]  # [moves]
    seats: NDArray[np.int8]  # [moves] who moved


def drawn(net: Net, planes: NDArray[Any], masks: NDArray[np.bool_], uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return actions [positions] drawn from a policy, by ``uniforms`` [positions] of [0, 1)."""
    logits, _ = net(planes)
    scores = np.where(masks, logits.astype(np.float64), -np.inf)
    reached = np.exp(scores - scores.max(1, keepdims=True)).cumsum(1)
    # The first action at which the sum passes the draw: one of weight 0 never is.
    return (reached > uniforms[:, np.newaxis] * reached[:, -1:]).argmax(1)


def play_games(
    game: Game,
    nets: tuple[Net, Net],
    seats: NDArray[np.int8],
    opening_plies: int,
    seed: int,
    keep: Callable[[NDArray[np.intp], NDArray[np.int8]], NDArray[np.bool_]],
) -> tuple[Moves, NDArray[np.float32]]:
    """Play games side by side to their ends, with every move drawn from a policy.

    Args:
        game: the game.
        nets: two networks.
        seats: [games] the seat of the first network; the second has the other.
        opening_plies: random plies, at most, that open each game.
        seed: the seed of all that is drawn.
        keep: tells which moves are kept, by the rows [some] and the players to move there.

    Returns:
        The moves that are kept, and the results [games, 2] for both players: the utility as a share of the largest.
    """
    count = len(seats)
    batch = GameBatch(game, count, opening_plies=opening_plies, seed=seed)
    results = np.zeros((count, 2), np.float32)
    kept: list[tuple[NDArray[Any], ...]] = []
    rows = np.arange(count)
    while rows.size:
        batch.show(rows)
        movers = batch.players[rows].copy()
        uniforms = draw_uniforms(batch.rngs, rows)
        masks, actions = batch.masks[rows] != 0, np.zeros(rows.size, np.int64)
        for number, net in enumerate(nets):
            some = np.flatnonzero((movers == seats[rows]) == (number == 0))
            if some.size:
                actions[some] = drawn(net, batch.observations[rows[some]], masks[some], uniforms[some])
        chosen = np.flatnonzero(keep(rows, movers))
        if chosen.size:
            of = rows[chosen]
            kept.append(
                (batch.observations[of], masks[chosen], actions[chosen], of, batch.plies[of].copy(), movers[chosen])
            )
        batch.play(rows, actions)
        ended = rows[batch.over[rows]]
        results[ended] = batch.rewards[ended] / game.max_utility
        rows = rows[~batch.over[rows]]
    columns = [np.concatenate(parts) for parts in zip(*kept, strict=True)] if kept else _nothing(game)
    return Moves(*columns), results


def _nothing(game: Game) -> list[NDArray[Any]]:
    return [
        np.zeros((0, *game.observation_shape), game.observation_dtype),
        np.zeros((0, game.num_actions), np.bool_),
        *(np.zeros(0, np.int64) for _ in range(3)),
        np.zeros(0, np.int8),
    ]
