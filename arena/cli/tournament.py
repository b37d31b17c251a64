"""``plyground tournament``: everyone against everyone, a gauntlet, the Swiss system, or a knockout."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from .options import (
    Dask,
    GameOption,
    Jobs,
    Json,
    KeepGoing,
    OpeningPlies,
    Openings,
    Out,
    Ray,
    Resume,
    Seed,
    print_json,
)

__all__ = ["tournament"]


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(
            help="Players, as in 'mcts(simulations=100)' or './mine.py:Greedy'; the first named are seeded highest."
        ),
    ],
    game: GameOption = "connect_four",
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="Who plays whom: round_robin, gauntlet, 'gauntlet(seeds=2)' (the first players against all others), "
            "swiss, 'swiss(rounds=7)', or knockout.",
        ),
    ] = "round_robin",
    games: Annotated[
        int, typer.Option(help="Games of each pairing; even: every opening is played from both sides.")
    ] = 10,
    seed: Seed = 0,
    opening_plies: OpeningPlies = None,
    openings: Openings = None,
    jobs: Jobs = 1,
    ray: Ray = False,
    dask: Dask = None,
    out: Out = None,
    resume: Resume = False,
    keep_going: KeepGoing = False,
    as_json: Json = False,
) -> None:
    """Play a tournament of any format, and print the cross table."""
    from .parts.clusters import workers
    from .parts.competition import compete, data_of, table_of

    with workers(jobs, ray, dask) as where:
        records = compete(
            *(game, players, format, games, seed),
            opening_plies=opening_plies,
            openings=openings,
            jobs=where,
            out=out,
            resume=resume,
            keep_going=keep_going,
        )
    if as_json:
        print_json(data_of(records, seed))
    else:
        Console().print(table_of(records, seed))
