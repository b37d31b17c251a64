"""What the first search of a process costs, cold and warm: ``python -m benchmarks.speed.compile_times``, some minutes.

For each game and agent one process starts with an empty cache of machine code, makes the agent with the smallest
budget, and asks it for a move in the initial state. Then a second process does the same, and finds in the cache what
the first has compiled. What is counted is the processor's time of the process, with all its threads, from before the
agent is made to after its answer; imports are not counted. With ``--write`` the table goes into docs/measurements.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.page import markdown_table, write_section
from plyground.agents import make
from plyground.envs import make_game

AGENTS = {"mcts": "mcts(simulations=2)", "puct": "puct(simulations=2)", "alphabeta": "alphabeta(depth=2)"}
GAMES = ("tictactoe", "connect_four", "othello", "gomoku", "go_9x9", "checkers", "chess")
WIDTH = 110  # columns that the table needs; a file or a pipe has no width of its own


def first_search(agent: str, game: str) -> float:
    """Return the seconds of the processor that the first search of this process takes, with making its agent."""
    table = make_game(game)
    start = time.process_time()
    make(agent, table).analyse(table.new_state())  # pyright: ignore[reportAttributeAccessIssue]
    return time.process_time() - start


def in_new_process(agent: str, game: str, cache: str) -> float:
    """Return what `first_search` returns in a new process, whose machine code is kept in the folder ``cache``."""
    code = f"from benchmarks.speed.compile_times import first_search; print(first_search({agent!r}, {game!r}))"
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    result = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    return float(result.stdout)


def cold_and_warm(agent: str, game: str) -> tuple[float, float]:
    """Return the seconds of a first search with an empty cache, and of one with the cache that it has filled."""
    with TemporaryDirectory() as cache:
        return in_new_process(agent, game, cache), in_new_process(agent, game, cache)


def chosen(text: str, known: tuple[str, ...], option: str) -> list[str]:
    """Return the names in a list with commas; those of ``known`` if it is empty."""
    names = [name.strip() for name in text.split(",") if name.strip()] or list(known)
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is none of {', '.join(known)}", param_hint=option)
    return names


def main(
    games: Annotated[str, typer.Option(metavar="NAMES", help="Only these games, separated by commas.")] = "",
    agents: Annotated[str, typer.Option(metavar="NAMES", help="Only these agents, separated by commas.")] = "",
    write: Annotated[
        bool, typer.Option("--write", help="Write the table into docs/measurements.md; it needs all games and agents.")
    ] = False,
) -> None:
    """Measure the first search of a process, with an empty cache and with a filled one."""
    if write and (games or agents):
        raise typer.BadParameter(
            "the page shows all games and agents: leave out --games and --agents", param_hint="--write"
        )
    rows, players = chosen(games, GAMES, "--games"), chosen(agents, tuple(AGENTS), "--agents")
    head = ("game", *(f"`{AGENTS[name]}`, {cache}" for name in players for cache in ("cold", "warm")))
    table, body, console = Table(title="CPU seconds", title_justify="left"), [], Console(width=WIDTH)
    for name in ("game", *(f"{name} {cache}" for name in players for cache in ("cold", "warm"))):
        table.add_column(name, justify="left" if name == "game" else "right")
    started = time.perf_counter()
    with console.status("") as status:
        for game in rows:
            cells = []
            for name in players:
                status.update(f"{game}: {AGENTS[name]} …")
                cells += [f"{seconds:.2f}" for seconds in cold_and_warm(AGENTS[name], game)]
            table.add_row(game, *cells)
            body.append((f"`{game}`", *cells))
    console.print(table)
    console.print(f"{time.perf_counter() - started:.0f} s")
    if write:
        write_section("first search", markdown_table(head, body))


if __name__ == "__main__":
    typer.run(main)
