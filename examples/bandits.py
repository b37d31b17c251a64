"""Regret of bandit strategies: a table in the terminal and, if matplotlib is installed, the curves in ``bandits.svg``.

Try ``python examples/bandits.py --means 0.5 0.6 --pulls 100000``.
"""

import argparse
import importlib.util

import numpy as np
from rich.console import Console
from rich.table import Table

from plyground.agents.teaching.bandits import (
    UCB1,
    Bandit,
    EpsilonGreedy,
    ThompsonSampling,
    UCB1Tuned,
    lai_robbins_bound,
    regret,
)

parser = argparse.ArgumentParser(description="Regret of bandit strategies.")
parser.add_argument("--means", type=float, nargs="+", default=[0.9, 0.8, 0.8, 0.8, 0.7, 0.7, 0.7, 0.6, 0.6, 0.6])
parser.add_argument("--pulls", type=int, default=10_000)
parser.add_argument("--runs", type=int, default=100)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--out", default="bandits.svg", help="where matplotlib saves the curves")
options = parser.parse_args()

arms = len(options.means)
strategies: dict[str, Bandit] = {
    "ε-greedy, ε = 0.1": EpsilonGreedy(arms, 0.1),
    "ε-greedy, ε = 15·arms/n": EpsilonGreedy(arms, decay=15),
    "UCB1": UCB1(arms),
    "UCB1-Tuned": UCB1Tuned(arms),
    "Thompson sampling": ThompsonSampling(arms),
}
curves = {
    name: regret(bandit, options.means, options.pulls, runs=options.runs, seed=options.seed)
    for name, bandit in strategies.items()
}
bound = lai_robbins_bound(options.means, np.arange(1, options.pulls + 1))

shown = [n for n in (10**k for k in range(1, 10)) if n < options.pulls] + [options.pulls]
table = Table("mean regret ± standard error", *[f"after {n:,}" for n in shown], header_style="bold")
for name, runs in curves.items():
    errors = runs.std(axis=0, ddof=1) / np.sqrt(options.runs) if options.runs > 1 else np.zeros(options.pulls)
    table.add_row(name, *[f"{runs[:, n - 1].mean():.1f} ± {errors[n - 1]:.1f}" for n in shown])
table.add_row("Lai and Robbins' bound, in the limit", *[f"{bound[n - 1]:.1f}" for n in shown])
Console().print(table)

if importlib.util.find_spec("matplotlib") is None:
    print("pip install matplotlib draws the curves as well")
else:
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for name, runs in curves.items():
        axes.plot(np.arange(1, options.pulls + 1), runs.mean(axis=0), label=name)
    axes.plot(np.arange(1, options.pulls + 1), bound, "k:", label="Lai and Robbins' bound, in the limit")
    axes.set(xscale="log", xlabel="pulls", ylabel="mean regret", title=f"{arms} arms, {options.runs} runs")
    axes.legend()
    figure.savefig(options.out)
    print(f"saved {options.out}")
