"""What matches and tournaments have in common: their games, and the cross table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from ....envs import as_game
from ....envs.outside.files import check_writable
from ...formats import is_format
from ...lines import console, print_plain
from ...matches import iter_match, labels_of
from ...progress import watch_games
from ...records.names import is_store, split_name
from ...records.record import GameRecord
from ...tables import cross_table
from ...tournaments import Standing
from ...tournaments.course import MAX_FAILURES, Course
from ...tournaments.formats import expected_games, schedule_of
from ...tournaments.standings import Tally
from ...wording import counted, plain
from .generation import games_to_add_to
from .losses import Losses

__all__ = ["Results", "before_games", "compete", "games_in", "going_on", "match_options", "nothing_finished"]

_err = console(stderr=True)


def match_options(
    jobs: int | Literal["ray"],
    opening_plies: int | None,
    openings: str | None,
    time: str | None,
    adjudicate: list[str] | None,
    *,
    keep_going: bool,
    analyses: bool,
    max_failures: int | None = None,
) -> dict[str, Any]:
    """Return what a command's options are called by `plyground.arena.iter_match`."""
    options: dict[str, Any] = {"opening_plies": opening_plies, "openings": openings, "jobs": jobs}
    options |= {"time": time, "adjudication": adjudicate or [], "analyses": analyses}
    options |= {} if max_failures is None else {"max_failures": max_failures}
    return options | {"failures": Exception} if keep_going else options


def compete(
    game: str,
    players: list[str],
    format: str,
    games: int,
    seed: int,
    out: Path | None,
    resume: bool,
    options: dict[str, Any],
) -> Results:
    """Play the games of a tournament that are not in its file, and return the results of all.

    Raises:
        ValueError: an argument cannot be used, or the file holds other games.
        typer.Exit: it was interrupted before the first game.
    """
    kept = going_on(out, resume)
    try:
        with before_games(resume):
            played = iter_match(game, players, games, seed, format=format, **kept, **options)
    except ValueError as error:
        if not kept.get("after"):
            raise
        raise ValueError(f"cannot go on with {out}: {error}") from None
    done = kept.get("after", [])
    limit = options.get("max_failures", MAX_FAILURES)
    schedule = schedule_of(format, len(players))
    course = Course(as_game(game), labels_of(players), schedule, games, seed=seed, max_failures=limit)
    results = Results(course, format)
    for record in done:
        results.add(record, earlier=True)
    if done:
        print_plain(_err, f"{len(done):,} of {counted(results.expected(), 'game')} are in {out}")
    results.is_interrupted = watch_games(
        played, results.expected, results.add, None if "store" in kept else out, after=done
    )
    if not course.played:
        raise nothing_finished("game", goes_on=False)
    results.losses.tell(out if kept.get("resume") else None)
    return results


@contextmanager
def before_games(resume: bool) -> Iterator[None]:
    """Say that no game was finished if Ctrl-C comes here, such as while players are compiled, and exit."""
    try:
        yield
    except KeyboardInterrupt:
        raise nothing_finished("game", goes_on=resume) from None


def nothing_finished(what: str, goes_on: bool) -> typer.Exit:
    """Say that Ctrl-C came before anything was finished, and what to do then; return the exit.

    Args:
        what: what was not finished, as in ``"game"``.
        goes_on: whether a file has games already, after which ``--resume`` goes on.
    """
    again = "--resume goes on with the file" if goes_on else "the same command begins again"
    print_plain(_err, f"no {what} was finished: {again}")
    return typer.Exit(130)


