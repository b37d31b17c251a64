"""A match of two nets, by which a new one earns its place in self-play.

D. Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017), Methods, "Evaluator". Both nets
play with the search of self-play, without noise; each opening is played from both sides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....agents.puct.forest import Evaluate, Forest
from ....envs import Game, GameBatch
from ...openings import default_opening_plies
from .config import AlphaZeroConfig

__all__ = ["score_of"]


def score_of(game: Game, config: AlphaZeroConfig, candidate: Evaluate, champion: Evaluate, seed: int) -> float:
    """Return the candidate's score, from 0 to 1, in a match of ``gating_games``, rounded up to an even number.

    Args:
        game: the game.
        config: the configuration, which says how to search.
        candidate: what computes the new net.
        champion: what computes the net that plays at present.
        seed: the seed of the openings.
    """
    forest = Forest(
        game,
        (config.gating_games + 1) // 2,
        simulations=config.simulations,
        root=config.root,
        considered=config.considered,
        c_visit=config.c_visit,
        c_scale=config.c_scale,
        noise=0.0,
        forced=0.0,
        proofs=config.proofs,
        decisive=config.decisive,
        threads=config.threads_each,
        seed=0,
    )
    points = [
        _played(game, forest, players, seed)[:, seat]
        for seat, players in enumerate(((candidate, champion), (champion, candidate)))
    ]
    return float(np.mean((1 + np.sign(np.concatenate(points))) / 2))


def _played(game: Game, forest: Forest, players: tuple[Evaluate, Evaluate], seed: int) -> NDArray[np.float32]:
    """Play a game in each row of the forest, and return the rewards [games, 2]."""
    plies = default_opening_plies(game)
    batch = GameBatch(game, forest.num_trees, threads=forest.threads, opening_plies=(plies, plies), seed=seed)
    rewards = np.zeros((forest.num_trees, 2), np.float32)
    while not batch.over.all():
        movers = np.where(batch.over, -1, batch.players)
        for seat, evaluate in enumerate(players):
            rows = np.flatnonzero(movers == seat)
            if not rows.size:
                continue
            shown = batch.seen_by_both()
            forest.forget()
            found = forest.search(
                batch.states[rows],
                evaluate,
                masks=batch.masks[rows],
                shown=None if shown is None else shown[rows],
                past=batch.pasts(rows),
            )
            batch.play(rows, found.actions)
            ended = rows[batch.over[rows]]
            rewards[ended] = batch.rewards[ended]
    return rewards
