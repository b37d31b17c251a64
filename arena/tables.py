"""Results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from .tournaments import Standing

__all__ = ["cross_table", "format_seconds"]


def cross_table(table: Sequence[Standing], title: str | None = None) -> Table:
    """Return a cross table: a player's points against each other one, then over all its games."""
    result = Table(title=title, title_justify="left", header_style="bold underline", box=None, padding=(0, 1, 0, 0))
    result.add_column("#", justify="right")
    result.add_column("player", overflow="fold", min_width=14)
    for number, _ in enumerate(table, start=1):
        result.add_column(f"v {number}", justify="right", no_wrap=True, min_width=4)
    for heading in ("points", "win-draw-loss", "per move"):
        result.add_column(heading, justify="right", no_wrap=True)
    for number, line in enumerate(table, start=1):
        scores = [line.against.get(other.name) for other in table]
        total = line.total
        result.add_row(
            str(number),
            line.name,
            *("·" if score is None else f"{score.points:g}" for score in scores),
            f"{total.points:g}",
            f"{total.wins}-{total.draws}-{total.losses}",
            format_seconds(line.seconds_per_move),
        )
    return result


def format_seconds(seconds: float) -> str:
    """Return a time with three digits and the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
