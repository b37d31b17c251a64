"""Elo differences of one option, or one doubling of the budget: ``python -m benchmarks.strength.elo``.

Each row is a match in paired openings; the interval is that of `plyground.arena.ratings.elo_difference`. The time per
move is that of the processor (with all threads), in some of the same games, played again by one process.

    python -m benchmarks.strength.elo --only doublings --quick
    python -m benchmarks.strength.elo --keep results.jsonl --write

The second plays what the file has not yet, adds it there, and writes the tables into docs/measurements.md. Ctrl-C ends
it and loses one row at most. The file does not know when the players have changed: remove it then.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.page import markdown_table, write_section
from benchmarks.strength.elo_rows import ROWS, Row
from benchmarks.strength.openspiel_bot import OpenSpielMCTS
from plyground.agents import Agent, make
from plyground.agents.agent import Info, Observation
from plyground.arena import iter_match, match
from plyground.arena.ratings import elo_difference, pair_scores
from plyground.envs import make_game
from plyground.envs.outside.spec import parse_spec

OPENINGS, QUICK = 120, 20
SEED = 0
TIMED_PAIRS = 3  # of openings; the first only warms up
HEAD = ("setting", "games", "score", "Elo", "95 % interval", "× time per move")
WIDTH = 110  # columns that a table needs; a file or a pipe has no width of its own

Result = dict[str, Any]  # a line of the file: the row, "pairs" (points of the first player) and "seconds" (per move)


class Timed:
    """A player, and the processor's time that its moves take.

    Its first move of a game is left out, in which tables are filled and an adapter finds its way to the opening.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.seconds, self.moves = 0.0, 0

    def reset(self, seed: int | None = None) -> None:
        """Begin a game."""
        self.agent.reset(seed)
        self._first = True

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the player's move."""
        start = time.process_time()
        action = self.agent.act(observation, info)
        if not self._first:
            self.seconds += time.process_time() - start
            self.moves += 1
        self._first = False
        return action


def player(spec: str, game: str) -> Agent:
    """Make a player: OpenSpiel's, or one of ours."""
    name, _, arguments = parse_spec(spec)
    return OpenSpielMCTS(game, **arguments) if name == "open_spiel" else make(spec, game)


def play_row(row: Row, openings: int, jobs: int) -> Result:
    """Play a row's match."""
    specs, game = (row.first, row.second), make_game(row.game)
    # Specs are made into players once in each process, which those of OpenSpiel are not.
    seated = [player(spec, row.game) if spec.startswith("open_spiel") else spec for spec in specs]
    records = match(game, seated, 2 * openings, SEED, jobs=jobs, names=specs)
    timed = [Timed(player(spec, row.game)) for spec in specs]
    for number, _ in enumerate(iter_match(game, timed, 2 * TIMED_PAIRS, SEED, names=specs)):
        if number == 1:
            for one in timed:
                one.seconds, one.moves = 0.0, 0
    seconds = [one.seconds / one.moves for one in timed]
    return {**row._asdict(), "asked": openings, "pairs": pair_scores(records), "seconds": seconds}


def cells(result: Result) -> tuple[str, ...]:
    """Return a line of the tables."""
    found = elo_difference(result["pairs"])
    ratio = result["seconds"][0] / result["seconds"][1]
    interval = f"{found.low:+.0f} to {found.high:+.0f}"
    return result["name"], str(found.games), f"{found.score:.3f}", f"{found.elo:+.0f}", interval, f"{ratio:.2f}"


def identity(result: Result) -> tuple[Any, ...]:
    return tuple(result[name] for name in ("game", "first", "second", "asked"))


def results(
    rows: Iterable[Row], openings: int, jobs: int, known: dict[tuple[Any, ...], Result], keep: Path | None
) -> Iterator[Result]:
    """Yield the result of each row, known or played now; the latter are added to the file."""
    for row in rows:
        asked = max(2, round(row.openings * openings))
        result = known.get(identity({**row._asdict(), "asked": asked}))
        if result is None:
            result = play_row(row, asked, jobs)
            if keep is not None:
                with keep.open("a") as file:
                    file.write(json.dumps(result) + "\n")
        yield {**result, **row._asdict()}


def write(done: list[Result]) -> None:
    """Write the sections of which there are rows, and name the settings that were left out."""
    for section in dict.fromkeys(row.section for row in ROWS):
        own = [result for result in done if result["section"] == section]
        left = [row for row in ROWS if row.section == section]
        left = [row for row in left if (row.game, row.name) not in {(one["game"], one["name"]) for one in own}]
        if own:
            lines = []
            for game, some in groupby(own, lambda result: result["game"]):
                lines += [f"`{game}`:", "", *markdown_table(HEAD, [cells(result) for result in some]), ""]
            for game, some in groupby(left, lambda row: row.game):
                lines += [f"Not played here, in `{game}`: {', '.join(row.name for row in some)}.", ""]
            write_section(f"strength {section}", lines[:-1])
        print(f"{section}: {len(own)} rows written, {len(left)} not played")


def main(
    only: Annotated[
        str, typer.Option(metavar="TEXT", help="Play only rows with this text in 'section: game: setting'.")
    ] = "",
    openings: Annotated[int, typer.Option(min=2, help="Of each row; each is played from both sides.")] = OPENINGS,
    quick: Annotated[bool, typer.Option("--quick", help=f"{QUICK} openings: a look, with wide intervals.")] = False,
    jobs: Annotated[int, typer.Option(help="Processes; the games do not depend on it.")] = 2,
    keep: Annotated[
        Path | None, typer.Option(dir_okay=False, help="A file of results: what is in it is not played again.")
    ] = None,
    write_tables: Annotated[bool, typer.Option("--write", help="Write the tables into docs/measurements.md.")] = False,
) -> None:
    """Measure what options and budgets are worth, in Elo."""
    chosen = [row for row in ROWS if only.lower() in f"{row.section}: {row.game}: {row.name}".lower()]
    if not chosen:
        raise typer.BadParameter(f"no row has {only!r} in its section, game or setting", param_hint="--only")
    if find_spec("pyspiel") is None:
        chosen = [row for row in chosen if row.section != "open_spiel"]
        if not chosen:
            raise typer.BadParameter(
                f"all rows of {only!r} need open_spiel, which is not installed", param_hint="--only"
            )
        print("open_spiel is not installed: its section is left out")
    known: dict[tuple[Any, ...], Result] = {}
    if keep is not None:
        keep.parent.mkdir(parents=True, exist_ok=True)
    if keep is not None and keep.exists():
        known = {identity(result): result for result in map(json.loads, keep.read_text().splitlines())}
    console, started = Console(width=WIDTH), time.perf_counter()
    played = results(chosen, QUICK if quick else openings, jobs, known, keep)
    done: list[Result] = []
    with suppress(KeyboardInterrupt):
        for (section, game), rows in groupby(chosen, lambda row: (row.section, row.game)):
            table = Table(*HEAD, title=f"{section}: {game}", title_justify="left")
            try:
                for row in rows:
                    with console.status(f"{section}: {game}: {row.name} …"):
                        done.append(next(played))
                    table.add_row(*cells(done[-1]))
            finally:
                console.print(table)
    console.print(f"{len(done)} of {len(chosen)} rows, {time.perf_counter() - started:.0f} s")
    if write_tables:
        kept = {**known, **{identity(result): result for result in done}}
        asked = QUICK if quick else openings
        every = [{**row._asdict(), "asked": max(2, round(row.openings * asked))} for row in ROWS]
        write([{**kept[identity(row)], **row} for row in every if identity(row) in kept])


if __name__ == "__main__":
    typer.run(main)
