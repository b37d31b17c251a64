"""Random openings, so that deterministic players do not play the same game twice, that leave the game open."""

from __future__ import annotations

import numpy as np

from ..agents import AlphaBeta
from ..envs import Game

__all__ = ["default_opening_plies", "random_openings"]

_LOOKAHEAD = 4  # plies; an opening that this search solves is decided
_ATTEMPTS = 1000


def default_opening_plies(game: Game) -> int:
    """Return how many random plies a game opens with by default: 4, or fewer in short games."""
    return min(4, game.max_plies // 4)


def random_openings(game: Game, count: int, plies: int, seed: int) -> list[list[int]]:
    """Return ``count`` openings of ``plies`` random moves, none of them decided, different where there are enough.

    Decided is an opening after which a search of 4 plies knows who wins, or that nobody does.

    Raises:
        ValueError: ``plies`` is negative, or no open position was found.
    """
    if plies < 0:
        raise ValueError(f"opening_plies must be at least 0, got {plies}")
    judge = AlphaBeta(game, depth=_LOOKAHEAD, table_mb=0)
    rng = np.random.default_rng(seed)
    openings: list[list[int]] = []
    seen: set[int] = set()
    while len(openings) < count:
        for attempt in range(_ATTEMPTS):
            moves, position = _random_line(game, plies, rng)
            # After some tries a repeated position is better than none.
            if position is not None and (position not in seen or attempt >= 20):
                state = game.play_moves(moves)
                if not judge.analyse(state).exact:
                    break
        else:
            raise ValueError(f"found no open position of {game.name} after {plies} random plies: use fewer opening plies")
        seen.add(position)
        openings.append(moves)
    return openings


def _random_line(game: Game, plies: int, rng: np.random.Generator) -> tuple[list[int], int | None]:
    """Return random moves and the key of the state after them, or None if the game ended on the way."""
    state = game.new_state()
    moves: list[int] = []
    for _ in range(plies):
        moves.append(int(rng.choice(game.actions(state))))
        game.play(state, moves[-1])
        if game.is_terminal(state):
            return moves, None
    return moves, int(game.key(state))
