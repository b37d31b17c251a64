"""``plyground ratings``: who is how strong, by the games in files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from .options import Json, print_json

if TYPE_CHECKING:
    from ..ratings import RatingList
    from ..ratings.paired import PairedGames

__all__ = ["ratings"]

_out = Console(highlight=False)


def ratings(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of games, as JSON lines.")],
    anchor: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ELO", help="A player's rating that is known, as in 'random=0'; may come again."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="The probability that intervals are to have.")] = 0.95,
    los: Annotated[bool, typer.Option("--los", help="Also the likelihood of superiority of each over each.")] = False,
    circles: Annotated[
        bool,
        typer.Option(
            "--cycles",
            help="Also who beats whom in a circle, Nash averaging and α-rank, for players whose strength is not one "
            "number. Everybody must have met everybody.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Rate players by all their games: Elo with intervals that know of pairs of games."""
    from itertools import chain

    from ..ratings.lists import rate_games
    from ..ratings.paired import paired_games
    from ..records.record import read_records
    from ..tables import ratings_table, superiority_table

    known = dict(_anchor(text) for text in anchor or [])
    games = paired_games(chain.from_iterable(read_records(file) for file in files))
    found = rate_games(games, anchors=known, confidence=confidence)
    beyond = _beyond(games, [one.name for one in found.ratings], confidence) if circles else None
    if as_json:
        print_json(_data_of(found, los) | (beyond or {}))
        return
    _out.print(ratings_table(found))
    _out.print(_notes(found), markup=False, soft_wrap=True)
    if los:
        _out.print("\nHow likely each is stronger than the others, in percent:")
        _out.print(superiority_table(found))
    if beyond:
        _tell_beyond(beyond)


def _anchor(text: str) -> tuple[str, float]:
    """Read ``NAME=ELO``; names may have an equals sign, too.

    Raises:
        ValueError: it is something else.
    """
    name, equals, value = text.rpartition("=")
    try:
        elo = float(value)
    except ValueError:
        elo = math.nan
    if not (name and equals and math.isfinite(elo)):
        raise ValueError(f"--anchor takes a player's name and its rating, as in 'random=0', got {text!r}")
    return name, elo


def _notes(found: RatingList) -> str:
    """Return what the table does not say of itself."""
    reference = f"the anchors ({', '.join(found.anchors)})" if found.anchors else "the mean of all players, which is 0"
    move = found.first_move
    lines = [
        f"Elo, with its interval of {100 * found.confidence:.4g} %, is the lead on {reference}.",
        "LOS is how likely the player is stronger than the next.",
        f"The first move is worth {move.elo:+.0f} ({move.low:+.0f} to {move.high:+.0f}) Elo; draws: ν = "
        f"{found.draw_parameter:.2f}.",
    ]
    return "\n".join(lines)


def _data_of(found: RatingList, los: bool) -> dict[str, Any]:
    """Return the list for programs."""
    chances = found.superiority
    players = [one._asdict() for one in found.ratings]
    for place, player in enumerate(players[:-1]):
        player["superior_to_next"] = float(chances[place, place + 1])
    data: dict[str, Any] = {
        "game": found.game,
        "games": found.games,
        "pairs": found.pairs,
        "confidence": found.confidence,
        "relative_to": "anchors" if found.anchors else "mean",
        "anchors": dict(found.anchors),
        "first_move": found.first_move._asdict(),
        "draw_parameter": found.draw_parameter,
        "players": players,
    }
    return data | ({"superiority": chances.tolist()} if los else {})


def _beyond(games: PairedGames, order: list[str], confidence: float) -> dict[str, Any]:
    """Return what a rating cannot say, with the players in this order."""
    from ..ratings.payoffs import alpha_rank, cycles, nash_average, payoff_matrix

    payoffs = payoff_matrix(games, confidence)
    average = nash_average(payoffs.log_odds())
    stays = alpha_rank(payoffs.scores)
    places = [payoffs.names.index(name) for name in order]
    return {
        "payoffs": payoffs.scores[places][:, places].tolist(),
        "nash": [{"share": float(average.shares[i]), "elo": float(average.elo[i])} for i in places],
        "alpha_rank": stays[places].tolist(),
        "cycles": cycles(payoffs),
        "order": order,
    }


def _tell_beyond(beyond: dict[str, Any]) -> None:
    """Print it."""
    from rich.markup import escape
    from rich.table import Table

    _out.print("\nScores in percent, and strength against the mixture of players that nobody beats (Nash):")
    table = Table(header_style="bold underline", box=None, padding=(0, 1, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("player", overflow="fold", min_width=14)
    for number, _ in enumerate(beyond["order"], start=1):
        table.add_column(f"v {number}", justify="right", no_wrap=True, min_width=4)
    for heading in ("Nash share", "Elo", "α-rank"):
        table.add_column(heading, justify="right", no_wrap=True)
    for number, name in enumerate(beyond["order"]):
        scores = [
            "·" if other == number else f"{100 * score:.0f}" for other, score in enumerate(beyond["payoffs"][number])
        ]
        nash = beyond["nash"][number]
        shares = f"{nash['share']:.1%}", f"{nash['elo']:+.0f}", f"{beyond['alpha_rank'][number]:.1%}"
        table.add_row(str(number + 1), escape(name), *scores, *shares)
    _out.print(table)
    if not beyond["cycles"]:
        _out.print("No players are proved to beat each other in a circle.")
    for circle in beyond["cycles"]:
        _out.print(" beats ".join([*circle, circle[0]]), markup=False, soft_wrap=True)
