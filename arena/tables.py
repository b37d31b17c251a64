"""Results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from .ratings import RatingList
from .tournaments import Standing

__all__ = ["cross_table", "format_seconds", "payoff_table", "ratings_table", "superiority_table"]


def cross_table(table: Sequence[Standing], title: str | None = None) -> Table:
    """Return a cross table: a player's points against each other one, then over all its games."""
    result = _players(title)
    _add_opponents(result, len(table))
    _add_numbers(result, "points", "win-draw-loss", "per move")
    for number, line in enumerate(table, start=1):
        scores = [line.against.get(other.name) for other in table]
        total = line.total
        result.add_row(
            str(number),
            escape(line.name),
            *("·" if score is None else f"{score.points:g}" for score in scores),
            f"{total.points:g}",
            f"{total.wins}-{total.draws}-{total.losses}",
            format_seconds(line.seconds_per_move),
        )
    return result


def ratings_table(found: RatingList) -> Table:
    """Return ratings with their intervals, best first, each with the likelihood that it is above the next."""
    result = _players(f"{found.game}, {found.games} games, {2 * found.pairs} of them in pairs")
    _add_numbers(result, "Elo", "interval", "games", "score", "LOS")
    chances = found.superior_to_next
    for number, one in enumerate(found.ratings):
        result.add_row(
            str(number + 1),
            escape(one.name),
            f"{one.elo:+.0f}",
            "fixed" if one.name in found.anchors else f"{one.low:+.0f} to {one.high:+.0f}",
            str(one.games),
            f"{one.score:.1%}",
            f"{chances[number]:.1%}" if number + 1 < len(found.ratings) else "",
        )
    return result


def superiority_table(found: RatingList) -> Table:
    """Return how likely each player is stronger than each, in percent."""
    result = _players(None)
    _add_opponents(result, len(found.ratings))
    for number, one in enumerate(found.ratings):
        result.add_row(str(number + 1), escape(one.name), *_percents(found.superiority[number], number, digits=1))
    return result


def payoff_table(beyond: Mapping[str, Any]) -> Table:
    """Return what a rating cannot say, as `plyground ratings --cycles --json` has it, with the scores in percent."""
    result = _players(None)
    _add_opponents(result, len(beyond["order"]))
    _add_numbers(result, "Nash share", "Elo", "α-rank")
    for number, name in enumerate(beyond["order"]):
        nash = beyond["nash"][number]
        result.add_row(
            str(number + 1),
            escape(name),
            *_percents(beyond["payoffs"][number], number, digits=0),
            f"{nash['share']:.1%}",
            f"{nash['elo']:+.0f}",
            f"{beyond['alpha_rank'][number]:.1%}",
        )
    return result


def _players(title: str | None) -> Table:
    """Return an empty table that begins with numbered players; a title is text, in which brackets are brackets."""
    result = Table(
        title=title and escape(title),
        title_justify="left",
        header_style="bold underline",
        box=None,
        padding=(0, 1, 0, 0),
    )
    result.add_column("#", justify="right")
    result.add_column("player", overflow="fold", min_width=8)  # what is cut off the others would be units and digits
    return result


def _add_opponents(table: Table, players: int) -> None:
    """Add a column for each player, as the opponent of those in the rows."""
    for number in range(1, players + 1):
        table.add_column(f"v {number}", justify="right", no_wrap=True, min_width=4)


def _add_numbers(table: Table, *headings: str) -> None:
    """Add columns of numbers."""
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))


def _percents(shares: Iterable[float], own: int, digits: int) -> list[str]:
    """Return shares against each player, in percent; a dot against oneself."""
    return ["·" if number == own else f"{100 * share:.{digits}f}" for number, share in enumerate(shares)]


def format_seconds(seconds: float) -> str:
    """Return a time with three digits and the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
