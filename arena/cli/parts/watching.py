"""A file of games that grows: what is new in it, and the table of it as it stands."""

from __future__ import annotations

import time
from collections import deque
from datetime import datetime, timedelta
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from ....envs import as_game
from ....envs.outside.elsewhere import place_of
from ...formats import check_format, read_games
from ...progress import time_left
from ...ratings import rating_list
from ...records.files import check_readable, located, without_mark
from ...records.names import is_store, split_name
from ...records.record import GameRecord
from ...store import Entry, read_store, tournaments_in
from ...tables import cross_table, format_rate, ratings_table
from ...tournaments import standings
from ...tournaments.course import MAX_FAILURES, Course
from ...tournaments.formats import planned_games, schedule_of
from ...wording import counted, plain
from .competition import Results
from .replaying import ending_of, score_of

__all__ = ["Follower", "Pace", "follow"]

_WINDOW = 60.0  # seconds over which the rate of games is measured
_DAY = timedelta(days=1)
_SHARE = 0.25  # of the time at most goes into making the table


class Follower:
    """Reads what has been added to a file of games since the last look.

    Of JSON lines and of stores only new games are read, of a file up to its last whole line. Files of other formats are
    read anew when they have changed.

    Args:
        path: the file.

    Attributes:
        records: all games that were found until now.

    Raises:
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a folder.
        ValueError: its name ends in no known suffix.
    """

    def __init__(self, path: Path) -> None:
        check_format(path)
        self._file, _ = split_name(path)
        check_readable(self._file)
        self._path, self._offset, self._line = path, 0, 0
        self._last = b""  # the line before that place
        self._stamp: object = None
        self._kept: dict[Entry, GameRecord] = {}  # the games of a store
        self.records: list[GameRecord] = []

    def look(self) -> int:
        """Read what is new, and return how many games that is.

        Raises:
            ValueError: a game cannot be read.
        """
        if self._path.suffix.lower() == ".jsonl":
            return self._lines()
        stamp = [(one.stat().st_mtime_ns, one.stat().st_size) for one in self._files() if one.exists()]
        if stamp == self._stamp:
            return 0
        self._stamp, before = stamp, len(self.records)
        if is_store(self._path):
            self.records = list(read_store(self._path, kept=self._kept))
        else:
            self.records = list(read_games(self._path))
        return len(self.records) - before

    def _files(self) -> tuple[Path, Path]:
        """Return the file, and the log beside it, not beside a link, in which SQLite keeps what it has been given."""
        file = self._file.resolve()
        return file, file.with_name(f"{file.name}-wal")

    def _lines(self) -> int:
        with open(self._path, "rb") as file:
            file.seek(self._offset - len(self._last))
            if file.read(len(self._last)) != self._last:  # a new file of the same name, of whatever length
                self._offset, self._line, self._last, self.records = 0, 0, b"", []
                file.seek(0)
            before = len(self.records)
            for data in file:
                if not data.endswith(b"\n"):  # somebody is writing it
                    break
                try:
                    text = (data if self._offset else without_mark(data)).decode("utf-8")
                    if text.strip():
                        self.records.append(GameRecord.from_json(text))
                except ValueError as error:
                    raise located(error, self._path, self._line + 1) from None
                self._offset += len(data)
                self._line += 1
                self._last = data
        return len(self.records) - before


class Pace:
    """How fast games come, over the last minute.

    Attributes:
        planned: how many games there will be; None where that is not known.
    """

    def __init__(self, planned: int | None) -> None:
        self.planned = planned
        self._seen: deque[tuple[float, int]] = deque()  # when, and how many games there were

    def add(self, now: float, games: int) -> None:
        """Count the games that there are ``now``, in seconds of any clock."""
        if self._seen and games < self._seen[-1][1]:  # a new file of the same name
            self._seen.clear()
        self._seen.append((now, games))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _WINDOW:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """Games a second; 0 as long as none has come."""
        (start, before), (now, games) = self._seen[0], self._seen[-1]
        return (games - before) / (now - start) if now > start else 0.0

    def line(self, clock: datetime) -> str:
        """Return how many games there are, how fast they come, and when they will end, as the clock shows it.

        The date is told where more than a day is left, and nothing where nobody will wait for the end.
        """
        games = self._seen[-1][1]
        parts = [f"{games:,} of {counted(self.planned, 'game')}" if self.planned else counted(games, "game")]
        if rate := self.rate:
            parts.append(format_rate(rate, " a second", " a minute"))
        if self.planned and games >= self.planned:
            parts.append("all are played")
        elif self.planned and (left := time_left(self.planned - games, rate)) is not None:
            day = "%Y-%m-%d " if left >= _DAY else ""
            parts.append(f"{left} left, until {clock + left:{day}%H:%M:%S}")
        return ", ".join(parts)


