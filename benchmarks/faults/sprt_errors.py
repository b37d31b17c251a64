"""Does the sequential test err as seldom as it says? ``python -m benchmarks.faults.sprt_errors``: 12 minutes of a core.

Players whose true difference is known play pairs of games, drawn at random from a distribution over the five scores of
a pair, until `Sprt` has its answer. At elo0 the wrong answer is H1, and may come in a share α of the tests; at elo1 it
is H0, in a share β. The shares are printed with their binomial intervals (Clopper and Pearson), and beside them how
many pairs it took and how often the interval of the estimate held the truth. All this in normalised and in logistic
Elo, where 40 are about as much as 60 of the normalised ones.

Small differences take many pairs, which may then be added some at a time, as the workers of fishtest send them. Its own
bounds are ``--elo0 0.5 --elo1 2.5 --only normalized --batch 400``.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import numpy as np
import typer
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.optimize import brentq
from scipy.stats import binomtest

from benchmarks.page import markdown_table, write_section
from plyground.arena.sprt import Model, Sprt
from plyground.arena.sprt.likelihood import likeliest

SCORES = np.linspace(0, 1, 5)
WIDTH = 110
MODELS: tuple[Model, ...] = ("normalized", "logistic")
# Of pairs between equals with as many draws as engines have, and with few, where the first player has the advantage.
SHARES = {"drawish": (0.05, 0.2, 0.5, 0.2, 0.05), "decisive": (0.12, 0.1, 0.56, 0.1, 0.12)}
HEAD = ("Elo", "pairs are", "true", "wrong", "share of wrong answers, 95 %", "mean pairs", "interval held the truth")


def shifted(shares: tuple[float, ...], elo: float, model: Model) -> np.ndarray:
    """Return the shares tilted until the difference is ``elo``."""
    logs = np.log(shares)

    def at(tilt: float) -> np.ndarray:
        found = np.exp(logs + tilt * (SCORES - 0.5))
        return found / found.sum()

    return at(float(brentq(lambda tilt: likeliest(1e6 * at(tilt), model) - elo, -60, 60)))  # pyright: ignore[reportArgumentType]


def one_test(
    kind: str, elo: float, bounds: tuple[float, float], error: float, seed: int, model: Model, batch: int
) -> tuple[str, int, bool]:
    """Return what one test answers, after how many pairs, and whether its interval is true."""
    rng, shares = np.random.default_rng([seed, int(elo)]), shifted(SHARES[kind], elo, model)
    test = Sprt(*bounds, error, error, model)
    while test.decision is None:
        test.add(rng.choice(2 * SCORES, p=shares, size=batch))
    found = test.estimate()
    return str(test.decision), test.pairs, found.low <= elo <= found.high


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def row(model: Model, kind: str, true: float, wrong: str, found: list[tuple[str, int, bool]]) -> list[str]:
    """Return a row of the table for the tests of one kind."""
    times = Counter(answer for answer, _, _ in found)[wrong]
    low, high = binomtest(times, len(found)).proportion_ci()
    return [
        *(model, kind, f"{true:g}", wrong, f"{percent(times / len(found))} ({percent(low)} to {percent(high)})"),
        *(f"{np.mean([pairs for _, pairs, _ in found]):.0f}", percent(float(np.mean([held for *_, held in found])))),
    ]


def main(
    tests: Annotated[int, typer.Option(min=1, help="Tests of each kind.")] = 2000,
    elo0: Annotated[float, typer.Option(help="The difference by H0.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="The difference by H1, in normalised Elo.")] = 60.0,
    logistic_elo1: Annotated[float, typer.Option(help="The difference by H1, in logistic Elo.")] = 40.0,
    error: Annotated[float, typer.Option(help="α and β.")] = 0.05,
    jobs: Annotated[int, typer.Option(help="Processes.")] = -1,
    only: Annotated[str, typer.Option(help="normalized or logistic. Default: both.")] = "",
    batch: Annotated[int, typer.Option(min=1, help="Pairs that are added at a time.")] = 1,
    write: Annotated[bool, typer.Option("--write", help="Write the table into docs/measurements.md.")] = False,
) -> None:
    """Simulate tests, and print how often they err."""
    if only not in ("", *MODELS):
        raise typer.BadParameter(f"{only!r} is none of {', '.join(MODELS)}", param_hint="--only")
    if write and (only, elo0, batch) != ("", 0.0, 1):
        raise typer.BadParameter("the page has both models, from 0 on, and pairs one by one", param_hint="--write")
    errors, rows = Console(stderr=True), list[list[str]]()
    for model, most in zip(MODELS, (elo1, logistic_elo1), strict=True):
        for kind in SHARES if only in ("", model) else ():
            for true, wrong in ((elo0, "H1"), (most, "H0")):
                bounds = elo0, most
                work = (delayed(one_test)(kind, true, bounds, error, seed, model, batch) for seed in range(tests))
                parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
                title = f"{model}, {kind}, {true:g}"
                found = list(track(parallel(work), title, total=tests, console=errors))
                rows.append(row(model, kind, true, wrong, found))
    table = Table(*HEAD, title=f"{tests} tests of each kind, α = β = {error:g}")
    for cells in rows:
        table.add_row(*cells)
    Console(width=WIDTH).print(table)
    if write:
        between = f"of 0 against {elo1:g} normalised or {logistic_elo1:g} logistic Elo"
        told = f"{tests:,} simulated tests in each row, {between}, α = β = {100 * error:g} %:"
        write_section("sprt", [told, "", *markdown_table(HEAD, rows, texts=2)])


if __name__ == "__main__":
    typer.run(main)
