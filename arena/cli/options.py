"""Options that several commands have, and JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

__all__ = [
    "Adjudicate",
    "Analyses",
    "Dask",
    "GameArgument",
    "GameOption",
    "GamesFile",
    "Jobs",
    "Json",
    "KeepGoing",
    "MaxFailures",
    "Moves",
    "OpeningPlies",
    "Openings",
    "Out",
    "PositionOption",
    "Ray",
    "Resume",
    "Seed",
    "Time",
    "Unicode",
    "print_json",
    "results_alone",
]

_GAME = "A game, as in 'connect_four(rows=5)', or the place of one of your own, './file.py:name'."

Adjudicate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SPEC",
        help="Ends games whose result is known: exact (by the solver), 'endings(pieces=3)' (of chess and checkers), "
        "'resign(score=0.95, moves=3)', 'draw(score=0.02, moves=8, after=40)'; scores are shares of the largest "
        "utility. Give it again for more.",
    ),
]
Analyses = Annotated[
    bool,
    typer.Option("--analyses", help="Keep what the players' searches thought of each move: value, depth, nodes, line."),
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Dask cluster, whose scheduler is there: 'tcp://10.0.0.1:8786'."),
]
GameArgument = Annotated[str, typer.Argument(help=_GAME)]
GameOption = Annotated[str, typer.Option("--game", "-g", help=_GAME)]
GamesFile = Annotated[Path, typer.Argument(help="A file of games: .jsonl, .db, .csv, .parquet, .sgf, .pdn or .pgn.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Processes that play; -1 for one on each core.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
KeepGoing = Annotated[
    bool,
    typer.Option("--keep-going", help="A player loses the game for any error; by default, only programs do."),
]
MaxFailures = Annotated[
    int | None,
    typer.Option(min=1, help="A player that has failed in so many games is withdrawn: by default, after three."),
]
Moves = Annotated[
    str, typer.Option(help="Moves from the start: names or numbers of actions, as in 'd3 c5' or '3,3,2'.")
]
OpeningPlies = Annotated[
    int | None,
    typer.Option(
        help="Random plies before the players take over, exactly so many; of openings from a file, the first so many."
    ),
]
Openings = Annotated[
    str | None,
    typer.Option(
        help="A file of openings (moves, .epd, .fen, or games), or 'balanced' for those that come with the package. "
        "Default: random ones."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="A file that keeps the games, each when it is finished: JSON lines, new, or a store, games.db, which may "
        "have others; games.db#night gives these a title."
    ),
]
PositionOption = Annotated[
    str, typer.Option(help="Where the moves begin, as FEN: for chess, and, as in 'W:W18,K27:B12,K20', for checkers.")
]
Ray = Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster: that of RAY_ADDRESS, or of this machine.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on after the games in the file of --out.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all that is random: the same seed gives the same games.")]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="CONTROL",
        help="The players' time, in seconds: '60' for a game, '60+0.5' with an increment, '0.2/move'; ' cpu' after it "
        "for the processor's time. Whoever uses it up, and 0.05 s beyond, in a game or for a move, loses.",
    ),
]
Unicode = Annotated[
    bool, typer.Option("--unicode", help="Draw pieces by their Unicode symbols, as in ♘, if they have any.")
]


_results: TextIO | None = None  # where results go, while all else that is printed does not


@contextmanager
def results_alone() -> Iterator[None]:
    """Let standard output be for `print_json` alone: what players print goes to standard error."""
    global _results
    before, _results = _results, sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _results = before


def print_json(value: Any) -> None:
    """Print a value as JSON. What is not finite is None, since JSON has no such numbers."""
    print(json.dumps(_finite(value), indent=2, default=lambda other: other.item()), file=_results)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