class Results:
    """The results of a tournament, whose games are not kept: there may be very many.

    Args:
        course: the tournament, to which the games are added too.
        format: its format.

    Attributes:
        losses: who lost games otherwise than by the rules.
        is_interrupted: whether Ctrl-C ended it before its last game.
    """

    def __init__(self, course: Course, format: str) -> None:
        self._course, self._format, self._tally = course, format, Tally()
        self.losses, self.is_interrupted = Losses(), False

    def add(self, record: GameRecord, earlier: bool = False) -> None:
        """Count the next game, and whether an earlier run has played it."""
        self._course.add(record)
        self._tally.add(record)
        self.losses.add(record, earlier)

    def expected(self) -> int:
        """Return how many games there will be."""
        return expected_games(self._course, self._format)

    @property
    def winner(self) -> str | None:
        """Who has won, where the format names somebody."""
        number = self._course.winner
        return None if number is None else self._course.labels[number]

    @property
    def withdrawn(self) -> list[str]:
        """Who has failed too often, and played no more."""
        return [self._course.labels[number] for number in sorted(self._course.withdrawn)]

    def _byes(self) -> dict[str, float]:
        """Return the points of those who sat out, by name."""
        return {self._course.labels[number]: points for number, points in self._course.byes.items()}

    def _standings(self) -> list[Standing]:
        """Return the table, the best first: by the points per game, but by all points where some are for no game.

        Those who are withdrawn stand last: after one win, and failures alone, somebody might stand first.
        """
        lines, byes, withdrawn = self._tally.standings(), self._byes(), self.withdrawn
        if byes:
            lines.sort(key=lambda line: -line.total.points - byes.get(line.name, 0.0))
        return sorted(lines, key=lambda line: line.name in withdrawn)

    def table(self, title: str) -> Table:
        """Return the cross table of all games, and below it what points do not tell: who has won, and who gave out."""
        table = cross_table(self._standings(), title=title, byes=self._byes())
        notes = [] if self.winner is None else [f"{plain(self.winner)} wins the {self._format}"]
        notes += [f"{plain(name)} is withdrawn, and so last: it failed too often" for name in self.withdrawn]
        if notes:
            table.caption, table.caption_justify = Text("\n".join(notes)), "left"
        return table

    def title(self, seed: int) -> str:
        """Return what was played."""
        return f"{self._course.game.source}, {counted(self._course.played, 'game')}, seed {seed}"

    def data(self, seed: int) -> dict[str, Any]:
        """Return the same for programs."""
        byes = self._byes()
        players = [_as_dict(line) | ({"bye": byes.get(line.name, 0.0)} if byes else {}) for line in self._standings()]
        course = self._course
        return {
            "game": course.game.source,
            "seed": seed,
            "games": course.played,
            "winner": self.winner,
            "withdrawn": self.withdrawn,
            "players": players,
        }


def going_on(out: Path | None, resume: bool) -> dict[str, Any]:
    """Return the arguments of `plyground.arena.iter_match` by which a match goes on with a file.

    Raises:
        OSError: nothing can be written there.
        ValueError: there are games, and nobody said to go on; there is no file to go on with; or it is of a format that
            cannot be added to.
    """
    if out is not None and is_store(out):
        check_writable(split_name(out)[0])
        return {"store": out, "resume": resume}
    return {"after": games_in(out, resume)}


def games_in(out: Path | None, resume: bool) -> list[GameRecord]:
    """Return the games of a file of JSON lines, or of a collection in a store, to which others will be added.

    Raises:
        OSError: nothing can be written there.
        ValueError: as `going_on`.
    """
    if out is None:
        if resume:
            raise ValueError("--resume goes on with a file of games: give it with --out")
        return []
    check_writable(split_name(out)[0])
    _check_name(out)
    return games_to_add_to(out, resume)


def _check_name(out: Path) -> None:
    """Raise `ValueError` for a file to which games are not added one by one, or which no command would read."""
    if is_store(out) or out.suffix.lower() == ".jsonl":
        return
    hint = f"`plyground convert` makes {out.suffix} of them" if is_format(out) else "choose a name that ends like these"
    raise ValueError(f"games are saved to a store, games.db, or as JSON lines, games.jsonl, not to {out}: {hint}")


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
