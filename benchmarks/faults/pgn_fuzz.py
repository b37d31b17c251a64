"""PGN files damaged at random, read by us and by python-chess: ``python -m benchmarks.faults.pgn_fuzz``, some minutes.

Each file has one to three games with comments, marks and variations. Ours must not crash, its errors must say in one
line where they are, and the moves of the main lines must be those that python-chess reads, up to the first fault.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import typer

from tests.helpers.pgn_games import fuzz


def main(files: int = 2000, seed: int = 0) -> None:
    """Compare so many damaged files."""
    with tempfile.TemporaryDirectory(prefix="pgn-") as name:
        found = fuzz(files, Path(name) / "games.pgn", seed)
    print(f"{files} files: {found['read']} read, {found['some']} in part, {found['nothing']} not at all; all agree")


if __name__ == "__main__":
    typer.run(main)
