"""The tables of a store, their versions, and how its file is opened.

A store is an SQLite file in WAL mode (https://www.sqlite.org/wal.html): readers and one writer at a time do not wait
for each other, and a process that is killed leaves what it has committed. The header says whose file it is, by
``application_id``, and how its tables are made, by ``user_version``.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..records.files import NoRoomError

__all__ = ["APPLICATION_ID", "MIGRATIONS", "connect", "faults", "transaction"]

APPLICATION_ID = 0x706C7967  # "plyg" in ASCII
_WAIT = 60.0  # seconds, for another process that writes
_CHECKED = 256 << 20  # bytes of a file that is checked as a whole before anything is added to it

_DAMAGE = ("malformed", "corrupt", "no such table", "no such column", "decode")  # in what SQLite says

SCHEMA = """
CREATE TABLE rules (            -- what is played
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,       -- the spec of the game
    files TEXT NOT NULL,        -- JSON: the SHA-256 of the file of a game of one's own
    digest BLOB NOT NULL UNIQUE
);
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,         -- as in tables of results
    configuration TEXT NOT NULL,  -- JSON: the spec, all arguments, the SHA-256 of weights and other files
    digest BLOB NOT NULL UNIQUE
);
CREATE TABLE endings (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE tournaments (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    title TEXT NOT NULL,
    arguments TEXT NOT NULL     -- JSON: game, players, format, games, seed, openings
);
CREATE TABLE runs (             -- each process that has played games of a tournament: the first, and restarts
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments,
    version TEXT NOT NULL,      -- of plyground
    python TEXT NOT NULL,
    host TEXT NOT NULL,
    process INTEGER NOT NULL,
    began TEXT NOT NULL,        -- by the clock on the wall, for people: nothing depends on it
    ended TEXT                  -- NULL: it plays, or was killed
);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,   -- a hash of rules, players, opening, side and seed
    rules INTEGER NOT NULL REFERENCES rules,
    first INTEGER NOT NULL REFERENCES players,
    second INTEGER NOT NULL REFERENCES players,
    outcome_first REAL NOT NULL,
    outcome_second REAL NOT NULL,
    ending INTEGER NOT NULL REFERENCES endings,
    plies INTEGER NOT NULL,     -- moves, the opening's included
    opening INTEGER NOT NULL,
    seed INTEGER,
    run INTEGER REFERENCES runs,
    reason TEXT,
    more TEXT,                  -- JSON: what else the record has
    moves BLOB NOT NULL,        -- little-endian numbers of 1, 2, 4 or 8 bytes, as many as plies
    seconds BLOB NOT NULL,      -- little-endian floats, of all moves or of those after the opening
    movers BLOB,                -- one byte a move; NULL: they took turns
    checksum INTEGER NOT NULL,  -- CRC-32 of the row
    start TEXT                  -- the position before the first move; NULL: the initial one
);
CREATE TABLE analyses (         -- what searches thought of their moves, of games of which that is kept
    game INTEGER PRIMARY KEY REFERENCES games,
    data BLOB NOT NULL          -- compressed JSON: for each move null or [value, depth, nodes, line, sampled]
);
CREATE INDEX results ON games (first, second, outcome_first, outcome_second, ending);
CREATE INDEX games_of_second ON games (second);
CREATE TABLE entries (          -- which games a tournament has, and in which order
    tournament INTEGER NOT NULL REFERENCES tournaments,
    round INTEGER NOT NULL,
    pairing INTEGER NOT NULL,
    number INTEGER NOT NULL,
    game INTEGER NOT NULL REFERENCES games,
    PRIMARY KEY (tournament, round, pairing, number)
) WITHOUT ROWID;
CREATE VIEW results_by_name AS
    SELECT entries.tournament, entries.round, entries.pairing, entries.number, games.id AS game, rules.source AS rules,
        one.name AS first, two.name AS second, outcome_first, outcome_second, endings.name AS ending, reason, plies,
        opening, seed
    FROM entries JOIN games ON games.id = entries.game JOIN rules ON rules.id = games.rules
        JOIN players AS one ON one.id = games.first JOIN players AS two ON two.id = games.second
        JOIN endings ON endings.id = games.ending;
