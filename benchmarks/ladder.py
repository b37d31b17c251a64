"""Measure the ratings of Connect Four's ladder: ``python -m benchmarks.ladder``, some ten minutes.

They go to ``arena/grading/data/ladder_connect_four.json``, against which ``plyground evaluate`` rates players.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from plyground.arena import play_with_progress
from plyground.arena.grading.anchors import measure_anchors, save_anchors
from plyground.arena.grading.ladder import LADDERS
from plyground.envs import make_game

FOLDER = Path(__file__).parent.parent / "arena" / "grading" / "data"


def main(
    game: Annotated[str, typer.Option(help="The game.")] = "connect_four",
    games: Annotated[int, typer.Option(min=2, help="Of each pairing; even.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the games: not that of evaluations, which is 0.")] = 1,
    jobs: Annotated[int, typer.Option(help="Processes; the games do not depend on it.")] = 2,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="The file to write.")] = None,
) -> None:
    """Play every rung against the next two, fit ratings, and save them."""
    made, console = make_game(game), Console()
    found = measure_anchors(made, LADDERS["full"], games, seed, jobs=jobs, watch=play_with_progress)
    if found is None:
        raise typer.Exit(130)
    table = Table("rung", "Elo", "standard error", title=f"{made.spec}, {games} games of each pairing")
    for rung, elo in found.elo.items():
        table.add_row(rung, f"{elo:.0f}", f"{found.errors[rung]:.0f}")
    console.print(table)
    path = out or FOLDER / f"ladder_{made.spec}.json"
    save_anchors(path, made, found, games, seed)
    console.print(f"saved {path}", soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
