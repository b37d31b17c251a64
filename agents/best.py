"""The search that plays a game best, of those that need no training, when both have the same time."""

from __future__ import annotations

from ..envs import Game, as_game
from .alphabeta.agent import AlphaBeta
from .mcts.agent import MCTS

__all__ = ["best"]

# Games in which Monte Carlo tree search won a match at 0.1 s a move, though they have an evaluation; the README has
# the scores.
_BY_SIMULATION = frozenset(("go",))


def best(game: Game | str, seconds: float = 1.0, *, seed: int | None = None) -> AlphaBeta | MCTS:
    """The stronger of alpha-beta and Monte Carlo tree search in this game, at equal time.

    That is `MCTS` in Go, and `AlphaBeta` in Connect Four, Othello, gomoku and checkers, by matches, and in chess and
    minichess, by their ladders. In other games, yours among them, it is not measured: there it is `AlphaBeta` if the
    game has an evaluation (``evaluate``, or ``features`` and ``weights``), as these have, else `MCTS`.

    Args:
        game: the game, or its name.
        seconds: wall-clock time for each move.
        seed: the seed of the rollouts; alpha-beta draws nothing.

    Raises:
        ValueError: the game is unknown, or ``seconds`` is not above 0.
    """
    game = as_game(game)
    if game.name in _BY_SIMULATION or not game.has_evaluation:
        return MCTS(game, seconds=seconds, seed=seed)
    return AlphaBeta(game, seconds=seconds)