def follow(console: Console, path: Path, *, planned: int | None, every: float, until_idle: float | None) -> None:
    """Show the table of a file until nothing comes any more, or Ctrl-C; the last one stays on the screen.

    Args:
        console: where it is shown.
        path: the file.
        planned: how many games there will be; None where a store may tell it.
        every: seconds between two looks.
        until_idle: seconds without a new game after which it ends; 0 for one look; None for Ctrl-C alone.
    """
    follower, pace = Follower(path), Pace(planned)
    follower.look()
    results, of_store = _tournament(path, follower.records)
    pace.planned = planned or of_store
    pace.add(time.monotonic(), len(follower.records))
    if until_idle == 0:
        console.print(_table(follower.records, results, pace))
        return
    last = time.monotonic()
    with Live(_table(follower.records, results, pace), console=console, auto_refresh=False) as live:
        try:
            while True:
                begun = time.monotonic()
                new = follower.look()
                if new:
                    results, of_store = _tournament(path, follower.records)
                    pace.planned = planned or of_store
                pace.add(begun, len(follower.records))
                live.update(_table(follower.records, results, pace), refresh=True)
                now = time.monotonic()
                if until_idle is not None and not new and begun - last >= until_idle:
                    break
                last = now if new else last
                time.sleep(max(every, (now - begun) * (1 / _SHARE - 1)))
        except KeyboardInterrupt:
            pass
    if not console.is_terminal:  # where Rich does not end the line
        console.line()


def _tournament(path: Path, records: list[GameRecord]) -> tuple[Results | None, int | None]:
    """Return the results of the tournament in a store, and how many games it will have, as far as these tell.

    No results where there are several tournaments, or no file says whose games these are; no number there, and for a
    test that stops by itself, `plyground sprt`.
    """
    if not is_store(path):
        return None, None
    try:
        known = [one.arguments for one in tournaments_in(path)]
    except ValueError:  # it has not begun yet
        return None, None
    if len(known) != 1 or not {"format", "players", "games"} <= known[0].keys() or known[0].get("at_most"):
        return None, None
    format, players, games = (known[0][name] for name in ("format", "players", "games"))
    planned = planned_games(format, len(players), games)
    if place_of(known[0]["game"]) is not None:  # nobody asked to run that file
        return None, planned
    limit = known[0].get("max_failures", MAX_FAILURES)
    schedule = schedule_of(format, len(players))
    course = Course(as_game(known[0]["game"]), players, schedule, games, max_failures=limit)
    results = Results(course, format)
    for record in records:
        if course.is_over or record.event is None or record.event.place != course.place:  # left of an earlier plan
            return None, planned
        results.add(record)
    return results, results.expected()


def _table(records: list[GameRecord], results: Results | None, pace: Pace) -> RenderableType:
    if not records:
        return Text("no game has ended yet")
    last = records[-1]
    line = f"last: {plain(last.players[0])} v {plain(last.players[1])}, {score_of(last)}, {ending_of(last)}"
    games = ", ".join(dict.fromkeys(record.game for record in records))
    return Group(
        cross_table(standings(records), title=games) if results is None else results.table(games),
        Text(),
        _ratings(records),
        Text(),
        Text(pace.line(datetime.now())),
        Text(line, "dim"),
    )


def _ratings(records: list[GameRecord]) -> RenderableType:
    """Return the ratings by these games, the best first, or why there are none yet."""
    try:
        found = rating_list(records)
    except ValueError as error:
        return Text(plain(f"no ratings: {error}"), "dim")
    return ratings_table(found)
