"""``plyground generate``: games by any players, as records to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..lines import console, print_plain
from ..wording import counted
from .options import GameArgument, Jobs, Resume, Seed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..records.record import GameRecord
    from .parts.losses import Losses

__all__ = ["generate"]

_out = console()


def generate(
    game: GameArgument,
    players: Annotated[
        list[str],
        typer.Argument(
            help="One player, which meets itself, or several, of which each game draws two: 'solver', "
            "\"engine('gnugo --mode gtp --level 1')\"."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="A file that keeps the games, each when it is finished: JSON lines, a store, games.db, or, for games "
            "that have it, SGF, PDN or PGN, which does not say which moves were random."
        ),
    ],
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1000,
    opening_plies: Annotated[
        str | None,
        typer.Option(
            metavar="MOST or FEWEST-MOST",
            help="Random plies that open a game; their number is drawn. Default: up to 8, and to half of the longest "
            "game.",
        ),
    ] = None,
    noise: Annotated[float, typer.Option(help="Share of the moves after the opening that are random.")] = 0.0,
    seed: Seed = 0,
    jobs: Jobs = 1,
    resume: Resume = False,
) -> None:
    """Play games to learn from, by any players. Ctrl-C keeps the finished ones; --resume goes on."""
    from ...envs import make_game
    from ..generation import check_first_games, default_plies, generate
    from ..progress import collect_with_progress
    from .parts.competition import before_games
    from .parts.generation import games_in, read_plies, saved, tells_movers
    from .parts.losses import Losses

    made = make_game(game)
    plies = default_plies(made) if opening_plies is None else read_plies(opening_plies)
    done = games_in(out, made, resume)
    with before_games(resume):
        check_first_games(made, players, seed, done, opening_plies=plies, noise=noise, movers=tells_movers(out))
        played = generate(made, players, games, seed, opening_plies=plies, noise=noise, first=len(done), jobs=jobs)
    adding = saved(out, played, len(done))
    losses = Losses()
    try:
        new = collect_with_progress(_counted(adding, losses), max(games, len(done)), "playing", "games", done=len(done))
    finally:  # a player may have failed too often
        losses.tell()
    total = len(done) + len(new)
    if total < games:
        print_plain(_out, f"{out}: {total:,} of {counted(games, 'game')}; go on with --resume")
        raise typer.Exit(130)
    first = [*done, *new]
    wins = [sum(record.outcome[seat] > record.outcome[1 - seat] for record in first) for seat in (0, 1)]
    text = f"{wins[0]:,} won by the first player, {wins[1]:,} by the second, {len(first) - sum(wins):,} drawn"
    moves = sum(len(record.moves) for record in first)
    print_plain(_out, f"{out}: {counted(total, 'game')}, {counted(moves, 'move')}; {text}")


def _counted(records: Iterator[GameRecord], losses: Losses) -> Iterator[GameRecord]:
    """Yield games, and count those that were lost otherwise than by the rules."""
    for record in records:
        losses.add(record)
        yield record
