"""The moves that a network prefers, and their scores against players of known strength, while it is being trained."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.vector.opponents import OpponentLike
from ...envs.vector.seats import SeatBatch

__all__ = ["Choose", "Net", "ladder_scores", "preferred", "results_against"]

# Returns logits [positions, num_actions] and values [positions] for planes; an `Inference`.
Net = Callable[[NDArray[Any]], tuple[NDArray[np.float32], NDArray[np.float32]]]
# Returns the preferred legal actions [positions] for planes and masks [positions, num_actions].
Choose = Callable[[NDArray[Any], NDArray[np.bool_]], NDArray[np.integer[Any]]]


def preferred(net: Net, planes: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the legal actions [positions] of the highest logits."""
    logits, _ = net(planes)
    return np.where(masks, logits, -np.inf).argmax(1)


def ladder_scores(
    game: Game, choose: Choose, players: tuple[str, ...], games: int, opening_plies: int, seed: int
) -> dict[str, float]:
    """Return the score, from 0 to 1, of a network's preferred moves against each player.

    This is a quick test between two batches of experience, always with the same openings; for paired openings and
    intervals see `plyground.arena.match`.

    Args:
        game: the game.
        choose: returns the preferred legal actions [positions] for planes [positions, *observation_shape] and masks
            [positions, num_actions].
        players: specs of the players to test it against.
        games: the number of games against each player; half of them, rounded up, in each seat.
        opening_plies: random plies before the players take over. (With few of them, in some games, a learner that has
            met a deterministic player would know the whole game by heart.)
        seed: the seed of the openings and the players.
    """
    return {
        player: float(np.mean((1 + np.sign(results_against(game, choose, player, games, opening_plies, seed))) / 2))
        for player in players
    }


def results_against(
    game: Game, choose: Choose, opponent: OpponentLike, games: int, opening_plies: int, seed: int
) -> NDArray[Any]:
    """Return the rewards [games] of a network's moves against an opponent.

    Args:
        game: the game.
        choose: as for `ladder_scores`.
        opponent: a player, a function, or opponents of many games, see `plyground.envs.as_opponents`.
        games: the number of games, rounded up to an even one; half of them in each seat.
        opening_plies: random plies before the players take over.
        seed: the seed of the openings and the players.
    """
    points: list[NDArray[Any]] = []
    for number, seat in enumerate(("first", "second")):
        seats = SeatBatch(
            game,
            (games + 1) // 2,
            opponent,
            seat,
            opening_plies=(opening_plies, opening_plies),
            seed=2 * seed + number,
        )
        with closing(seats):
            points.append(_first_results(seats, choose))
    return np.concatenate(points)


def _first_results(seats: SeatBatch, choose: Choose) -> NDArray[Any]:
    """Play until each row has finished a game, and return the rewards [games] of these games."""
    rewards, unfinished = np.zeros(seats.num_envs), np.ones(seats.num_envs, np.bool_)
    seats.reset()
    while unfinished.any():
        seats.step(choose(seats.observations, seats.masks != 0))
        ended = unfinished & seats.terminations
        rewards[ended] = seats.rewards[ended]
        unfinished &= ~ended
    return rewards
