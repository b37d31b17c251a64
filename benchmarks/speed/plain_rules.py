"""Rules as plain Python, with our records and with NumPy's: ``python -m benchmarks.speed.plain_rules``, half a minute.

The same random games by the same rules, which Numba leaves alone here; only the class of the state differs. So much do
`check_game`, the coverage of rules, and whoever reads states in Python gain.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.speed.harness import Measurement, Work, measure
from plyground.envs import Game, make_game

GAMES = ("tictactoe", "connect_four", "othello", "checkers", "go_9x9", "chess")


def games_of(game: Game, record: type[np.record]) -> Work:
    """Return the work of playing a random game, counted in plies, with states of this class."""
    dtype = np.dtype((record, game.dtype))
    buffer = np.empty(game.num_actions, np.int32)
    rng = np.random.default_rng(0)

    def play() -> int:
        state: Any = game.initial.copy().view(dtype)[0]
        plies = 0
        while plies < 60 and not game.is_terminal(state):
            game.play(state, int(buffer[rng.integers(game.legal_actions(state, buffer))]))
            plies += 1
        return plies

    return play


def main(
    rounds: Annotated[int, typer.Option(min=1, help="In turns; the best one counts.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.01, help="Of a round.")] = 0.4,
) -> None:
    """Print plies a second of both, and their ratio."""
    table = Table("game", "plies/s", "with np.record", "ratio", title="random games by rules in plain Python")
    for name in GAMES:
        game = make_game(name)
        ours, theirs = (partial(games_of, game, kind) for kind in (game.dtype.type, np.record))
        found = measure(Measurement(name, "random games", "plies", ours, theirs, "np.record"), rounds, seconds)
        table.add_row(name, f"{found.our_rate:,.0f}", f"{found.peer_rate:,.0f}", f"{found.ratio:.2f}")
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
