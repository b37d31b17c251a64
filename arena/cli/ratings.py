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
    as_json: Json = False,
) -> None:
    """Rate players by all their games: Elo with intervals that know of pairs of games."""
    from itertools import chain

    from ..ratings import rating_list
    from ..records.record import read_records
    from ..tables import ratings_table, superiority_table

    known = dict(_anchor(text) for text in anchor or [])
    records = chain.from_iterable(read_records(file) for file in files)
    found = rating_list(records, anchors=known, confidence=confidence)
    if as_json:
        print_json(_data_of(found, los))
        return
    _out.print(ratings_table(found))
    _out.print(_notes(found), markup=False, soft_wrap=True)
    if los:
        _out.print("\nHow likely each is stronger than the others, in percent:")
        _out.print(superiority_table(found))


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
        f"Elo, with its interval of {found.confidence:.4g}, is the lead on {reference}.",
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
