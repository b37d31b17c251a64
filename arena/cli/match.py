"""``plyground match``: a match, or everyone against everyone, and the cross table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from .options import GameOption, Jobs, Json, OpeningPlies, Out, Resume, Seed, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from ..records.record import GameRecord
    from ..tournament import Standing

__all__ = ["games_in", "match"]

_out = Console()
_err = Console(stderr=True)


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
    jobs: Jobs = 1,
    out: Out = None,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Play a match, or a round robin, and print the cross table."""
    from ...envs.outside.files import check_writable
    from ..matches import iter_match
    from ..progress import play_with_progress
    from ..tables import cross_table
    from ..tournament import standings

    if out is not None and out.suffix.lower() in (".sgf", ".pdn"):
        raise ValueError(f"games are saved as JSON lines, not to {out}: `plyground convert` makes {out.suffix} of them")
    if out is not None:
        check_writable(out)
    done = games_in(out, resume)
    try:
        played = iter_match(game, players, games, seed, opening_plies=opening_plies, jobs=jobs, after=done)
    except ValueError as error:
        if not done:
            raise
        raise ValueError(f"cannot go on with {out}: {error}") from None
    total = games * len(players) * (len(players) - 1) // 2
    if done:
        _err.print(f"{len(done)} of {total} games are in {out}", markup=False, highlight=False, soft_wrap=True)
    records = [*done, *play_with_progress(played, total - len(done), out)]
    _warn_of_illegal_moves(records)
    if not records:
        raise typer.Exit(130)
    table = standings(records)
    if as_json:
        print_json(
            {
                "game": records[0].game,
                "seed": seed,
                "games": len(records),
                "players": [_as_dict(line) for line in table],
            }
        )
    else:
        _out.print(cross_table(table, title=f"{records[0].game}, {len(records)} games, seed {seed}"))


def games_in(out: Path | None, resume: bool) -> list[GameRecord]:
    """Return the games that a match goes on after.

    Raises:
        ValueError: there are games, and nobody said to go on; or there is no file to go on with.
    """
    from ..records.record import read_records

    if out is None or not out.is_file() or not out.stat().st_size:
        if resume and out is None:
            raise ValueError("--resume goes on with a file of games: give it with --out")
        return []
    done = list(read_records(out))
    if not resume:
        first = f"{done[0].game}, {' v '.join(done[0].players)}"
        raise ValueError(
            f"{out} has {len(done)} games already ({first}): go on with them by --resume, or choose another file"
        )
    return done


def _warn_of_illegal_moves(records: Sequence[GameRecord]) -> None:
    """Say who lost games by illegal moves: such a table tells little of how well they play."""
    lost = Counter(one.players[one.movers[-1]] for one in records if one.ending == "illegal")
    for name, count in lost.items():
        _err.print(f"{name} lost {count} games by illegal moves", markup=False, highlight=False, soft_wrap=True)


def _as_dict(line: Standing) -> dict[str, Any]:
    score = line.total
    return {
        "name": line.name,
        "points": score.points,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "seconds_per_move": line.seconds_per_move,
        "against": {name: [s.wins, s.draws, s.losses] for name, s in line.against.items()},
    }
