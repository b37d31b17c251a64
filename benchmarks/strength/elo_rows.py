"""What `strength` plays: two players a row, of whom the first is the one with more of something.

Budgets are such that a row takes seconds, so they are small; what an option is worth depends on the budget, and who
needs to know changes a number here. UCT gets at least five simulations for each move of a position where the table is
about options: it tries every move once before any twice, and before that there is little for an option to change.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

__all__ = ["ROWS", "Row"]


class Row(NamedTuple):
    """One match.

    Attributes:
        section: of the tables.
        game: its spec.
        name: what the first player has, and the second has not.
        first: the spec of a player.
        second: the spec of the other.
        openings: how many, as a share of those asked for: less where games are slow.
    """

    section: str
    game: str
    name: str
    first: str
    second: str
    openings: float = 1.0


GO = "go(board_size=9)"
GOMOKU = "gomoku(size=9)"

SIMULATIONS = {  # doubled from one to the next
    "connect_four": (100, 200, 400, 800, 1600, 3200),
    "othello": (50, 100, 200, 400),
    GOMOKU: (200, 400, 800, 1600),
    GO: (100, 200, 400),
}
NODES = {
    "connect_four": (500, 1000, 2000, 4000, 8000),
    "othello": (500, 1000, 2000, 4000),
    "checkers": (500, 1000, 2000, 4000),
    GOMOKU: (4000, 8000, 16000),
}
DEPTHS_DOUBLED = {
    "connect_four": (1, 2, 4, 8),
    "othello": (1, 2, 4),
    "checkers": (1, 2, 4, 8),
    GOMOKU: (1, 2, 4),
}
DEPTHS = {  # in plies; against all that are lower by 1 or 2
    "connect_four": (3, 4, 5, 6, 7),
    "othello": (2, 3, 4, 5),
    "checkers": (3, 4, 5, 6),
    GOMOKU: (1, 2, 3),
}

UCT_SIMULATIONS = {"connect_four": 400, "othello": 200, GOMOKU: 400}
UCT_OPTIONS = (
    "final_move=value",
    "final_move=robust-max",
    "reuse_tree=True",
    "solver=True",
    "fpu=0.5",
    "c=0.7",
    "c=2.8",
    "rollout=greedy",
    "rollout=greedy, epsilon=0.5",
    "rollouts=2",
    "rollout_depth=8",
    "rollout_depth=0",
    "rave=100",
    "rave=1000",
    "bias=1",
    "widening=0.5",
    "threads=2",
)
GO_SIMULATIONS = 200  # here a row takes a minute
GO_OPTIONS = ("reuse_tree=True", "fpu=0.5", "c=0.7", "rollout_depth=8", "rave=100", "rave=1000", "widening=0.5")

SELECTIVE_NODES = {"connect_four": 5000, "othello": 5000, "checkers": 5000, GOMOKU: 5000}
SELECTIVE_OPTIONS = (
    "deeper_entries=True",
    "lmr=3",
    "lmr=3, deeper_entries=True",
    "margin=0.02, pvs=False",
    "quiescence=8",
    "singular=0.1",
)
NOISY = ("othello", "checkers")  # the games with noisy actions, which quiescence goes on with

OPEN_SPIEL = {"connect_four": (200, 1000), "othello": (200, 500), GO: (200, 500)}  # simulations
LESS = 5 / 6  # of the openings, where games are slow


def _share(game: str) -> float:
    return LESS if game == GO else 1.0


def _plain(agent: str, game: str) -> str:
    """Return what makes a search plain where the game has defaults of its own, as Go has for MCTS."""
    return ", rollout=random" if agent == "mcts" and game == GO else ""


def _rows() -> Iterator[Row]:
    for name, agent, budgets in (("simulations", "mcts", SIMULATIONS), ("nodes", "alphabeta", NODES)):
        for game, numbers in budgets.items():
            for less, more in pairwise(numbers):
                title = f"`{agent}`, {more} {name}, not {less}"
                plain = _plain(agent, game)
                players = f"{agent}({name}={more}{plain})", f"{agent}({name}={less}{plain})"
                yield Row("doublings", game, title, *players, _share(game))
    deeper = {game: list(pairwise(depths)) for game, depths in DEPTHS_DOUBLED.items()}
    for game, depths in DEPTHS.items():
        deeper[game] += [(less, more) for more in depths for less in (more - 1, more - 2) if less in depths]
    for game, pairs in deeper.items():
        for less, more in dict.fromkeys(pairs):
            title = f"`alphabeta`, depth {more}, not {less}"
            yield Row("doublings", game, title, f"alphabeta(depth={more})", f"alphabeta(depth={less})")
    everywhere = {game: (budget, UCT_OPTIONS) for game, budget in UCT_SIMULATIONS.items()}
    for game, (budget, options) in {**everywhere, GO: (GO_SIMULATIONS, GO_OPTIONS)}.items():
        for option in options:
            plain = f"mcts(simulations={budget}{_plain('mcts', game)})"
            players = f"{plain.removesuffix(')')}, {option})", plain
            yield Row("uct", game, f"`{option}`", *players, _share(game))
    for game, budget in SELECTIVE_NODES.items():
        plain = f"alphabeta(nodes={budget})"
        for option in SELECTIVE_OPTIONS:
            if "quiescence" not in option or game in NOISY:
                yield Row("selective", game, f"`{option}`", f"alphabeta(nodes={budget}, {option})", plain)
    for game, numbers in OPEN_SPIEL.items():
        for budget in numbers:
            arguments = f"(simulations={budget}, c=1.4)"
            players = f"mcts{arguments}", f"open_spiel{arguments}"
            yield Row("open_spiel", game, f"{budget} simulations", *players, LESS if game != "connect_four" else 1.0)


ROWS = list(_rows())
