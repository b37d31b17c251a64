"""The tournaments of a store, and their games."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ...envs.outside.messages import cut
from ..records.event import Event
from ..records.files import Watch, check_readable, ignored
from ..records.names import split_name
from ..records.record import GameRecord
from ..wording import counted
from .events import events_of
from .rows import COLUMNS, record_of
from .schema import connect, faults

__all__ = ["Entry", "StoredTournament", "check_store", "listed", "players_in", "read_store", "tournaments_in"]

_LISTED = 8  # tournaments, in a message
_RUN, _CHECKSUM = COLUMNS.index("run"), COLUMNS.index("checksum")

Entry = tuple[int, int, int, int]  # of a game in a tournament: round, pairing and number, and its checksum


class StoredTournament(NamedTuple):
    """A tournament of a store, or games that were added from elsewhere.

    Attributes:
        number: the number by which it is called, as in ``games.db#2``.
        title: what it is, in a line, unless it was given another one.
        arguments: what it was begun with: game, players, format, games, seed, openings, and ``at_most`` where a test
            may stop before so many games; nothing of other games.
        games: how many games are in the file.
        endings: how many of them ended how.
        runs: how many processes have played it, one after the other or side by side.
        analysed: how many games have analyses of searches.
        began: when the first of them began, in UTC.
    """

    number: int
    title: str
    arguments: dict[str, Any]
    games: int
    endings: dict[str, int]
    runs: int
    began: str | None
    analysed: int


def tournaments_in(path: str | Path) -> list[StoredTournament]:
    """Return the tournaments of a store that have games, in the order in which they were begun.

    Args:
        path: the file, or ``games.db#2`` for its second tournament alone, as `read_store` takes it.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no store, damaged, or of a later version; or there is no such tournament.
    """
    file, name = split_name(path)
    with _reading(file) as connection:
        known = _tournaments(connection)
        if name is not None:
            chosen = _chosen(file, known, name)
            known = [] if chosen is None else [chosen]
        if not known:
            return []
        endings: dict[int, dict[str, int]] = {}
        counted = connection.execute(
            "SELECT tournament, endings.name, count(*) FROM entries JOIN games ON games.id = entries.game "
            "JOIN endings ON endings.id = games.ending GROUP BY tournament, endings.name ORDER BY 1, 3 DESC, 2"
        )
        for tournament, name, games in counted:
            endings.setdefault(tournament, {})[name] = games
        return [one._replace(endings=endings.get(one.number, {})) for one in known]


def read_store(
    path: str | Path,
    watch: Watch = ignored,
    tournament: int | str | None = None,
    kept: dict[Entry, GameRecord] | None = None,
) -> Iterator[GameRecord]:
    """Yield the games of a tournament of a store, in the order of the tournament.

    Args:
        path: the file, or ``games.db#2`` for its second tournament.
        watch: called with the bytes that are read, as `plyground.arena.records.files` says.
        tournament: its number, its title, or a part of it that no other has; needed where the file has several.
        kept: games that were read before, which are not read again; the others are added. Default: all are read.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no store, damaged, or of a later version; there is no such tournament, or it is not said which
            one of several.
    """
    file, name = split_name(path)
    with _reading(file) as connection:
        chosen = _chosen(file, _tournaments(connection), name if tournament is None else tournament)
        if chosen is None:
            return
        size = file.stat().st_size
        for done, record in enumerate(_games_of(connection, chosen, kept), start=1):
            watch(size * done // chosen.games)
            yield record


def players_in(path: str | Path) -> list[dict[str, Any]]:
    """Return the players of a store: ``name``, and what `plyground.agents.identity.player_identity` said of each.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no store, damaged, or of a later version.
    """
    file, _ = split_name(path)
    with _reading(file) as connection:
        if _is_empty(connection):
            return []
        found = connection.execute("SELECT name, configuration FROM players ORDER BY id").fetchall()
        return [{"name": name, **json.loads(configuration)} for name, configuration in found]


def check_store(path: str | Path) -> int:
    """Look at each page and each game of a store, and return how many games it has.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no store, damaged, or of a later version.
    """
    file, _ = split_name(path)
    with _reading(file) as connection:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check(1)")]
        if found != ["ok"]:
            raise sqlite3.DatabaseError(f"malformed: {found[0]}")
        if _is_empty(connection):
            return 0
        lost = connection.execute("SELECT 1 FROM entries WHERE game NOT IN (SELECT id FROM games) LIMIT 1").fetchone()
        if lost is not None:
            raise sqlite3.DatabaseError("malformed: a tournament has a game that is missing")
        whole = _selected(connection, "games", "ORDER BY games.id", lambda *_: None)  # those of no tournament too
        return sum(1 for _ in whole)


def _games_of(
    connection: sqlite3.Connection, tournament: StoredTournament, kept: dict[Entry, GameRecord] | None
) -> Iterator[GameRecord]:
    """Yield the games of a tournament in its order, each with its event.

    Raises:
        sqlite3.DatabaseError: a game is damaged.
    """
    places = "entries.round, entries.pairing, entries.number"
    selection = f"WHERE entries.tournament = {tournament.number} ORDER BY {places}"
    joined = "entries JOIN games ON games.id = entries.game"
    event_of = events_of(connection, tournament.title, tournament.arguments)
    return _selected(connection, joined, selection, event_of, places, kept)


def _selected(
    connection: sqlite3.Connection,
    tables: str,
    selection: str,
    event_of: Callable[..., Event | None],
    places: str = "NULL, NULL, NULL",
    kept: dict[Entry, GameRecord] | None = None,
) -> Iterator[GameRecord]:
    """Yield games of some tables, of which ``games`` is one.

    Args:
        connection: the file.
        tables: these tables.
        selection: which of their rows, and in which order.
        event_of: tells the event of a game, from the number of its run and from what stands in three more columns.
        places: these columns.
        kept: as `read_store` takes it.

    Raises:
        sqlite3.DatabaseError: a game is damaged.
    """
    names: dict[int, str] = dict(connection.execute("SELECT id, name FROM players"))
    sources: dict[int, str] = dict(connection.execute("SELECT id, source FROM rules"))
    endings: dict[int, str] = dict(connection.execute("SELECT id, name FROM endings"))
    columns = ", ".join(f"games.{column}" for column in COLUMNS)
    found = connection.execute(
        f"SELECT games.key, analyses.data, {places}, {columns} FROM {tables} "
        f"LEFT JOIN analyses ON analyses.game = games.id {selection}"
    )
    for key, analyses, one, two, three, *row in found:
        entry = one, two, three, row[_CHECKSUM]
        if kept is not None and entry in kept:
            yield kept[entry]
            continue
        try:
            players, event = (names[row[1]], names[row[2]]), event_of(row[_RUN], one, two, three)
            record = record_of(row, key, sources[row[0]], *players, endings.__getitem__, analyses, event)
        except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            raise sqlite3.DatabaseError(f"malformed: {error}") from error
        if kept is not None:
            kept[entry] = record
        yield record


@contextmanager
def _reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a store for as long as it is read, and say what is wrong with it by its name."""
    with closing(_opened(file)) as connection, faults(file):
        yield connection


