"""Do intervals of rating lists hold the truth as often as they say? ``python -m benchmarks.faults.rating_coverage``.

Players whose true ratings are known play pairs of games, drawn at random from the model of `plyground.arena.ratings`.
The two games of a pair are correlated by a Gaussian copula, so that each game by itself is as the model says: openings
that suit one side make a player's two results opposite, openings that one of the players understands better make them
alike (always, where the correlation is 1). Printed is the share of intervals that hold the truth: of the ratings (their
lead on the mean), and of the advantage of the first move. Half an hour on two cores. With ``--write`` the table goes
into docs/measurements.md.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy import special  # as a module: joblib's workers cannot unpickle a ufunc from ``__main__``

from benchmarks.page import check_all, markdown_table, write_section
from plyground.arena.ratings.difference import ELO_PER_LOGIT
from plyground.arena.ratings.lists import rate_games
from plyground.arena.ratings.paired import PairedGames

WIDTH = 100
LENGTHS = (10, 50, 200)  # pairs of games in each pairing


class World(NamedTuple):
    """What is true."""

    elo: tuple[float, ...]
    first_move: float  # Elo
    draw: float  # Davidson's ν
    correlation: float  # of a player's results in the two games of a pair, before they are cut into three


WORLDS = {
    "two equals": World((0, 0), 0, 0, 0),
    "two equals, drawish, lopsided openings": World((0, 0), 50, 1.0, -0.6),
    "100 Elo, lopsided openings": World((50, -50), 100, 0.5, -0.6),
    "100 Elo, openings understood": World((50, -50), 30, 0.5, 0.4),
    "200 Elo, first move 200, lopsided openings": World((100, -100), 200, 0.3, -0.5),
    "300 Elo": World((150, -150), 50, 0.2, 0),
    "60 Elo, 3 of 4 drawn": World((30, -30), 30, 6.0, 0),
    "60 Elo, 3 of 4 drawn, pairs alike": World((30, -30), 0, 6.0, 1),
    "30 Elo, 15 of 16 drawn": World((15, -15), 10, 30.0, 0),
    "30 Elo, 15 of 16 drawn, lopsided openings": World((15, -15), 10, 30.0, -0.6),
    "30 Elo, 15 of 16 drawn, pairs alike": World((15, -15), 0, 30.0, 1),
    "3 Elo, 99 of 100 drawn, pairs alike": World((1.5, -1.5), 0, 300.0, 1),
    "five players, lopsided openings": World((250, 100, 0, -100, -250), 60, 0.5, -0.4),
}


def chances(world: World, first: int, second: int) -> np.ndarray:
    """Return the chances of a win, a draw and a loss of the player who moves first."""
    lead = (world.elo[first] - world.elo[second] + world.first_move) / ELO_PER_LOGIT * (2 + world.draw) / 2
    heights = np.array([np.exp(lead / 2), world.draw, np.exp(-lead / 2)])
    return heights / heights.sum()


def outcomes(world: World, i: int, j: int, pairs: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the outcomes [pairs] of the games that player i begins and of those that j begins.

    0 is a win of the player who begins, 1 a draw, 2 a loss.
    """
    covariance = [[1, world.correlation], [world.correlation, 1]]
    latent = rng.multivariate_normal([0, 0], covariance, pairs)  # how well it goes for i, in both games
    own, other = chances(world, i, j), chances(world, j, i)
    # The better it goes for i, the smaller the number of the outcome where i begins, and the larger where j does.
    where_first = (latent[:, :1] < special.ndtri(1 - np.cumsum(own)[:2])).sum(axis=1)
    where_second = (latent[:, 1:] > special.ndtri(np.cumsum(other)[:2])).sum(axis=1)
    return where_first, where_second


def tournament(world: World, pairs: int, rng: np.random.Generator) -> PairedGames:
    """Return a round robin of so many pairs of games in each pairing."""
    count = len(world.elo)
    pairings = [(i, j) for i in range(count) for j in range(i + 1, count)]
    results = np.zeros((len(pairings), 3, 3))
    for place, (i, j) in enumerate(pairings):
        np.add.at(results[place], outcomes(world, i, j, pairs, rng), 1)
    names = [f"player {i}" for i in range(count)]
    return PairedGames("none", names, np.array(pairings), results, np.zeros((len(pairings), 2, 3)))


def one(world: World, pairs: int, seed: int) -> tuple[float, bool, float]:
    """Return the share of the ratings' intervals that hold, whether that of the first move does, and their width."""
    found = rate_games(tournament(world, pairs, np.random.default_rng([seed, pairs])))
    held, widths = [], []
    for rating in found.ratings:
        truth = world.elo[int(rating.name.split()[1])] - float(np.mean(world.elo))
        held.append(rating.low <= truth <= rating.high)
        widths.append(rating.high - rating.low)
    move = found.first_move
    return float(np.mean(held)), move.low <= world.first_move <= move.high, float(np.median(widths))


def main(
    tournaments: Annotated[int, typer.Option(min=1, help="Of each kind and length.")] = 2000,
    seed: Annotated[
        int,
        typer.Option(min=0, help="The first seed; constants were chosen at smaller ones."),
    ] = 100_000,
    jobs: Annotated[int, typer.Option(help="Processes.")] = -1,
    only: Annotated[str, typer.Option(help="Those worlds whose name has this.")] = "",
    write: Annotated[
        bool, typer.Option("--write", help="Write the table into docs/measurements.md: all worlds.")
    ] = False,
) -> None:
    """Simulate tournaments, and print how often intervals hold the truth."""
    check_all(write, only, "worlds")
    console, errors = Console(width=WIDTH), Console(stderr=True)
    head, rows = ("players", "pairs", "ratings held", "first move held", "median width in Elo"), []
    for name, world in WORLDS.items():
        if only not in name:
            continue
        for pairs in LENGTHS:
            work = (delayed(one)(world, pairs, number) for number in range(seed, seed + tournaments))
            parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
            found = np.array(list(track(parallel(work), f"{name}, {pairs}", total=tournaments, console=errors)), float)
            held, moves, _ = found.mean(axis=0)
            rows.append((name, str(pairs), f"{held:.3f}", f"{moves:.3f}", f"{np.median(found[:, 2]):,.0f}"))
    table = Table(*head, title=f"{tournaments:,} tournaments of each kind")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    if write:
        lines = [f"{tournaments:,} tournaments of each kind and length:", "", *markdown_table(head, rows)]
        write_section("rating coverage", lines)


if __name__ == "__main__":
    typer.run(main)
