"""Count every position of a file of perft by our rules: ``python -m benchmarks.faults.perft_file FILE --depth 5``.

The file is one of python-chess (``examples/perft/random.perft`` in the source package of ``chess`` on PyPI has 6,838
positions), or EPD as in ``tests/data/perft``. Positions are those of chess, or else of Chess960. What our rules refuse
to read, as a position that no game comes to, is said and left out. The script fails where a count is another one.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.faults.perft_counts import Counts, read_counts
from plyground.envs import State, chess
from plyground.envs.games.chess.fen import read_fen
from plyground.envs.games.chess.perft import perft


def read_perft(path: Path) -> Counts:
    """Return the positions of a file of python-chess, and their counts; those that come twice once.

    Raises:
        ValueError: a line is not of the form; the message names it.
    """
    found: Counts = {}
    position = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        word, _, rest = line.strip().partition(" ")
        if word in ("", "id") or word.startswith("#"):
            continue
        if word == "epd":
            position = rest.strip()
            found[position] = []
        elif position and re.fullmatch(rf"perft {len(found[position]) + 1} \d+", line.strip()):
            found[position].append(int(rest.split()[1]))
        else:
            raise ValueError(
                f"{path}, line {number}: expected 'id NAME', 'epd POSITION' or, below that, 'perft DEPTH COUNT' "
                f"from depth 1 on, got {line!r}"
            )
    return found


def state_of(position: str) -> tuple[State, bool]:
    """Return a position, and whether it is one of Chess960 alone.

    Raises:
        ValueError: it is neither.
    """
    try:
        return read_fen(position), False
    except ValueError:
        return read_fen(position, is_960=True), True


def main(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="With .perft or .epd behind its name.")],
    depth: Annotated[int, typer.Option(min=1, max=20, help="Counts to this depth.")] = 4,
) -> None:
    """Count all positions of a file, and print a table."""
    try:
        counts = read_perft(file) if file.suffix == ".perft" else read_counts(file)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    games = {is_960: chess(chess960=0 if is_960 else -1) for is_960 in (False, True)}
    console = Console()
    rows = [[0, 0, 0, 0.0] for _ in range(depth)]  # [depths]: positions, sequences, counts that differ, seconds
    refused = 0
    for position, known in track(counts.items(), "positions", len(counts), console=console, transient=True):
        try:
            state, is_960 = state_of(position)
        except ValueError as error:
            console.print(f"left out: {error}")
            refused += 1
            continue
        for plies, (row, expected) in enumerate(zip(rows, known, strict=False), start=1):
            start = time.perf_counter()
            found = perft(games[is_960], state, plies)
            row[3] += time.perf_counter() - start
            row[0] += 1
            row[1] += found
            if found != expected:
                row[2] += 1
                console.print(f"{position}: depth {plies} has {found:,} sequences, and {expected:,} in the file")
    table = Table("depth", "positions", "sequences of moves", "M/s", "that differ", title=file.name)
    for plies, (positions, sequences, different, seconds) in enumerate(rows, start=1):
        if positions:
            rate = sequences / seconds / 1e6
            table.add_row(str(plies), f"{positions:,}", f"{sequences:,}", f"{rate:.1f}", str(different))
    console.print(table)
    if refused:
        console.print(f"{refused} of {len(counts):,} positions left out")
    if refused == len(counts) or any(row[2] for row in rows):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
