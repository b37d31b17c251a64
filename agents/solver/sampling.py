"""How many positions a game has, at least: random games from a position, and how often they meet.

Of n positions drawn from N that are equally likely, n (n - 1) / 2N pairs are the same, on average. Where some are more
likely than others there are more such pairs, so that the estimate is too low and not too high. It is made for each ply
of the games, and the largest counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs import Game, State
from ...envs.jit import bind, kernel
from ...envs.jit.prng import new_rng
from ..clock import run_with_stop
from ..compiling import compiling

__all__ = ["fewest_positions"]

_GAMES = 50_000
_MOST = 1 << 22  # keys in memory


@kernel
def _sample(game, root, scratch, actions, rng, games, keys, counts, stop):
    """Play random games, and write the keys of their positions into ``keys`` [plies, games], ``counts`` [plies]."""
    for _ in range(games):
        if stop[0] != 0:
            return
        scratch[0] = root[0]
        state = scratch[0]
        ply = 0
        while ply < counts.size and not game.is_terminal(state):
            keys[ply, counts[ply]] = game.canonical_key(state)
            counts[ply] += 1
            game.play(state, game.random_action(state, actions, rng))
            ply += 1


def fewest_positions(game: Game, state: State) -> int:
    """Return an estimate of how many different positions can follow an unfinished state, at least.

    Mirror images count as one position.

    Raises:
        KeyboardInterrupt: after Ctrl-C.
    """
    plies = min(game.max_plies, _MOST // 1000)
    games = min(_GAMES, _MOST // plies)
    keys, counts = np.zeros((plies, games), np.uint64), np.zeros(plies, np.int64)
    root, scratch = np.zeros((2, 1), game.dtype)
    root[0] = state
    stop = np.zeros(1, np.uint8)
    arguments: Any = (game, root, scratch, np.zeros(game.num_actions, np.int32), new_rng(0), games, keys, counts, stop)
    with compiling("an estimate of the positions", game):
        bind(_sample, *arguments)  # here, not in the thread
    run_with_stop(lambda: _sample(*arguments), stop)
    most = 0
    for row, count in zip(keys, counts.tolist(), strict=True):
        if count < 2:
            break
        same = np.unique(row[:count], return_counts=True)[1].astype(np.float64)
        pairs = (same * (same - 1) / 2).sum()
        most = max(most, same.size, int(count * (count - 1) / 2 / max(pairs, 1)))
    return most