"""

# The statements that lead from version 1 to version 2, from 2 to 3, and so on. `SCHEMA` is that of the last version.
MIGRATIONS: list[str] = [
    """
    ALTER TABLE games ADD COLUMN start TEXT;
    CREATE TABLE analyses (
        game INTEGER PRIMARY KEY REFERENCES games,
        data BLOB NOT NULL
    );
    """,
]


def connect(path: Path, write: bool) -> sqlite3.Connection:
    """Open a store; a file that is not there, or empty, becomes one if it is to be written.

    A file of an older version is brought to this one, in one transaction. No call begins a transaction by itself.

    Args:
        path: the file.
        write: whether games are to be added.

    Raises:
        ValueError: the file is none of ours, damaged, or of a later version; it stays as it is.
        OSError: it cannot be read or written.
    """
    newest = len(MIGRATIONS) + 1
    connection: sqlite3.Connection | None = None
    try:
        with faults(path):
            connection = _opened(path, write)
            version = _version(connection, path, newest)
            if write and version is None:
                _create(connection, path, newest)
            elif version is not None and version < newest:
                if not write:
                    connection.close()
                    if not (os.access(path, os.W_OK) and _may_write(path.resolve().parent)):
                        raise PermissionError(
                            f"{path} is a store of version {version}, which must be brought to version "
                            f"{newest}, and it is read-only, or its folder is: copy it elsewhere"
                        )
                    connection = _opened(path, True)
                _migrate(connection, path)
            if write:
                _set_up(connection, path)
    except BaseException:
        if connection is not None:
            connection.close()
        raise
    return connection


def _opened(path: Path, write: bool) -> sqlite3.Connection:
    place = path.resolve().as_uri()
    if write and path.exists() and not (os.access(path, os.W_OK) and _may_write(path.resolve().parent)):
        raise sqlite3.OperationalError("readonly")  # in the words of SQLite, which says less
    if not write and not _beside(path).exists() and not _may_write(path.resolve().parent):
        place += "?immutable=1"  # WAL mode would want to put files beside it
    else:
        place += "?mode=rwc" if write else "?mode=rw"  # who may only read could not take away what is beside the file
    opened = sqlite3.connect(place, timeout=_WAIT, isolation_level=None, check_same_thread=False, uri=True)
    if not write:
        opened.execute("PRAGMA query_only = ON")
    return opened


def _beside(path: Path) -> Path:
    """Return the file with what was written last, which SQLite keeps beside an open store, not beside links to it."""
    file = path.resolve()
    return file.with_name(f"{file.name}-wal")


def _may_write(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


def _version(connection: sqlite3.Connection, path: Path, known: int) -> int | None:
    """Return the version of a store, None for a file in which there is nothing yet.

    Raises:
        ValueError: it is not ours, or later than ``known``.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not application and not version and not tables:
        return None
    if application != APPLICATION_ID:
        raise ValueError(f"{path} is an SQLite file of another program, not a store of games: choose another file")
    if version > known:
        raise ValueError(
            f"{path} is a store of version {version}, and this plyground knows those up to {known}: update plyground"
        )
    return version


def _create(connection: sqlite3.Connection, path: Path, version: int) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        if _version(connection, path, version) is None:  # and no other process was faster
            for statement in _statements(SCHEMA):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {version}")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the tables to the last version, all at once or not at all."""
    newest = len(MIGRATIONS) + 1
    with transaction(connection):
        version = _version(connection, path, newest)
        assert version is not None
        for step in MIGRATIONS[version - 1 :]:
            for statement in _statements(step):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {newest}")


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of a text, for `executescript` would end a transaction."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    """Check a file that is to be written, if that is quick, and choose how it is written."""
    if path.stat().st_size <= _CHECKED:
        found = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
        if found != ["ok"]:
            raise sqlite3.DatabaseError(f"malformed: {found[0]}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a kill loses no commit; a loss of power the last ones, at most
    connection.execute("PRAGMA cache_size = -65536")  # KiB


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what is done inside, all of it or nothing; no other process writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite has ended it where the disk is full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Raise what SQLite raises as an error that names the file, and says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _in_words(path, str(error)) from error


def _in_words(path: Path, said: str) -> Exception:
    if "not a database" in said:
        return ValueError(f"{path} is no store of games: expected an SQLite file that plyground has made")
    if any(sign in said for sign in _DAMAGE):
        return ValueError(
            f"{path} is damaged ({said}): `sqlite3 {path} .recover` prints what can be saved, or play into a new file"
        )
    if "readonly" in said or "read-only" in said:
        return PermissionError(f"cannot write {path}: it is read-only, or its folder is")
    if "is full" in said:
        return NoRoomError(path, "the disk is full")
    if "locked" in said:
        return OSError(f"cannot write {path}: another process has been writing to it for {_WAIT:.0f} seconds")
    if "unable to open" in said:
        return OSError(f"cannot open {path}: there is no such file, or it may not be read, or its folder not written")
    if "disk I/O" in said:
        return OSError(
            f"cannot read or write {path}: the system says {said!r}; is the disk full, or the file too long?"
        )
    return OSError(f"cannot use {path}: SQLite says {said!r}")
