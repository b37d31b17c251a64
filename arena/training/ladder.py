"""A network's scores against players of known strength, many games at once, while it is being trained."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...agents import Policy
from ...envs import Game
from ...envs.vector.seats import SeatBatch

__all__ = ["ladder_scores"]


def ladder_scores(
    game: Game, model: Any, players: tuple[str, ...], games: int, opening_plies: int, seed: int
) -> dict[str, float]:
    """Return the score, from 0 to 1, of a model's preferred moves against each player.

    This is a quick test between two batches of experience, always with the same openings; for paired openings and
    intervals see `plyground.arena.match`.

    Args:
        game: the game.
        model: a model of stable-baselines3 or sb3-contrib.
        players: specs of the players to test it against.
        games: the number of games against each player; half of them, rounded up, in each seat.
        opening_plies: random plies before the players take over. (With few of them, in some games, a learner that has
            met a deterministic player would know the whole game by heart.)
        seed: the seed of the openings and the players.
    """
    policy, scores = Policy(game, model), {}
    for player in players:
        points: list[NDArray[Any]] = []
        for number, seat in enumerate(("first", "second")):
            seats = SeatBatch(
                game,
                (games + 1) // 2,
                player,
                seat,
                opening_plies=(opening_plies, opening_plies),
                seed=2 * seed + number,
            )
            points.append(_first_results(seats, policy))
        scores[player] = float(np.mean((1 + np.sign(np.concatenate(points))) / 2))
    return scores


def _first_results(seats: SeatBatch, policy: Policy) -> NDArray[Any]:
    """Play until each row has finished a game, and return the rewards [games] of these games."""
    rewards, unfinished = np.zeros(seats.num_envs), np.ones(seats.num_envs, np.bool_)
    seats.reset()
    while unfinished.any():
        seats.step(policy.choose(seats.observations, seats.masks != 0, None))
        ended = unfinished & seats.terminations
        rewards[ended] = seats.rewards[ended]
        unfinished &= ~ended
    return rewards
