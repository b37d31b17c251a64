"""What choosing pairings is worth: ``python -m benchmarks.strength.allocation``, some minutes.

Players of known strength play tournaments of equal numbers of games, whose results are drawn at random: everyone
against everyone, by the Swiss system, and where games tell most. From each the strengths are estimated in the same way,
and compared with the truth. The error is the root of the mean square over players, of differences from the mean. The
interval of a mean error is that of the simulated tournaments (95 %, Student's t). With ``--write`` the table goes into
docs/measurements.md.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import t

from benchmarks.page import markdown_table, write_section
from plyground.arena.tournaments.allocation import likely_strengths
from plyground.arena.tournaments.formats import schedule_of
from plyground.arena.tournaments.schedules import Outcome

PER_LOGIT = 400 / math.log(10)
DRAWS = 0.3  # share of the games between equals
SPREADS = {"close": 100.0, "usual": 300.0, "wide": 600.0}  # standard deviation of the strengths, in Elo


def played(true: np.ndarray, spec: str, games: int, rng: np.random.Generator) -> np.ndarray:
    """Return the points [player, opponent] of a tournament with so many games of each pairing."""
    schedule, points = schedule_of(spec, len(true)), np.zeros((len(true), len(true)))
    upcoming = next(schedule)
    while True:
        results = []
        for one, other in upcoming:
            expected = 1 / (1 + np.exp(true[other] - true[one]))
            drawn = 4 * DRAWS * expected * (1 - expected)  # as many as leave the expected score what it is
            chances = [expected - drawn / 2, drawn, 1 - expected - drawn / 2]
            own = float(rng.choice([1.0, 0.5, 0.0], p=chances, size=games).sum())
            points[one, other] += own
            points[other, one] += games - own
            results.append((own, games - own))
        try:
            upcoming = schedule.send(Outcome(results, set()))
        except StopIteration:
            return points


def error(true: np.ndarray, points: np.ndarray) -> float:
    """Return the error of the estimated strengths, in Elo."""
    gap = likely_strengths(points) - true
    return PER_LOGIT * float(np.sqrt(((gap - gap.mean()) ** 2).mean()))


def main(
    players: Annotated[int, typer.Option(min=3)] = 12,
    games: Annotated[int, typer.Option(min=2, help="Games of a pairing of the round robin.")] = 10,
    tournaments: Annotated[int, typer.Option(min=2, help="Tournaments of each kind.")] = 300,
    seed: int = 0,
    write: Annotated[bool, typer.Option("--write", help="Write the table into docs/measurements.md.")] = False,
) -> None:
    """Print the errors of each way to choose, for players who differ little and much."""
    pairings = players * (players - 1) // 2
    kinds = {
        "round robin": ("round_robin", games),
        "Swiss": (f"swiss(rounds={max(1, round(games / 2 * pairings / (players // 2)))})", 2),
        "bandit": (f"bandit(pairings={pairings * games // 2})", 2),
    }
    title = f"{players} players, {pairings * games:,} games, {tournaments:,} tournaments of each kind"
    head = ("strengths", *(f"{kind}: error" for kind in kinds), "bandit against round robin")
    table, rows = Table(title=title), []
    for name in head:
        table.add_column(name, justify="left" if name == "strengths" else "right")
    for name, spread in track(list(SPREADS.items()), "simulating"):
        rng = np.random.default_rng(seed)
        strengths = rng.normal(0, spread / PER_LOGIT, (tournaments, players))
        errors = {k: np.array([error(s, played(s, spec, n, rng)) for s in strengths]) for k, (spec, n) in kinds.items()}
        cells = []
        for one in (*errors.values(), errors["bandit"] - errors["round robin"]):
            reach = t.ppf(0.975, tournaments - 1) * one.std(ddof=1) / math.sqrt(tournaments)
            cells.append(f"{one.mean():.1f} ± {reach:.1f}")
        rows.append((f"{name}, ± {spread:.0f} Elo", *cells))
        table.add_row(*rows[-1])
    Console(width=110).print(table)
    if write:
        write_section("choosing pairings", [f"{title}:", "", *markdown_table(head, rows)])


if __name__ == "__main__":
    typer.run(main)