def _opened(file: Path) -> sqlite3.Connection:
    check_readable(file)
    return connect(file, write=False)


def _tournaments(connection: sqlite3.Connection) -> list[StoredTournament]:
    """Return the tournaments that have games, without how these ended."""
    if _is_empty(connection):
        return []
    counts: dict[int, int] = dict(connection.execute("SELECT tournament, count(*) FROM entries GROUP BY tournament"))
    analysed: dict[int, int] = dict(
        connection.execute(
            "SELECT tournament, count(*) FROM analyses JOIN entries ON entries.game = analyses.game GROUP BY tournament"
        )
    )
    found = connection.execute(
        "SELECT id, title, arguments, (SELECT count(*) FROM runs WHERE runs.tournament = tournaments.id), "
        "(SELECT min(began) FROM runs WHERE runs.tournament = tournaments.id) FROM tournaments ORDER BY id"
    ).fetchall()
    return [
        StoredTournament(number, title, json.loads(arguments), counts[number], {}, runs, began, analysed.get(number, 0))
        for number, title, arguments, runs, began in found
        if number in counts
    ]


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Return whether the file has not even tables yet."""
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _chosen(file: Path, known: list[StoredTournament], choice: int | str | None) -> StoredTournament | None:
    """Return the tournament that is meant; None if there is none at all, and none is asked for."""
    if choice is None:
        if len(known) <= 1:
            return known[0] if known else None
        raise ValueError(
            f"{file} has {len(known)} tournaments: say which one, as in '{file}#{known[-1].number}'; {listed(known)}"
        )
    text = str(choice).strip()
    found = (
        [one for one in known if str(one.number) == text]
        or [one for one in known if one.title.strip() == text]
        or [one for one in known if text in one.title and not text.isdecimal()]  # a number is no part of a title
    )
    if len(found) != 1:
        many = "several tournaments" if found else "no tournament"
        raise ValueError(f"{file} has {many} {text!r}: expected the number of one; {listed(found or known)}")
    return found[0]


def listed(known: list[StoredTournament]) -> str:
    """Return tournaments in a line, as messages have them."""
    shown = [
        f"{one.number}: {cut(one.title, 100)} ({counted(one.games, 'game')})"
        for one in itertools.islice(known, _LISTED)
    ]
    return "; ".join([*shown, "…"] if len(known) > _LISTED else shown) or "it has none"
