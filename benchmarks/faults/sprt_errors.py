"""Does the sequential test err as seldom as it says? ``python -m benchmarks.faults.sprt_errors``, a quarter of an hour.

Players whose true difference is known play pairs of games, drawn at random from a distribution over the five scores of
a pair, until `Sprt` has its answer. At elo0 the wrong answer is H1, and may come in a share α of the tests; at elo1 it
is H0, in a share β. The shares are printed with their binomial intervals (Clopper and Pearson), and beside them how
many pairs it took and how often the interval of the estimate held the truth.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import typer
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import binomtest

from plyground.arena.sprt import Sprt
from plyground.arena.sprt.likelihood import ELO_PER_SIGMA

SCORES = np.linspace(0, 1, 5)
WIDTH = 90
# Of pairs between equals with as many draws as engines have, and with few, where the first player has the advantage.
SHARES = {"drawish": (0.05, 0.2, 0.5, 0.2, 0.05), "decisive": (0.12, 0.1, 0.56, 0.1, 0.12)}


def shifted(shares: tuple[float, ...], elo: float) -> np.ndarray:
    """Return the shares tilted until the difference is ``elo`` in normalised Elo."""
    logs, wanted = np.log(shares), math.sqrt(2) * elo / ELO_PER_SIGMA

    def at(tilt: float) -> tuple[np.ndarray, float]:
        found = np.exp(logs + tilt * (SCORES - 0.5))
        found /= found.sum()
        mean = found @ SCORES
        return found, float((mean - 0.5) / math.sqrt(found @ (SCORES - mean) ** 2))

    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle)[1] < wanted else (low, middle)
    return at(low)[0]


def one_test(kind: str, elo: float, elo1: float, error: float, seed: int) -> tuple[str, int, bool]:
    """Return what one test of 0 against ``elo1`` answers, after how many pairs, and whether its interval is true."""
    rng, shares = np.random.default_rng([seed, int(elo)]), shifted(SHARES[kind], elo)
    test = Sprt(0, elo1, error, error)
    while test.decision is None:
        test.add(rng.choice(2 * SCORES, p=shares, size=1))
    found = test.estimate()
    return str(test.decision), test.pairs, found.low <= elo <= found.high


def main(
    tests: Annotated[int, typer.Option(min=1, help="Tests of each kind.")] = 2000,
    elo1: Annotated[float, typer.Option(help="The difference by H1, in normalised Elo.")] = 60.0,
    error: Annotated[float, typer.Option(help="α and β.")] = 0.05,
    jobs: Annotated[int, typer.Option(help="Processes.")] = -1,
) -> None:
    """Simulate tests, and print how often they err."""
    console, errors = Console(width=WIDTH), Console(stderr=True)
    table = Table("pairs are", "true Elo", "wrong", "share", "95 % interval", "pairs", "interval holds")
    for kind in SHARES:
        for true, wrong in ((0.0, "H1"), (elo1, "H0")):
            work = (delayed(one_test)(kind, true, elo1, error, seed) for seed in range(tests))
            parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
            found = list(track(parallel(work), f"{kind}, {true:g}", total=tests, console=errors))
            times = sum(answer == wrong for answer, _, _ in found)
            low, high = binomtest(times, tests).proportion_ci()
            table.add_row(
                *(kind, f"{true:g}", str(times), f"{times / tests:.3f}", f"{low:.3f} to {high:.3f}"),
                *(f"{np.mean([pairs for _, pairs, _ in found]):.0f}", f"{np.mean([held for *_, held in found]):.3f}"),
            )
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
