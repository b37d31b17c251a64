"""Count the sets of perft positions again, by Stockfish: ``python -m benchmarks.faults.perft_counts``, a minute.

The sets are in ``tests/data/perft``: EPD, with the numbers of sequences of so many legal moves behind each position, as
in ``… w KQkq - ;D1 20 ;D2 400``. Sets with 960 in their name are of Chess960. The script says which numbers Stockfish
finds otherwise; with ``--write`` it puts Stockfish's in their place, to the same depths. ``impossible.epd`` is left
out, where Stockfish 15.1 crashes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.speed.chess_perft import POSITIONS, by_stockfish
from tests.helpers.programs import installed

FOLDER = POSITIONS.parent / "perft"
IMPOSSIBLE = "impossible"  # positions that no game comes to

Counts = dict[str, list[int]]  # [positions]: counts for depths 1, 2, ...


def read_counts(path: Path) -> Counts:
    """Return the positions of a set, and their counts."""
    found: Counts = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        position, *numbers = line.split(" ;")
        found[position] = [int(number.removeprefix(f"D{depth} ")) for depth, number in enumerate(numbers, start=1)]
    return found


def text_of(counts: Counts) -> str:
    """Return a set as the text of its file."""
    lines = [
        " ;".join([position, *(f"D{depth} {number}" for depth, number in enumerate(numbers, start=1))])
        for position, numbers in counts.items()
    ]
    return "\n".join([*lines, ""])


def counted_again(program: str, counts: Counts, is_960: bool) -> Counts:
    """Return what Stockfish counts, for the same positions to the same depths."""
    wanted = [(position, depth) for position, known in counts.items() for depth in range(1, len(known) + 1)]
    found = by_stockfish(program, wanted, is_960)
    if len(found) != len(wanted):
        raise RuntimeError(f"Stockfish gave {len(found)} counts of {len(wanted)}: it has ended too early")
    numbers = iter(found)
    return {position: [next(numbers) for _ in known] for position, known in counts.items()}


def main(write: Annotated[bool, typer.Option(help="Put Stockfish's numbers into the files.")] = False) -> None:
    """Compare the sets with Stockfish."""
    program = installed("stockfish")
    if program is None:
        raise typer.BadParameter("stockfish is not installed")
    different = 0
    for path in sorted(FOLDER.glob("*.epd")):
        if path.stem == IMPOSSIBLE:
            continue
        known = read_counts(path)
        found = counted_again(program, known, "960" in path.stem)
        others = [position for position in known if found[position] != known[position]]
        for position in others:
            print(f"{position}: {known[position]} here, {found[position]} by Stockfish")
        print(f"{path.stem}: {len(known):,} positions, {sum(map(sum, found.values())):,} sequences of moves")
        if write:
            path.write_text(text_of(found), encoding="utf-8", newline="\n")
        different += len(others)
    if different and not write:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
