"""Progress bars on standard error for long work, which Ctrl-C ends without losing what is done."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from ..envs.jit.interruption import uninterrupted
from ..envs.outside.messages import cut
from .bars import Bar
from .formats import read_games, saved_records, write_games
from .notices import CONSOLE
from .ratings.lists import lead_of
from .ratings.paired import PairCounter
from .records.files import NoRoomError
from .records.names import HELD, is_store, split_name
from .records.record import GameRecord
from .tables import format_rate
from .training import Progress
from .wording import interval_of, plain, told_ends

__all__ = [
    "collect_with_progress",
    "convert_with_progress",
    "play_with_progress",
    "time_left",
    "train_with_progress",
    "watch_games",
    "watch_with_progress",
]

Item = TypeVar("Item")

_SHARE = 0.05  # of the time at most goes into telling how it stands …
_LATEST = 10.0  # … which is told anew after so many seconds at the latest
_NARROW = 60  # columns of a terminal that are too few for all that a bar tells
_LEAST = 12  # letters of a name
_AGES = 1e9  # seconds, which nobody waits for


def play_with_progress(played: Iterator[GameRecord], total: int, out: str | Path | None = None) -> list[GameRecord]:
    """Play the games of an iterator and return their records; after Ctrl-C, the records of the finished ones.

    Args:
        played: an iterator from `plyground.arena.iter_match`.
        total: the number of its games.
        out: a file of JSON lines, to which each game is added as soon as it is finished.
    """
    records: list[GameRecord] = []
    watch_games(played, total, records.append, out)
    return records


def watch_games(
    played: Iterator[GameRecord],
    total: int | Callable[[], int],
    take: Callable[[GameRecord], object],
    out: str | Path | None = None,
    after: Collection[GameRecord] = (),
) -> bool:
    """Play the games of an iterator as `play_with_progress` does, and give each to ``take``; none is kept here.

    ``total`` counts the games of ``after`` too, which were played before: the bar begins with them. Returns whether
    Ctrl-C ended it.
    """
    games = played if out is None else saved_records(out, played)
    leader = _Leader()
    for record in after:
        leader.count(record)
    return watch_with_progress(games, total, "playing", "games", take, note=leader.add, end=leader.now, done=len(after))


def collect_with_progress(
    items: Iterable[Item],
    total: int,
    task: str,
    unit: str,
    size: Callable[[Item], int] = lambda _: 1,
    note: Callable[[Item], str] = lambda _: "",
    done: int = 0,
) -> list[Item]:
    """Return the items of an iterator, which `watch_with_progress` watches; after Ctrl-C, the items until then."""
    collected: list[Item] = []
    watch_with_progress(items, total, task, unit, collected.append, size, note, done=done)
    return collected


def watch_with_progress(
    items: Iterable[Item],
    total: int | Callable[[], int],
    task: str,
    unit: str,
    take: Callable[[Item], object],
    size: Callable[[Item], int] = lambda _: 1,
    note: Callable[[Item], str] = lambda _: "",
    end: Callable[[], str] | None = None,
    done: int = 0,
) -> bool:
    """Go through the items of an iterator, until Ctrl-C. A bar shows the rate, and what is left.

    Args:
        items: the items to wait for.
        total: the sum of the items' sizes; a function of nothing where what is taken changes it.
        task: what is being done, as in ``"playing"``.
        unit: what is counted, as in ``"games"``.
        take: is given each item.
        size: gives the size of an item, in units.
        note: is given each item, and returns how it all stands, in a few words.
        end: returns the same after the last item, where ``note`` may be late.
        done: units of the total that were done before.

    Returns:
        Whether Ctrl-C ended it.
    """
    whole = Column(no_wrap=True)
    all_of = total if callable(total) else lambda: total
    try:
        doing, count, left = (
            TextColumn("{task.description}", markup=False, table_column=whole),
            MofNCompleteColumn(table_column=whole),
            _LeftColumn(table_column=whole),
        )
        speed, spent = _RateColumn(table_column=whole), TimeElapsedColumn(table_column=whole)
        is_narrow = CONSOLE.width < _NARROW
        columns = (doing, count, left) if is_narrow else (doing, BarColumn(20), count, speed, spent, left)
        with Bar(*columns, console=CONSOLE) as bar:
            shown = bar.add_task(task, total=all_of(), completed=done, begun=done, note="")
            try:
                for item in items:
                    with uninterrupted():  # what is taken is counted
                        take(item)
                        done += size(item)
                        bar.update(shown, total=all_of(), advance=size(item), note=note(item))
            finally:  # after Ctrl-C, too
                if end is not None:
                    bar.update(shown, note=end())
    except KeyboardInterrupt:
        CONSOLE.print(f"stopped after {done:,} of {all_of():,} {unit}")
        return True
    except Exception:
        if done:  # else nothing is kept
            CONSOLE.print(f"ended after {done:,} of {all_of():,} {unit}")
        raise
    return False


class _RateColumn(ProgressColumn):
    """How much is done in a second, or in a minute."""

    def render(self, task: Task) -> Text:
        speed = _speed(task)
        return Text(format_rate(speed) if speed else "")


class _LeftColumn(ProgressColumn):
    """How long the rest takes at that rate."""

    max_refresh = 0.5  # seconds, or it flickers

    def render(self, task: Task) -> Text:
        left = time_left(task.remaining or 0, _speed(task))
        return Text("-:--:--" if left is None else str(left), style="progress.remaining")


def time_left(remaining: float, rate: float) -> timedelta | None:
    """Return how long what remains takes at so much a second; None where nobody will wait for it."""
    seconds = remaining / rate if rate else math.inf
    return timedelta(seconds=math.ceil(seconds)) if seconds < _AGES else None


def _speed(task: Task) -> float:
    """Return units a second since the bar began.

    Rich looks at the latest half minute only, from the first item on: where processes send items by the bundle, the
    first bundle comes in no time at all.
    """
    return (task.completed - task.fields["begun"]) / task.elapsed if task.elapsed else 0.0


class _Leader:
    """Who is rated highest until now, and by how much above the next; looked up anew when that costs little time."""

    def __init__(self) -> None:
        self._games = PairCounter()
        self._next, self._text = 0.0, ""

    def count(self, record: GameRecord) -> bool:
        """Count a game; return whether it could be: not one of another game, or of one player in both seats."""
        try:
            self._games.add(record)
        except ValueError:
            return False
        return True

    def add(self, record: GameRecord) -> str:
        """Count a game, and return a line such as ``"random leads by 120 Elo (31 to 240)"``."""
        if not self.count(record):
            return self._text
        now = time.perf_counter()
        if now >= self._next:
            self._text = self.now()
            took = time.perf_counter() - now
            self._next = now + min(max(0.5, took / _SHARE), _LATEST)
        return self._text

    def now(self) -> str:
        """Return such a line of all games until now."""
        try:
            lead = lead_of(self._games.counted())
        except ValueError:  # some have not met yet
            return ""
        if lead.elo < 0.5:
            return "nobody leads"
        low, high = told_ends(lead.elo, lead.low, lead.high)
        by = f"leads by {lead.elo:.0f} Elo ({interval_of(low, high, '{:.0f}'.format)})"
        if math.isinf(low) and math.isinf(high):
            by = "leads; it is not known yet by how much"
        return f"{cut(plain(lead.name), max(_LEAST, CONSOLE.width - len(by) - 1))} {by}"


def convert_with_progress(source: Path, target: Path, partial: bool = False) -> tuple[int, ValueError | None]:
    """Write the games of one file into a new one. Progress is shown at a terminal only.

    If a game cannot be read or written, or after Ctrl-C, there is no new file. Where games are written one by one, the
    error says which of them cannot be written.

    Args:
        source: the one file.
        target: the new one.
        partial: whether what is before a game that cannot be read is kept all the same.

    Returns:
        How many games there are, and what is wrong with the next one, if ``partial``.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    games = read_games(source, lambda done: bar.update(reading, completed=done))
    count, fault, is_read = 0, None, False  # the last: whether a game is read that is not written yet

    def counted() -> Iterator[GameRecord]:
        nonlocal count, fault, is_read
        while True:
            is_read = False
            try:
                record = next(games, None)
            except ValueError as error:
                if not partial or not count:
                    raise
                fault = error
                return
            if record is None:
                return
            is_read = True
            yield record
            count += 1

    with Bar(*columns, console=CONSOLE, disable=not CONSOLE.is_terminal) as bar:
        reading = bar.add_task(f"converting {source.name}", total=split_name(source)[0].stat().st_size)
        try:
            write_games(target, counted())
        except BaseException as error:
            file, _ = split_name(target)
            for end in ("", "-wal", "-shm") if is_store(file) else ("",):  # SQLite's own, which stay on a full disk
                file.with_name(f"{file.name}{end}").unlink(missing_ok=True)
            if isinstance(error, NoRoomError):
                raise OSError(f"{error.what}; there is no new file") from error
            if isinstance(error, ValueError) and is_read and file.suffix.lower() in HELD:
                raise ValueError(f"game {count + 1} of {source} cannot be written to {target}: {error}") from None
            raise
    return count, fault


def train_with_progress(
    work: Callable[[Callable[[Progress], object]], Any], steps: int | None = None, minutes: float | None = None
) -> Any:
    """Return the model that ``work`` trains, with its progress shown on standard error.

    ``train_with_progress(lambda report: train(config, folder, report), config.steps, config.minutes)``

    Of a run of alphago the bar shows the part in progress, whose own steps are a limit too.

    Args:
        work: trains a model; it is given a function to call with its `Progress` now and then.
        steps: the limit on the steps, if there is one. The bar shows the nearer limit.
        minutes: the limit on the minutes, if there is one.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(16),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=CONSOLE) as bar:
        task = bar.add_task("training", total=1.0, note="compiling …")
        stage = ""

        def show(progress: Progress) -> None:
            nonlocal stage
            if progress.stage != stage:
                stage = progress.stage
                bar.reset(task)
            bar.update(task, completed=progress.share(steps, minutes), note=progress.line())

        return work(show)
