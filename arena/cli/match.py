"""``plyground match`` and ``plyground tournament``: who plays whom is what differs. Both print the cross table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..lines import console
from .options import (
    Adjudicate,
    Analyses,
    Dask,
    GameOption,
    Jobs,
    Json,
    KeepGoing,
    MaxFailures,
    OpeningPlies,
    Openings,
    Out,
    Ray,
    Resume,
    Seed,
    Time,
    print_json,
)

if TYPE_CHECKING:
    from .parts.competition import Results

__all__ = ["match", "tournament"]


def match(
    players: Annotated[
        list[str],
        typer.Argument(
            help="Two or more players, as in 'mcts(simulations=100)' or './examples/greedy.py:Greedy'; more than two "
            "play everyone against everyone."
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
    time: Time = None,
    adjudicate: Adjudicate = None,
    keep_going: KeepGoing = False,
    max_failures: MaxFailures = None,
    analyses: Analyses = False,
    as_json: Json = False,
) -> None:
    """Play a match, or a round robin, and print the cross table."""
    from .parts.clusters import workers
    from .parts.competition import compete, match_options

    with workers(jobs, ray, dask) as where:
        given = opening_plies, openings, time, adjudicate
        options = match_options(where, *given, keep_going=keep_going, analyses=analyses, max_failures=max_failures)
        results = compete(game, players, "round_robin", games, seed, out, resume, options)
    _print(results, seed, as_json)


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(
            help="Players, as in 'mcts(simulations=100)' or './examples/greedy.py:Greedy'; the first named are seeded "
            "highest."
        ),
    ],
    game: GameOption = "connect_four",
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="Who plays whom: round_robin, gauntlet, 'gauntlet(seeds=2)' (the first players against all others), "
            "swiss, 'swiss(rounds=7)', knockout, or 'bandit(pairings=30)': games where they tell most of ratings.",
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
    time: Time = None,
    adjudicate: Adjudicate = None,
    keep_going: KeepGoing = False,
    max_failures: MaxFailures = None,
    analyses: Analyses = False,
    as_json: Json = False,
) -> None:
    """Play a tournament of any format, and print the cross table."""
    from .parts.clusters import workers
    from .parts.competition import compete, match_options

    with workers(jobs, ray, dask) as where:
        given = opening_plies, openings, time, adjudicate
        options = match_options(where, *given, keep_going=keep_going, analyses=analyses, max_failures=max_failures)
        results = compete(game, players, format, games, seed, out, resume, options)
    _print(results, seed, as_json)


def _print(results: Results, seed: int, as_json: bool) -> None:
    """Print the cross table.

    Raises:
        typer.Exit: it is not that of all games, after Ctrl-C.
    """
    if as_json:
        print_json(results.data(seed))
    else:
        console().print(results.table(results.title(seed)))
    if results.is_interrupted:
        raise typer.Exit(130)
