"""Draw and solve the Connect Four positions that players are graded on: ``python -m benchmarks.positions``.

They go to ``arena/grading/data/connect_four.npz``, the last plies first. What is in the file already is kept, so that a
run that was stopped goes on where it was; ``--anew`` begins with nothing. The seventh ply takes most of the time, some
20 minutes; the others take a few in all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from plyground.agents import Solver
from plyground.arena.grading.positions import SolvedPositions, load_positions, save_positions
from plyground.arena.grading.sampling import draw_positions, join_positions
from plyground.envs import connect_four

FILE = Path(__file__).parent.parent / "arena" / "grading" / "data" / "connect_four.npz"
PLIES = range(7, 35, 3)  # odd and even, so that both players are to move
ATTEMPTS = {7: 5, 10: 10}  # lines for each position, where solving takes long


def main(
    count: Annotated[int, typer.Option(min=5, help="Positions of each ply.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Of the positions.")] = 0,
    first: Annotated[int, typer.Option(help="No ply before this one.")] = PLIES[0],
    out: Annotated[Path, typer.Option(dir_okay=False, help="The file to write.")] = FILE,
    anew: Annotated[bool, typer.Option("--anew", help="Keep nothing of what is in the file.")] = False,
) -> None:
    """Draw, solve and save."""
    game, console = connect_four(), Console()
    solver = Solver(game)
    done = load_positions(out) if out.exists() and not anew else None
    for ply in reversed([ply for ply in PLIES if ply >= first]):
        if done is None or ply not in done.plies:
            drawn = draw_positions(solver, ply, count, seed, attempts=ATTEMPTS.get(ply, 30))
            new = join_positions(game, drawn)
            done = new if done is None else _joined(new, done)
            save_positions(out, done)
        values = done.value[done.plies == ply].tolist()
        counts = [f"{values.count(value)} {name}" for value, name in ((1, "won"), (0, "drawn"), (-1, "lost"))]
        console.print(f"ply {ply}: {len(values)} positions, {', '.join(counts)}")
    assert done is not None
    at_stake = int(np.count_nonzero(done.at_stake))
    console.print(f"{out}: {len(done)} positions, value at stake in {at_stake}; {out.stat().st_size} bytes")


def _joined(first: SolvedPositions, second: SolvedPositions) -> SolvedPositions:
    return SolvedPositions(
        first.game,
        first.lines + second.lines,
        np.concatenate([first.values, second.values]),
        np.concatenate([first.distances, second.distances]),
    )


if __name__ == "__main__":
    typer.run(main)
