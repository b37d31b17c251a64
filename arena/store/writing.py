"""A store that is open for writing: the numbers of rules, players, endings and tournaments, and the insertion of games.

Every game is in the file when the call that adds it returns. Several processes may write: each transaction is short,
and waits for those of others.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import platform
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...envs.version import __version__
from .schema import connect, faults, transaction

__all__ = ["Writer"]


class Writer:
    """An open store. Threads may share it.

    Args:
        path: the file, which is made if it is not there.

    Attributes:
        connection: what SQLite is asked by, inside `reading` or `writing`.

    Raises:
        ValueError: the file is none of ours, damaged, or of a later version.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = connect(path, write=True)
        self._place = path.resolve()
        self._file = self._place.stat()
        self._lock = threading.RLock()
        self._end = weakref.finalize(self, self.connection.close)
        self._endings: dict[str, int] = {}

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._end()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Ask something, while no other thread does."""
        with self._lock, faults(self.path):
            yield self.connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Change something, all of it or nothing.

        Raises:
            OSError: it cannot be written, or the file is no longer there.
        """
        with self.reading() as connection:
            with transaction(connection):
                yield connection
            self._check_file()

    def _check_file(self) -> None:
        """Raise `OSError` if the file was deleted, moved or replaced, of which SQLite says nothing as it writes."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            if os.path.samestat(self._place.stat(), self._file):
                return
        raise OSError(
            f"cannot write {self.path}: the file was deleted, moved or replaced meanwhile; put it back, with "
            f"{self._place.name}-wal if that is still there, and resume, or play into a new file"
        )

    # What follows is called inside `writing`.

    def rules(self, identity: Mapping[str, Any], digest: bytes) -> int:
        """Return the number of a game's rules."""
        values = {"source": identity["game"], "files": json.dumps(identity["files"]), "digest": digest}
        return self._number("rules", "digest", values)

    def player(self, name: str, identity: Mapping[str, Any], digest: bytes) -> int:
        """Return the number of a player."""
        return self._number(
            "players", "digest", {"name": name, "configuration": json.dumps(identity), "digest": digest}
        )

    def ending(self, name: str) -> int:
        """Return the number of a way in which games end."""
        if name not in self._endings:
            self._endings[name] = self._number("endings", "name", {"name": name})
        return self._endings[name]

    def tournament(self, key: bytes, title: str, arguments: Mapping[str, Any]) -> int:
        """Return the number of a tournament."""
        return self._number("tournaments", "key", {"key": key, "title": title, "arguments": json.dumps(arguments)})

    def run(self, tournament: int) -> int:
        """Note that this process plays a tournament, and return the number of that."""
        values = (tournament, __version__, platform.python_version(), platform.node(), os.getpid(), _now())
        found = self.connection.execute(
            "INSERT INTO runs (tournament, version, python, host, process, began) VALUES (?, ?, ?, ?, ?, ?)", values
        )
        assert found.lastrowid is not None
        return found.lastrowid

    def end_run(self, run: int) -> None:
        """Note that this process has done with a tournament."""
        self.connection.execute("UPDATE runs SET ended = ? WHERE id = ?", (_now(), run))

    def enter(self, tournament: int, entries: Iterable[tuple[int, int, int, bytes]]) -> None:
        """Put games into a tournament: the round, the pairing and the number of each, and its key."""
        self.connection.executemany(
            "INSERT OR REPLACE INTO entries SELECT ?, ?, ?, ?, id FROM games WHERE key = ?",
            ((tournament, *entry) for entry in entries),
        )

    def leave(self, tournament: int, passed: Mapping[tuple[int, int], int]) -> None:
        """Take games out of a tournament.

        Args:
            tournament: its number.
            passed: how many games each pairing keeps, from its first on, by the numbers of its round and of the
                pairing; those that are missing keep none.
        """
        found = self.connection.execute(
            "SELECT DISTINCT round, pairing FROM entries WHERE tournament = ?", (tournament,)
        ).fetchall()
        self.connection.executemany(
            "DELETE FROM entries WHERE tournament = ? AND round = ? AND pairing = ? AND number >= ?",
            ((tournament, *place, passed.get(place, 0)) for place in found),
        )

    def _number(self, table: str, unique: str, values: Mapping[str, Any]) -> int:
        """Return the number of a row, which is made if there is none."""
        names = ", ".join(values)
        self.connection.execute(
            f"INSERT OR IGNORE INTO {table} ({names}) VALUES (?{', ?' * (len(values) - 1)})", tuple(values.values())
        )
        return self.connection.execute(f"SELECT id FROM {table} WHERE {unique} = ?", (values[unique],)).fetchone()[0]


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
