"""How well a policy predicts the moves of held-out games, how long it takes, and how well nets play."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....agents.mcts.fitting import Ranks
from ....envs import Game
from ..alphazero.samples import unpack_masks, unpack_planes
from ..ladder import Net

__all__ = ["accuracy", "accuracy_of", "mean_squared_error", "seconds_per_call"]

_CHUNK = 1024  # positions that are looked at together
_CALLS = 50  # whose time is taken


def accuracy(game: Game, net: Net, samples: NDArray[Any]) -> dict[str, Any]:
    """Return how well a net predicts the moves of samples, see `accuracy_of`."""
    ranks, likelihoods = list[Ranks](), list[NDArray[np.float64]]()
    for start in range(0, len(samples), _CHUNK):
        some = samples[start : start + _CHUNK]
        logits, _ = net(unpack_planes(game, some))
        found, own = ranks_of(logits, unpack_masks(game, some), some["policy"].argmax(1))
        ranks.append(found)
        likelihoods.append(own)
    return accuracy_of(Ranks.joined(ranks), np.concatenate(likelihoods), samples["ply"])


def ranks_of(
    logits: NDArray[Any], masks: NDArray[np.bool_], actions: NDArray[np.integer[Any]]
) -> tuple[Ranks, NDArray[np.float64]]:
    """Return how many legal actions are preferred to each of ``actions`` [positions], and its log likelihood."""
    scores = np.where(masks, logits.astype(np.float64), -np.inf)
    scores -= scores.max(1, keepdims=True)
    rows = np.arange(len(actions))
    own = scores[rows, actions]
    better, equal = (scores > own[:, None]).sum(1), (scores == own[:, None]).sum(1) - 1
    return Ranks(better, equal), own - np.log(np.exp(scores).sum(1))


def accuracy_of(ranks: Ranks, likelihoods: NDArray[np.float64], plies: NDArray[np.integer[Any]]) -> dict[str, Any]:
    """Return shares of moves that were the first choice (top 1), or among five (top 5), and the mean log likelihood.

    The likelihood is None where the policy knows none of the moves.

    Args:
        ranks: how many legal actions were preferred to each move; inf to one that the policy does not know.
        likelihoods: [positions] the natural logarithm of the move's probability; NaN, which does not count, where the
            policy does not know it.
        plies: [positions] plies since the start of the game; the same marks are returned for each.
    """
    first, fifth = ranks.among(1), ranks.among(5)

    def marks(chosen: Any) -> dict[str, Any]:
        known = likelihoods[chosen][~np.isnan(likelihoods[chosen])]
        return {
            "positions": int(np.size(first[chosen])),
            "top 1": float(first[chosen].mean()),
            "top 5": float(fifth[chosen].mean()),
            "log likelihood": float(known.mean()) if known.size else None,
        }

    return {**marks(slice(None)), "by ply": {str(ply): marks(plies == ply) for ply in np.unique(plies).tolist()}}


def mean_squared_error(game: Game, net: Net, samples: NDArray[Any]) -> float:
    """Return the mean squared error of a net's values against the results of samples."""
    total = 0.0
    for start in range(0, len(samples), _CHUNK):
        some = samples[start : start + _CHUNK]
        _, values = net(unpack_planes(game, some))
        total += float(np.square(values.astype(np.float64) - some["result"]).sum())
    return total / len(samples)


def seconds_per_call(call: Callable[[], object]) -> float:
    """Return the median time of a call, in seconds, after a first that is not counted."""
    call()
    times = []
    for _ in range(_CALLS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
