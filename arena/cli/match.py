"""``plyground match``: a match, or everyone against everyone, and the cross table."""

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

__all__ = ["match"]


def match(
    players: Annotated[
        list[str],
        typer.Argument(
            help="Two or more players, as in 'mcts(simulations=100)' or './mine.py:Greedy'; more than two play "
            "everyone against everyone."
        ),
    ],
    game: GameOption = "connect_four",
    games: Annotated[
        int, typer.Option(help="Games of each pairing; even: every opening is played from both sides.")
    ] = 100,
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
    """Play a match, or a round robin, and print the cross table."""
    from .parts.clusters import workers
    from .parts.competition import compete, data_of, table_of

    with workers(jobs, ray, dask) as where:
        records = compete(
            *(game, players, "round_robin", games, seed),
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
