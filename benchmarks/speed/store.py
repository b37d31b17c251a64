"""What a store of many games costs: ``python -m benchmarks.speed.store``, some minutes for a million.

Games of tic-tac-toe and of Connect Four's length, with random moves, are put into new files: one after the other, as a
collection, and by pairs, as a tournament saves them. Printed are the size, the rates, how long it takes to ask for
games by SQL, and, beside them, the same for JSON lines.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from plyground.arena import GameRecord, read_records, write_records
from plyground.arena.store import Plan, Session, check_store, read_store
from plyground.envs import make_game

PLAYERS = [f"random(seed={number})" for number in range(10)]
SHAPES = {"tictactoe": (9, 5, 9, 2), "connect_four": (7, 8, 42, 4)}  # actions, fewest and most plies, of the opening
ENDINGS = ("finished",) * 97 + ("illegal", "failed", "truncated")
QUERIES = {
    "all games of one player": "SELECT * FROM games WHERE first = 3 UNION ALL SELECT * FROM games WHERE second = 3",
    "the points of one player": (
        "SELECT sum(outcome_first + 1) / 2 FROM games WHERE first = 3 "
        "UNION ALL SELECT sum(outcome_second + 1) / 2 FROM games WHERE second = 3"
    ),
    "the cross table": (
        "SELECT first, second, count(*), sum(outcome_first > outcome_second), sum(outcome_first < outcome_second) "
        "FROM games GROUP BY first, second"
    ),
    "the last 100 games": "SELECT * FROM games ORDER BY id DESC LIMIT 100",
    "how many games ended how": (
        "SELECT endings.name, count(*) FROM games JOIN endings ON endings.id = games.ending GROUP BY 1"
    ),
    "the mean length": "SELECT avg(plies) FROM games",
}
OUT = Console(highlight=False)


def random_records(game: str, games: int, seed: int = 0) -> Iterator[GameRecord]:
    """Yield records of games between ten players, of plausible lengths and times; the moves are drawn at random."""
    rng = np.random.default_rng(seed)
    actions, fewest, most, opening = SHAPES[game]
    turns = [-1] * opening + [ply & 1 for ply in range(opening, most)]
    for number in range(games):
        one, two = rng.choice(len(PLAYERS), 2, replace=False).tolist()
        plies = int(rng.integers(fewest, most + 1))
        won = float(rng.integers(-1, 2))
        seconds = [0.0] * opening + rng.lognormal(-8, 1, plies - opening).tolist()
        yield GameRecord(
            game=game,
            players=[PLAYERS[one], PLAYERS[two]],
            moves=rng.integers(0, actions, plies).tolist(),
            opening=opening,
            outcome=[won, -won],
            ending=ENDINGS[int(rng.integers(len(ENDINGS)))],
            seconds=seconds,
            movers=turns[:plies],
            seed=number,
        )


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def as_tournament(path: Path, game: str, records: Iterator[GameRecord], together: int = 2) -> int:
    """Save games as a tournament does: pair by pair, or more at once, each committed; return how many there are."""
    session = Session(path, Plan(make_game(game), PLAYERS, PLAYERS, "round_robin", 2, 0, None))
    session.begin()
    saved = 0
    while batch := list(islice(records, together)):
        session.keep(batch)
        session.enter([((0, 0, saved + number), record) for number, record in enumerate(batch)])
        saved += len(batch)
    session.close()
    return saved


def measure(game: str, games: int, folder: Path) -> list[tuple[str, str]]:
    """Return what was measured, by what it is."""
    rows = []
    making = timed(lambda: sum(1 for _ in random_records(game, games)))  # which is taken off the times below
    path, lines = folder / f"{game}.db", folder / f"{game}.jsonl"
    for file in (path, lines):
        taken = timed(lambda: write_records(file, random_records(game, games))) - making  # noqa: B023
        rows.append((f"{file.suffix}, put in as they are", f"{games / taken:,.0f} games/s"))
        size = file.stat().st_size
        rows.append((f"{file.suffix}, size", f"{size / 1e6:,.1f} MB, {size / games:.0f} bytes a game"))
        taken = timed(lambda: sum(1 for _ in read_records(file)))  # noqa: B023
        rows.append((f"{file.suffix}, all read as records", f"{games / taken:,.0f} games/s"))
    rows.append((".db, checked by --check", f"{games / timed(lambda: check_store(path)):,.0f} games/s"))
    some = games // 10
    pairs = folder / "pairs.db"
    made = timed(lambda: sum(1 for _ in random_records(game, some)))
    taken = timed(lambda: as_tournament(pairs, game, random_records(game, some))) - made
    rows.append((f".db, {some:,} by pairs, each committed", f"{some / taken:,.0f} games/s"))
    taken = timed(lambda: as_tournament(folder / "batches.db", game, random_records(game, some), 1000)) - made
    rows.append((f".db, {some:,} by batches of 1,000", f"{some / taken:,.0f} games/s"))
    with closing(sqlite3.connect(path)) as connection:
        for name, query in QUERIES.items():
            found = connection.execute(query).fetchall()
            taken = min(timed(lambda: connection.execute(query).fetchall()) for _ in range(3))  # noqa: B023
            rows.append((f"{name} ({len(found):,} rows)", f"{1e3 * taken:,.1f} ms"))
    rows.append(("the first 100 records", f"{1e3 * timed(lambda: list(islice(read_store(path), 100))):,.1f} ms"))
    return rows


def main(
    games: Annotated[int, typer.Option(help="Games in a file.")] = 1_000_000,
    shape: Annotated[Literal["tictactoe", "connect_four", "both"], typer.Option(help="Of which length.")] = "both",
) -> None:
    """Print sizes and rates."""
    for game in SHAPES if shape == "both" else (shape,):
        with tempfile.TemporaryDirectory(prefix="store-") as folder:
            fewest, most = SHAPES[game][1:3]
            table = Table(
                title=f"{games:,} games of {fewest} to {most} plies ({game})", title_justify="left", show_header=False
            )
            table.add_column(justify="left")
            table.add_column(justify="right")
            for row in measure(game, games, Path(folder)):
                table.add_row(*row)
            OUT.print(table)


if __name__ == "__main__":
    typer.run(main)
