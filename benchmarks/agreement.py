"""How often UCT plays a move that exact search calls best: ``python benchmarks/agreement.py``, a few minutes.

The positions are Connect Four games played at random up to some ply, not over, in which some moves are best and some
are not: elsewhere every move agrees. What is best is told by alpha-beta to the end of the game, as win, draw or loss.
A rate is given with its standard error, ``sqrt(p (1 - p) / positions)``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import track

from plyground.agents import MCTS, AlphaBeta
from plyground.envs import Game, State, connect_four

OPTIONS: dict[str, dict[str, Any]] = {
    "plain UCT": {},
    "final_move=value": {"final_move": "value"},
    "final_move=robust-max": {"final_move": "robust-max"},
    "c=1": {"c": 1.0},
    "fpu=0.5": {"fpu": 0.5},
    "solver": {"solver": True},
    "rollout=greedy": {"rollout": "greedy"},
    "rollouts=4": {"rollouts": 4},
    "rollout_depth=4": {"rollout_depth": 4},
    "rave=100": {"rave": 100},
    "bias=1": {"bias": 1},
    "widening=0.5": {"widening": 0.5},
    "threads=2": {"threads": 2},
    "solver, greedy": {"solver": True, "rollout": "greedy"},
}


def positions(game: Game, count: int, ply: int, seed: int) -> Iterator[tuple[State, tuple[int, ...]]]:
    """Yield positions after ``ply`` random plies or more, up to four, with their best actions, where not all are."""
    rng = np.random.default_rng(seed)
    solver = AlphaBeta(game, game.max_plies, all_best=True, table_mb=64)
    found = 0
    while found < count:
        state = game.new_state()
        for _ in range(int(rng.integers(ply, ply + 5))):
            game.play(state, int(rng.choice(game.actions(state))))
            if game.is_terminal(state):
                break
        else:
            best = solver.analyse(state).best_actions
            if len(best) < len(game.actions(state)):
                found += 1
                yield state, best


def agreement(agent: MCTS, solved: list[tuple[State, tuple[int, ...]]]) -> float:
    """Return the share of the positions in which ``agent`` plays one of the best actions."""
    hits = 0
    for seed, (state, best) in enumerate(solved):
        agent.reset(seed)
        hits += agent.analyse(state).best_action in best
    return hits / len(solved)


def main(
    count: Annotated[int, typer.Option("--positions", min=1, help="How many positions.")] = 500,
    ply: Annotated[int, typer.Option(min=0, max=36, help="The least number of plies played.")] = 20,
    simulations: Annotated[int, typer.Option(min=1, help="For each move, in the comparison of the options.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the positions.")] = 0,
) -> None:
    """Measure how often UCT agrees with exact search, by the number of simulations and by option."""
    game = connect_four()
    solved = list(track(positions(game, count, ply, seed), "Solving …", total=count, transient=True))
    print(f"{count} positions of {ply} to {ply + 4} plies, seed {seed}")
    for budget in (100, 1000, 10_000, 100_000):
        show(f"plain UCT, {budget:,} simulations", agreement(MCTS(game, budget), solved), count)
    for name, options in OPTIONS.items():
        show(f"{name}, {simulations:,}", agreement(MCTS(game, simulations, **options), solved), count)


def show(name: str, rate: float, count: int) -> None:
    print(f"{name:36} {100 * rate:5.1f} % ± {100 * math.sqrt(rate * (1 - rate) / count):.1f}", flush=True)


if __name__ == "__main__":
    typer.run(main)
