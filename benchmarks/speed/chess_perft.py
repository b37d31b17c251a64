"""How fast the moves of chess are found, in nodes a second of one thread: ``python -m benchmarks.speed.chess_perft``.

Counted in bulk, where the last moves are counted and not played, and with every move played. Beside it python-chess, in
bulk, and Stockfish (``go perft``, in bulk), where it is installed. With ``--write`` the table goes into
docs/measurements.md.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import chess as pychess
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.page import markdown_table, write_section
from benchmarks.speed.harness import describe_machine
from benchmarks.speed.python_chess import by_python_chess
from plyground.envs import chess
from plyground.envs.games.chess.fen import read_fen
from plyground.envs.games.chess.perft import perft

POSITIONS = Path(__file__).parents[2] / "tests" / "data" / "perft.json"
MOST = 6_000_000  # nodes with every move played, and a hundredth of it for python-chess
MOST_BULK = 100_000_000
ROUNDS = 3


def rate(count: Callable[[], int], expected: int) -> float:
    """Return nodes a second, the best of some rounds."""
    return expected / seconds_of(count, expected)


def seconds_of(count: Callable[[], int], expected: int) -> float:
    """Return the seconds of the best of some rounds."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        found = count()
        seconds.append(time.perf_counter() - start)
        assert found == expected, (found, expected)
    return min(seconds)


def deepest(counts: list[int], most: int) -> int:
    """Return the largest depth with so many nodes at most."""
    return max(depth for depth, count in enumerate(counts, start=1) if count <= most)


def by_stockfish(program: str, wanted: Sequence[tuple[str, int]], is_960: bool) -> list[int]:
    """Return the counts of one process of Stockfish, for positions and depths."""
    orders = [f"setoption name UCI_Chess960 value {str(is_960).lower()}"]
    orders += [f"position fen {fen}\ngo perft {depth}" for fen, depth in wanted]
    said = subprocess.run([program], input="\n".join([*orders, "quit", ""]), capture_output=True, text=True, check=True)
    return [int(line.split()[-1]) for line in said.stdout.splitlines() if line.startswith("Nodes searched")]


def rate_of_stockfish(program: str, fen: str, is_960: bool, counts: list[int], depth: int) -> float:
    """Return its nodes a second, without its start, which takes some 70 ms: that is what a single ply takes."""

    def seconds(plies: int) -> float:
        return seconds_of(lambda: by_stockfish(program, [(fen, plies)], is_960)[0], counts[plies - 1])

    return counts[depth - 1] / (seconds(depth) - seconds(1))


def main(
    write: Annotated[bool, typer.Option("--write", help="Write the table into docs/measurements.md.")] = False,
) -> None:
    """Print the table."""
    head, rows = ("position", "depth", "bulk, M/s", "depth", "every move, M/s", "python-chess", "Stockfish"), []
    stockfish = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
    for entry in json.loads(POSITIONS.read_text())["positions"][:9]:
        fen, is_960, counts = entry["fen"], entry["chess960"], entry["counts"]
        game, state = chess(chess960=0 if is_960 else -1), read_fen(fen, is_960)
        row = [entry["name"]]
        for bulk, most in ((True, MOST_BULK), (False, MOST)):
            perft(game, state, 1, bulk)  # compiles
            depth = deepest(counts, most)
            found = rate(lambda: perft(game, state, depth, bulk), counts[depth - 1])  # noqa: B023
            row += [str(depth), f"{found / 1e6:.1f}"]
        depth = deepest(counts, MOST // 100)
        board = pychess.Board(fen, chess960=is_960)
        row.append(f"{rate(lambda: by_python_chess(board, depth), counts[depth - 1]) / 1e6:.2f}")  # noqa: B023
        depth = deepest(counts, MOST_BULK)
        rate_of = None if stockfish is None else rate_of_stockfish(stockfish, fen, is_960, counts, depth)
        rows.append((*row, "not installed" if rate_of is None else f"{rate_of / 1e6:.0f}"))
    table, cpu = Table(*head), str(describe_machine()["cpu"])
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    print(cpu)
    if write:
        write_section("perft", [f"One core of an {cpu}:", "", *markdown_table(head, rows)])


if __name__ == "__main__":
    typer.run(main)
