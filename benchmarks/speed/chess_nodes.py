"""How many positions of chess a search visits in a second of one thread: ``python -m benchmarks.speed.chess_nodes``.

Our alpha-beta, Stockfish, sunfish (``pip install sunfish``), and a plain alpha-beta over python-chess, which counts the
material: one after the other at each position, with an empty table. Programs that are not installed are left out. All
count a node for each move that is made, but what they spend on it, and which moves they leave out, is their own: the
rate is no strength. With ``--write`` the table goes into docs/measurements.md.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from functools import partial
from typing import Annotated

import chess as pychess
import typer
from chess.engine import Limit, SimpleEngine
from rich.console import Console
from rich.table import Table

from benchmarks.page import markdown_table, write_section
from benchmarks.speed.chess_perft import POSITIONS
from benchmarks.speed.harness import describe_machine
from plyground.agents import AlphaBeta
from plyground.envs import chess as our_chess

WANTED = ("initial position", "position 2 (Kiwipete)", "position 6", "position 3")  # of the wiki's perft page
WIDTH = 100  # columns that the table needs; a file or a pipe has no width of its own
VALUES = {pychess.PAWN: 1, pychess.KNIGHT: 3, pychess.BISHOP: 3, pychess.ROOK: 5, pychess.QUEEN: 9, pychess.KING: 0}

Rate = Callable[[str, float], float]  # of a position as FEN, in nodes a second, measured for so many seconds


def ours(fen: str, seconds: float) -> float:
    """Return the rate of our search."""
    game = our_chess()
    state = game.state_from_fen(fen)
    AlphaBeta(game, nodes=1000).analyse(state)  # compiles
    return AlphaBeta(game, seconds=seconds).analyse(state).nodes_per_second


def by_program(command: str, fen: str, seconds: float) -> float:
    """Return the rate that a UCI engine reports last."""
    with SimpleEngine.popen_uci(command) as engine:
        wanted = {"Threads": 1, "Hash": 64}
        engine.configure({name: value for name, value in wanted.items() if name in engine.options})
        info = engine.analyse(pychess.Board(fen), Limit(time=seconds))
    nodes, took = info.get("nodes"), info.get("time")
    if not nodes or not took:
        raise RuntimeError(f"{command} says neither how many nodes it visited nor how long that took: {info}")
    return nodes / took


def by_python_chess(fen: str, seconds: float) -> float:
    """Return the rate of a plain alpha-beta, deepened until the time is up."""
    board, nodes = pychess.Board(fen), 0
    start = time.perf_counter()
    deadline = start + seconds

    def value(depth: int, alpha: int, beta: int) -> int:
        nonlocal nodes
        nodes += 1
        if time.perf_counter() > deadline:
            raise TimeoutError
        if depth == 0:
            colours = ((board.turn, 1), (not board.turn, -1))
            return sum(
                sign * worth * board.pieces_mask(piece, colour).bit_count()
                for colour, sign in colours
                for piece, worth in VALUES.items()
            )
        for move in sorted(board.legal_moves, key=board.is_capture, reverse=True):
            board.push(move)
            alpha = max(alpha, -value(depth - 1, -beta, -alpha))
            board.pop()
            if alpha >= beta:
                break
        return alpha

    depth = 0
    try:
        while True:
            depth += 1
            value(depth, -100, 100)
    except TimeoutError:
        return nodes / (time.perf_counter() - start)


def main(
    seconds: Annotated[float, typer.Option(min=0.1, help="For each search.")] = 2.0,
    stockfish: Annotated[str, typer.Option(metavar="COMMAND", help="What starts it.")] = "stockfish",
    sunfish: Annotated[str, typer.Option(metavar="COMMAND", help="What starts it.")] = "sunfish-uci",
    write: Annotated[bool, typer.Option("--write", help="Write the table into docs/measurements.md.")] = False,
) -> None:
    """Print the table: thousands of nodes a second, with the ratio to ours."""
    sides: dict[str, Rate | None] = {"ours": ours}
    for name, command in (("Stockfish", stockfish), ("sunfish", sunfish)):
        path = shutil.which(command) or shutil.which(command, path="/usr/games")
        sides[name] = None if path is None else partial(by_program, path)
    sides["over python-chess"] = by_python_chess
    fens = {entry["name"]: entry["fen"] for entry in json.loads(POSITIONS.read_text())["positions"]}
    head, rows = ("thousand nodes/s", *sides), []
    for position in WANTED:
        own, *others = [None if rate is None else rate(fens[position], seconds) for rate in sides.values()]
        assert own is not None
        cells = ["not installed" if rate is None else f"{rate / 1e3:,.1f} ({rate / own:.2g}×)" for rate in others]
        rows.append((position, f"{own / 1e3:,.1f}", *cells))
    table, cpu = Table(*head), str(describe_machine()["cpu"])
    for row in rows:
        table.add_row(*row)
    Console(width=WIDTH).print(table)
    print(cpu)
    if write:
        write_section("chess nodes", [f"One core of an {cpu}:", "", *markdown_table(head, rows)])


if __name__ == "__main__":
    typer.run(main)
