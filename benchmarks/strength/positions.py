"""Draw and solve the Connect Four positions that players are graded on: ``python -m benchmarks.strength.positions``.

They go to ``arena/grading/data``, one file for each set, the last plies first. What is in a file already is kept, so
that a run that was stopped goes on where it was; ``--anew`` begins with nothing. The same seed gives the same file.

    python -m benchmarks.strength.positions                          # some minutes, most of them for the tenth ply
    python -m benchmarks.strength.positions --set hard_openings      # some 15 minutes
    python -m benchmarks.strength.positions --set endgames           # two minutes
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from plyground.agents import Solver
from plyground.arena.grading.positions import SolvedPositions, committed_path, load_positions, save_positions
from plyground.arena.grading.quiet import draw_quiet_positions
from plyground.arena.grading.sampling import draw_positions, join_positions
from plyground.envs import connect_four

ATTEMPTS = {10: 10}  # lines for each position of the standard set, where solving takes long
# Positions of each ply. Of the first plies, each of which takes seconds or a minute to solve, there are fewer.
COUNTS = {
    "standard": dict.fromkeys(range(10, 35, 3), 60),  # odd and even, so that both players are to move
    "hard_openings": {6: 4, 7: 16, 8: 40, 9: 64, 10: 80, 11: 100, 12: 100, 13: 100, 14: 100},
    "endgames": dict.fromkeys(range(29, 38), 60),
}
TABLE_MB = 256  # as much as helps with the first plies


def main(
    name: Annotated[str, typer.Option("--set", help=f"Which set: {', '.join(COUNTS)}.")] = "standard",
    seed: Annotated[int, typer.Option(min=0, help="Of the positions.")] = 0,
    first: Annotated[int, typer.Option(help="No ply before this one.")] = 0,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="The file to write.")] = None,
    anew: Annotated[bool, typer.Option("--anew", help="Keep nothing of what is in the file.")] = False,
) -> None:
    """Draw, solve and save."""
    game, console = connect_four(), Console()
    out = out or committed_path(game, name)
    solver = Solver(game, TABLE_MB)
    done = load_positions(out) if out.exists() and not anew else None
    for ply, count in reversed(COUNTS[name].items()):
        if ply < first:
            break
        if done is None or ply not in done.plies:
            if name == "standard":
                drawn = draw_positions(solver, ply, count, seed, attempts=ATTEMPTS.get(ply, 30))
            else:
                drawn = draw_quiet_positions(solver, ply, count, seed)
            new = join_positions(game, drawn)
            done = new if done is None else _joined(new, done)
            save_positions(out, done)
        values = done.value[done.plies == ply].tolist()
        counts = [f"{values.count(value)} {word}" for value, word in ((1, "won"), (0, "drawn"), (-1, "lost"))]
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
