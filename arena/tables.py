"""Results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from .tournament import Score, Standing

__all__ = ["cross_table", "format_seconds"]


def cross_table(table: Sequence[Standing], title: str | None = None) -> Table:
    """Return a cross table: in each cell a player's wins, draws and losses against one other, then all its games."""
    result = Table(title=title, title_justify="left", header_style="bold")
    result.add_column("#", justify="right")
    result.add_column("player", overflow="fold")
    for number, _ in enumerate(table, start=1):
        result.add_column(f"vs {number}", justify="center", no_wrap=True)
    for heading in ("points", "win-draw-loss", "per move"):
        result.add_column(heading, justify="right", no_wrap=True)
    for number, line in enumerate(table, start=1):
        cells = [_score(line.against.get(other.name)) for other in table]
        points = f"{line.total.points:g}/{line.total.games}"
        result.add_row(
            str(number), line.name, *cells, points, _score(line.total), format_seconds(line.seconds_per_move)
        )
    return result


def _score(score: Score | None) -> str:
    return "·" if score is None else f"{score.wins}-{score.draws}-{score.losses}"


def format_seconds(seconds: float) -> str:
    """Return a time with three digits and the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
