"""Results as tables for the terminal."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text

from .lines import TABLE, signed, title_of
from .ratings import RatingList
from .tournaments import Standing
from .wording import counted, interval_of, plain, told_ends

__all__ = [
    "Parted",
    "cross_table",
    "format_rate",
    "format_seconds",
    "history_table",
    "payoff_table",
    "ratings_table",
    "superiority_table",
]

_LEAST = 8  # cells of a name in a line


def cross_table(table: Sequence[Standing], title: str | None = None, byes: Mapping[str, float] | None = None) -> Table:
    """Return a cross table: a player's points against each other one, then over all its games.

    Args:
        table: the players, in this order.
        title: the line above.
        byes: points for rounds without a game, by name; if there are any, a column has them, and one all points.
    """
    result = _players(title)
    _add_opponents(result, len(table))
    _add_numbers(result, "points", *(("bye", "total") if byes else ()), "win-draw-loss", "per move")
    is_broken = any(line.broken_off for line in table)
    if is_broken:
        _add_numbers(result, "broken off")
    for number, line in enumerate(table, start=1):
        scores = [line.against.get(other.name) for other in table]
        total, bye = line.total, (byes or {}).get(line.name, 0.0)
        result.add_row(
            str(number),
            _named(line.name),
            *("·" if score is None else f"{score.points:g}" for score in scores),
            f"{total.points:g}",
            *((f"{bye:g}", f"{total.points + bye:g}") if byes else ()),
            f"{total.wins}-{total.draws}-{total.losses}",
            format_seconds(line.seconds_per_move),
            *([str(line.broken_off)] if is_broken else []),
        )
    return result


def ratings_table(found: RatingList) -> Table:
    """Return ratings with their intervals, best first, each with the likelihood that it is above the next."""
    title = f"{found.game}, {counted(found.games, 'game')}, {2 * found.pairs:,} of them in pairs"
    result = _players(title + (f"; {found.broken_off} broken off" if found.broken_off else ""))
    _add_numbers(result, "Elo", "interval", "games", "score", "LOS")
    chances = found.superior_to_next
    for number, one in enumerate(found.ratings):
        result.add_row(
            str(number + 1),
            _named(one.name),
            _elo(one.elo),
            "fixed" if one.name in found.anchors else interval_of(*told_ends(one.elo, one.low, one.high), _elo),
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
        result.add_row(str(number + 1), _named(one.name), *_percents(found.superiority[number], number, digits=1))
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
            _named(name),
            *_percents(beyond["payoffs"][number], number, digits=0),
            f"{nash['share']:.1%}",
            _elo(nash["elo"]),
            f"{beyond['alpha_rank'][number]:.1%}",
        )
    return result


def history_table(found: Mapping[str, Any]) -> Table:
    """Return ratings by time, as `plyground ratings --over-time --json` has them; empty where somebody did not play."""
    result = _players(f"{found['game']}, {counted(sum(one['games'] for one in found['times']), 'game')}")
    times = [one["time"] for one in found["times"]]
    _add_numbers(result, *map("{:,}".format, times))
    for number, player in enumerate(found["players"], start=1):
        ratings = {one["time"]: _with_half(one) for one in player["ratings"]}
        result.add_row(str(number), _named(player["name"]), *(ratings.get(time, "") for time in times))
    return result


def _with_half(one: Mapping[str, float]) -> str:
    """Return a rating with half of its interval, where that is known."""
    low, high = told_ends(one["elo"], one["low"], one["high"])
    return f"{_elo(one['elo'])} ± {high - one['elo']:.0f}" if math.isfinite(high) else interval_of(low, high, _elo)


def _elo(value: float) -> str:
    return signed(value, 0)


class Parted(Table):
    """A table that is broken into tables one below the other where there is no room for all columns.

    Rich takes the room that is missing from those that can be folded: from the names, until none of them is left; and
    where none can be, it cuts numbers.

    Args:
        title: the line above the first part. The caption stands below the last one.
        heads: how many columns say what a row is, and so begin each part; one of them may be folded.
        least: cells of a line of that one, below which the table is broken.
        look: options of Rich's table. Default: without lines, as `plyground.arena.lines.TABLE`.
    """

    def __init__(self, title: str | None, heads: int = 1, *, least: int = _LEAST, **look: Any) -> None:
        super().__init__(title=title and title_of(plain(title)), **(look or TABLE))
        self._heads, self._least = heads, least

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, or its parts."""
        for part in self._parts(options.max_width):
            yield from Table.__rich_console__(part, console, options)

    def _parts(self, room: int) -> Iterator[Table]:
        heads, others = self.columns[: self._heads], self.columns[self._heads :]
        names = sum(self._width(head) for head in heads if head.overflow == "fold")
        left = room - (self.box is not None) - (sum(map(self._width, heads)) - names)
        least = self._least + self._between
        if min(names, least) + sum(map(self._width, others)) <= left:
            yield self
            return
        left -= min(names, max(least, room // 3))
        title = self.title
        while others:
            count, used = 1, self._width(others[0])
            while count < len(others) and (used := used + self._width(others[count])) <= left:
                count += 1
            part = copy.copy(self)
            part.columns, part.title = [*heads, *others[:count]], title
            others, title = others[count:], None
            part.caption = None if others else self.caption
            yield part

    def _width(self, column: Column) -> int:
        """Return how many cells a column takes on a line where nothing in it is folded, with what is before the next.

        A text of several lines is as wide as the longest of them.
        """
        cells = (column.header, *column.cells, column.footer)
        texts = [cell.plain if isinstance(cell, Text) else str(cell) for cell in cells]
        longest = max(cell_len(line) for text in texts for line in text.split("\n"))
        return max(column.min_width or 0, longest) + self._between

    @property
    def _between(self) -> int:
        """How many cells of a column are no text: blanks, and the line after it."""
        _, right, _, left = self.padding
        return left + right + (self.box is not None)


def _players(title: str | None) -> Table:
    """Return an empty table that begins with numbered players. Names are `Text`: no console changes them."""
    result = Parted(title, heads=2)
    result.add_column("#", justify="right")
    # What is cut off the others would be units and digits.
    result.add_column("player", overflow="fold", min_width=_LEAST)
    return result


def _named(name: str) -> Text:
    """Return the name of a player as a cell, in which Rich reads no markup, and which has one line of text alone."""
    return Text(plain(name))


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


def format_rate(rate: float, second: str = "/s", minute: str = "/min") -> str:
    """Return a rate with three digits, by the second; by the minute if there is less than one a second."""
    return f"{rate:.3g}{second}" if rate >= 1 else f"{60 * rate:.3g}{minute}"


def format_seconds(seconds: float) -> str:
    """Return a time with three digits and the unit that suits it; a dash for NaN."""
    if math.isnan(seconds):
        return "–"
    seconds = float(f"{seconds:.3g}")  # 0.9999 is a second
    if seconds >= 1000:
        return f"{seconds:,.0f} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
