"""How often a search plays a move that exact solving calls best: ``python -m benchmarks.strength.agreement``.

The positions are Connect Four games played at random for 12 to 24 plies, in which there is something to find: nobody
wins at once, and of the moves that do not lose at once some keep the value of the position (win, draw or loss) and some
do not. What keeps it is told by `plyground.agents.Solver`. A rate is given with its standard error,
``sqrt(p (1 - p) / positions)``. With ``--write`` the tables go into docs/measurements.md, between its markers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.page import markdown_table, write_section
from plyground.agents import MCTS, AlphaBeta, Solver
from plyground.agents.search import SearchAgent
from plyground.arena.grading.quiet import wins_at_once
from plyground.arena.openings import random_line
from plyground.envs import Game, State, connect_four

SIMULATIONS = (100, 1000, 10_000, 100_000)
DEPTHS = (2, 4, 6, 8, 10, 12)
OPTIONS: dict[str, dict[str, Any]] = {
    "`final_move=value`": {"final_move": "value"},
    "`final_move=robust-max`": {"final_move": "robust-max"},
    "`c=1`": {"c": 1.0},
    "`fpu=0.5`": {"fpu": 0.5},
    "`solver`": {"solver": True},
    "`rollout=greedy`": {"rollout": "greedy"},
    "`rollouts=4`": {"rollouts": 4},
    "`rollout_depth=4`": {"rollout_depth": 4},
    "`rave=100`": {"rave": 100},
    "`bias=1`": {"bias": 1},
    "`widening=0.5`": {"widening": 0.5},
    "`threads=2`": {"threads": 2},
    "`solver, rollout=greedy`": {"solver": True, "rollout": "greedy"},
}
WIDTH = 80

Solved = tuple[State, tuple[int, ...]]  # a position, and the actions that keep its value


def positions(game: Game, count: int, plies: tuple[int, int] = (12, 24), seed: int = 0) -> Iterator[Solved]:
    """Yield positions after so many random plies, the bounds included, and their best actions; as said above."""
    rng, solver = np.random.default_rng(seed), Solver(game)
    while count > 0:
        state = random_position(game, int(rng.integers(plies[0], plies[1] + 1)), rng)
        if state is None or wins_at_once(game, state):
            continue
        children = {action: game.play_moves([action], state) for action in game.actions(state)}
        safe = {action: child for action, child in children.items() if not wins_at_once(game, child)}
        if len(safe) > 1:
            values = {action: -solver.value(child)[0] for action, child in safe.items()}
            best = tuple(action for action, value in values.items() if value == max(values.values()))
            if len(best) < len(safe):
                count -= 1
                yield state, best


def random_position(game: Game, plies: int, rng: np.random.Generator) -> State | None:
    """Return the position after so many random plies, or None if the game is over by then."""
    _, state = random_line(game, plies, rng)
    return None if game.is_terminal(state) else state


def agreement(agent: SearchAgent, solved: list[Solved]) -> float:
    """Return the share of the positions in which ``agent`` plays one of the best actions."""
    hits = 0
    for seed, (state, best) in enumerate(solved):
        agent.reset(seed)
        hits += agent.analyse(state).best_action in best
    return hits / len(solved)


def by_chance(game: Game, solved: list[Solved]) -> float:
    """Return the share that random moves are expected to have."""
    return sum(len(best) / len(game.actions(state)) for state, best in solved) / len(solved)


def main(
    count: Annotated[int, typer.Option("--positions", min=1, help="How many positions.")] = 500,
    simulations: Annotated[int, typer.Option(min=1, help="For each move, in the comparison of the options.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the positions.")] = 0,
    write: Annotated[bool, typer.Option("--write", help="Write the tables into docs/measurements.md.")] = False,
) -> None:
    """Measure how often UCT and alpha-beta agree with exact solving, by budget and by option."""
    game, console = connect_four(), Console(width=WIDTH)
    solved = list(track(positions(game, count, seed=seed), "Solving …", total=count, transient=True))
    agents: dict[str, dict[str, SearchAgent | None]] = {
        "budgets": {
            "a random move": None,
            **{f"`mcts`, {number:,} simulations": MCTS(game, number) for number in SIMULATIONS},
            **{f"`alphabeta`, depth {depth}": AlphaBeta(game, depth) for depth in DEPTHS},
        },
        "options": {
            f"`mcts`, {simulations:,} simulations": MCTS(game, simulations),
            **{f"with {name}": MCTS(game, simulations, **options) for name, options in OPTIONS.items()},
        },
    }
    for name, players in agents.items():
        head = ("player", "plays a best move", "standard error")
        table, rows = Table(*head, title=f"{count} positions, seed {seed}", title_justify="left"), []
        for player, agent in track(players.items(), "Playing …", transient=True):
            rate = by_chance(game, solved) if agent is None else agreement(agent, solved)
            error = "" if agent is None else f"{100 * math.sqrt(rate * (1 - rate) / count):.1f} %"
            rows.append((player, f"{100 * rate:.1f} %", error))
            table.add_row(*rows[-1])
        console.print(table)
        if write:
            write_section(f"agreement {name}", markdown_table(head, rows))


if __name__ == "__main__":
    typer.run(main)
