"""What threads gain and cost UCT: ``python -m benchmarks.speed.threads``, some minutes.

Speed: the simulations of a search from the first position, by the second. The searches take turns, with a pause before
each, and the best of all rounds counts, since whatever else the machine does can only slow a round down. Moves: how
often each search plays a best move, with as many simulations in all; see `benchmarks.strength.agreement`. With
``--write`` the tables go into docs/measurements.md.
"""

from __future__ import annotations

import math
import os
import time
from typing import Annotated, Any

import typer
from rich.progress import track

from benchmarks.page import markdown_table, write_section
from benchmarks.strength.agreement import agreement, positions
from plyground.agents import MCTS
from plyground.envs import connect_four, make_game

SIMULATIONS = {"connect_four": 16_000, "othello": 4000, "go(board_size=9)": 800}  # a round of about 10 ms
BUDGETS = (1000, 10_000)  # simulations for each move, where moves are compared


def searches(threads: int) -> dict[str, dict[str, Any]]:
    """Return the arguments of the searches that are compared, by name."""
    return {"one thread": {}, f"{threads} threads": {"threads": threads}}


def speeds(spec: str, simulations: int, threads: int, rounds: int) -> dict[str, float]:
    """Return the simulations a second of each search, in the best of its rounds."""
    game = make_game(spec)
    start = game.new_state()
    agents = {
        name: MCTS(game, simulations, rollout="random", seed=0, **options)
        for name, options in searches(threads).items()
    }
    for agent in agents.values():
        agent.analyse(start)
    best = dict.fromkeys(agents, 0.0)
    for _ in track(range(rounds), f"{spec} …", transient=True):
        for name, agent in agents.items():
            time.sleep(0.02)
            best[name] = max(best[name], simulations / agent.analyse(start).seconds)
    return best


def main(
    count: Annotated[int, typer.Option("--positions", min=1, help="In which moves are compared.")] = 500,
    rounds: Annotated[int, typer.Option(min=1, help="Of each search whose speed is measured.")] = 100,
    threads: Annotated[int, typer.Option(min=2, help="Default: one for each processor.")] = max(os.cpu_count() or 2, 2),
    write: Annotated[bool, typer.Option("--write", help="Write the tables into docs/measurements.md.")] = False,
) -> None:
    """Measure the speed of UCT with threads, and how often it plays a best move."""
    speed = {spec: speeds(spec, simulations, threads, rounds) for spec, simulations in SIMULATIONS.items()}
    head = ["simulations a second", *(f"`{spec}`" for spec in SIMULATIONS)]
    rows = [
        [name, *(f"{rates[name] / 1000:,.0f} k ({rates[name] / rates['one thread']:.2f}×)" for rates in speed.values())]
        for name in searches(threads)
    ]
    show("threads speed", markdown_table(head, rows), write)
    game = connect_four()
    solved = list(track(positions(game, count), "Solving …", total=count, transient=True))
    head, rows = ["plays a best move", *(f"{budget:,} simulations" for budget in BUDGETS)], []
    for name, options in track(searches(threads).items(), "Playing …", transient=True):
        rates = [agreement(MCTS(game, budget, **options), solved) for budget in BUDGETS]
        rows.append([name, *(f"{100 * p:.1f} % ± {100 * math.sqrt(p * (1 - p) / count):.1f}" for p in rates)])
    show("threads moves", markdown_table(head, rows), write)


def show(name: str, lines: list[str], write: bool) -> None:
    print("\n".join(lines), flush=True)
    if write:
        write_section(name, lines)


if __name__ == "__main__":
    typer.run(main)
