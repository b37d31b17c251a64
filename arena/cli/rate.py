"""``plyground rate``: the place of a player on a game's ladder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .options import GameOption, Json, OpeningPlies, Out, Resume, Seed, print_json

if TYPE_CHECKING:
    from ..grading.placing import Placing

__all__ = ["rate"]

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)


def rate(
    player: Annotated[
        str,
        typer.Argument(help="The player to rate, as in 'mcts(simulations=100)'; a model's file; or a run's folder."),
    ],
    game: GameOption = "connect_four",
    games: Annotated[int, typer.Option(help="Games, at most; even: every opening is played from both sides.")] = 400,
    width: Annotated[float, typer.Option(help="The Elo to either side that end it.")] = 30.0,
    ladder: Annotated[
        Path | None,
        typer.Option(help="Ratings of other rungs: a file as benchmarks/ladder.py makes. Default: the package's."),
    ] = None,
    seed: Seed = 0,
    opening_plies: OpeningPlies = None,
    out: Out = None,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Place a player on a game's ladder: it plays the rungs that tell the most, until its rating is sure enough."""
    from ...envs import make_game
    from ..grading.anchors import ladder_of
    from ..grading.placing import iter_place, placing_of
    from ..records.record import write_records
    from .parts.competition import games_in
    from .parts.evaluation import named

    made, found = make_game(game), named(player)
    known = ladder_of(made, ladder)
    done = games_in(out, resume)
    played = iter_place(
        *(found.spec, made, known, games, width, seed), opening_plies=opening_plies, name=found.name, after=done
    )
    placing, count = placing_of(known, done), len(done)
    with _err.status("") as status:
        try:
            for record, placing in played:
                count += 1
                if out is not None:
                    write_records(out, [record])
                status.update(f"{count} of {games} games at most, {_in_words(placing)}")
        except KeyboardInterrupt:
            _err.print(f"stopped after {count} games")
    if placing.rating is None:
        raise typer.Exit(130)
    if as_json:
        rating = placing.rating._asdict()
        print_json({"player": found.name or found.spec, "game": made.spec} | rating | {"against": placing.against})
    else:
        _tell(found.name or found.spec, made.spec, placing, known)


def _in_words(placing: Placing) -> str:
    return "no rating yet" if placing.rating is None else f"Elo {placing.rating} ± {placing.width:.0f}"


def _tell(player: str, game: str, placing: Placing, ladder: dict[str, float]) -> None:
    """Print the ladder with the player on it."""
    rating = placing.rating
    assert rating is not None
    rows = [(elo, rung, f"{elo:.0f}", str(placing.against.get(rung, ""))) for rung, elo in ladder.items()]
    rows.append((rating.elo, f"▶ {player}", str(rating), str(rating.games)))
    title = escape(f"{player} on the ladder of {game}")
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, header_style="bold")
    table.add_column("player", overflow="fold")
    for heading in ("Elo", "games"):
        table.add_column(heading, justify="right", no_wrap=True)
    for _, name, elo, count in sorted(rows, key=lambda row: -row[0]):
        table.add_row(escape(name), elo, count)
    _out.print(table)
    _out.print("The interval is of 95 %; the ratings of the rungs are taken as exact.", soft_wrap=True)
