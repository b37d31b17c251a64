"""Does ``plyground rate`` hold what it says? ``python -m benchmarks.faults.placing_coverage``.

Players whose true ratings are known are placed on the ladders of the package, by games that are drawn at random from
the model of `benchmarks.faults.rating_coverage`, with the ladder's ratings as the truth. A placing stops when its
interval is narrow enough or its games are used up, so the interval knows more than one of a match of fixed length:
printed is how often it holds the truth all the same, how many games that took, and how many fewer than by meeting
every rung in turn.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.faults.rating_coverage import WIDTH, World, outcomes
from plyground.arena.grading.anchors import ladder_of
from plyground.arena.grading.placing import Placing, most_telling
from plyground.arena.ratings import rate_against
from plyground.envs import make_game


class Model(NamedTuple):
    """How results scatter about what the ratings say."""

    first_move: float  # Elo
    draw: float  # Davidson's ν
    correlation: float  # of a player's results in the two games of a pair


MODELS = {
    "independent games": Model(0, 0.2, 0),
    "drawish, lopsided openings": Model(100, 1.0, -0.6),
    "openings understood": Model(30, 0.3, 0.4),
}


def placed(
    ladder: dict[str, float], true: float, model: Model, games: int, width: float, in_turn: bool, seed: int
) -> tuple[bool, int, bool, float]:
    """Return whether the interval holds the truth, the games, whether it was narrow enough, and the error in Elo."""
    rng, placing = np.random.default_rng(seed), Placing(None, {})
    pairs: defaultdict[str, list[float]] = defaultdict(list)
    for number in range(games // 2):
        if placing.is_sure(width):
            break
        rung = list(ladder)[number % len(ladder)] if in_turn else most_telling(ladder, placing.rating)
        world = World((true, ladder[rung]), *model)
        first, second = (int(one[0]) for one in outcomes(world, 0, 1, 1, rng))
        pairs[rung].append((2 - first) / 2 + second / 2)
        placing = Placing(rate_against(ladder, pairs), {name: 2 * len(points) for name, points in pairs.items()})
    rating = placing.rating
    assert rating is not None
    held = rating.low <= true <= rating.high
    return held, sum(placing.against.values()), placing.is_sure(width), rating.elo - true


def main(
    names: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="Games that have a ladder.")] = None,
    placings: Annotated[int, typer.Option(min=1, help="Of each kind.")] = 1000,
    games: Annotated[int, typer.Option(min=2, help="Of a placing, at most.")] = 400,
    width: Annotated[float, typer.Option(min=1, help="Half of the interval that is narrow enough, in Elo.")] = 30.0,
    seed: Annotated[int, typer.Option(min=0, help="The first seed.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes.")] = -1,
) -> None:
    """Simulate placings, and print how often intervals hold the truth."""
    console, errors = Console(width=WIDTH), Console(stderr=True)
    table = Table("ladder", "results", "plays", "held", "games, mean", "narrow enough", "error, Elo")
    for name in names or ["connect_four", "chess"]:
        ladder = ladder_of(make_game(name))
        lowest, highest = min(ladder.values()), max(ladder.values())
        true = np.random.default_rng(seed).uniform(lowest, highest, placings)
        for label, model in MODELS.items():
            for in_turn in (False, True):
                work = (
                    delayed(placed)(ladder, one, model, games, width, in_turn, seed + number)
                    for number, one in enumerate(true.tolist())
                )
                parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
                told = f"{name}, {label}, {'every rung in turn' if in_turn else 'where games tell most'}"
                found = np.array(list(track(parallel(work), told, total=placings, console=errors)), float)
                held, mean, narrow, _ = found.mean(axis=0)
                error = float(np.sqrt((found[np.isfinite(found[:, 3]), 3] ** 2).mean()))
                plays = "in turn" if in_turn else "most telling"
                table.add_row(name, label, plays, f"{held:.3f}", f"{mean:.0f}", f"{narrow:.2f}", f"{error:.0f}")
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
