"""Games a second of two compiled players, one by one and side by side: ``python -m benchmarks.speed.throughput``.

The same games, with the same seeds, are played

- in PettingZoo's own environment of the game, if it has one (``pettingzoo.classic``, without openings), one by one;
- in ours, one by one, as `plyground.arena.play` does;
- side by side, as a match of many games does, in one process and in several.

The records are compared, game by game: they differ in nothing but the times. Rates are by the clock; beside them stands
the time of the processor, which tells more where other work runs beside. Each way warms up first.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Annotated, Any, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from plyground.agents import make
from plyground.arena import GameRecord, iter_match, play
from plyground.envs import BoardGameEnv, make_game

SEED = 1
WIDTH = 100
CLASSIC = {"connect_four": "connect_four_v3", "tictactoe": "tictactoe_v3"}
PLAYERS = ["alphabeta(depth=2)", "random"]


class Row(NamedTuple):
    """What was measured of one way to play."""

    way: str
    games: int
    seconds: float
    processor: float | None  # seconds; None: processes that go on have used it, which the system does not tell
    records: list[GameRecord]

    @property
    def rate(self) -> float:
        """Games a second."""
        return self.games / self.seconds


def timed(way: str, games: Callable[[], Iterator[GameRecord]], *, apart: bool = False) -> Row:
    """Play, in processes ``apart`` or in this one, and keep the records in memory."""
    start, processor = time.perf_counter(), _processor()
    records = list(games())
    seconds = time.perf_counter() - start
    return Row(way, len(records), seconds, None if apart else _processor() - processor, records)


def _processor() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def one_by_one(env: Any, specs: Sequence[str], game: str, given: Sequence[GameRecord]) -> Iterator[GameRecord]:
    """Play the games that were ``given`` again, each by itself: the same sides, seeds and openings."""
    agents = {name: make(name, game) for name in specs}
    for record in given:
        players, opening = [agents[name] for name in record.players], record.moves[: record.opening]
        options = {"moves": opening} if opening else None
        yield play(env, players, record.seed, names=record.players, options=options)


def differing(some: Sequence[GameRecord], others: Sequence[GameRecord]) -> int:
    """Return how many games differ in their moves, their movers, their outcome or their ending."""
    return sum(
        (one.moves, one.movers, one.outcome, one.ending, one.seed)
        != (other.moves, other.movers, other.outcome, other.ending, other.seed)
        for one, other in zip(some, others, strict=False)
    )


def classic(game: str, plies: int) -> Any:
    """Return PettingZoo's environment of a game, or None: it knows no openings, and some need pygame."""
    if game not in CLASSIC or plies:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return import_module(f"pettingzoo.classic.{CLASSIC[game]}").env()
        except ModuleNotFoundError:
            return None


def measured(game: str, players: list[str], games: int, sample: int, plies: int, jobs: int) -> Iterator[Row]:
    """Yield a row for each way, the fastest first: the others play its first games again."""
    options: dict[str, Any] = {"opening_plies": plies}
    list(islice(iter_match(game, players, 20_000, SEED, **options), 2000))  # compiles
    many = timed("side by side", lambda: iter_match(game, players, games, SEED, **options))
    yield many
    if jobs > 1:
        list(iter_match(game, players, 2000, SEED, jobs=jobs, **options))  # starts the processes
        yield timed(
            f"side by side, {jobs} processes",
            lambda: iter_match(game, players, games, SEED, jobs=jobs, **options),
            apart=True,
        )
    given = many.records[:sample]
    for way, env in (("one by one", BoardGameEnv(make_game(game))), ("PettingZoo, one by one", classic(game, plies))):
        if env is not None:
            list(one_by_one(env, players, game, given[:20]))
            yield timed(way, lambda env=env: one_by_one(env, players, game, given))


def main(
    players: Annotated[list[str] | None, typer.Argument(help="Two players that can play many games at once.")] = None,
    game: Annotated[str, typer.Option(help="The game.")] = "connect_four",
    games: Annotated[int, typer.Option(help="Games side by side.")] = 100_000,
    sample: Annotated[int, typer.Option(help="How many of them are played again, one by one.")] = 2000,
    opening_plies: Annotated[int, typer.Option(help="Random plies that open a game.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes of the last row; 1 for none.")] = 2,
) -> None:
    """Measure each way to play the same games, and print a table with ratios."""
    players = players or PLAYERS
    before = os.getloadavg()[0]
    rows = list(measured(game, players, games, sample, opening_plies, jobs))
    first = rows[0]
    table = Table(title=f"{game}: {' v '.join(players)}", box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("", "games", "games/s", "µs/game", "processor", "slower by", "differ"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for row in reversed(rows):
        processor = "-" if row.processor is None else f"{row.processor / row.games * 1e6:,.0f}"
        table.add_row(
            *(row.way, f"{row.games:,}", f"{row.rate:,.0f}", f"{1e6 / row.rate:,.0f}", processor),
            *(f"{first.rate / row.rate:.2f}×", str(differing(row.records, first.records))),
        )
    console = Console(width=WIDTH)
    console.print(table)
    lines = [len(record.to_json()) for record in first.records[:1000]]
    console.print(
        f"{sum(lines) / len(lines):.0f} bytes a game as JSON lines; load before: {before:.1f}, {os.cpu_count()} cores",
        highlight=False,
    )


if __name__ == "__main__":
    typer.run(main)
