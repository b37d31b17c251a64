"""Games from elsewhere, which are in no tournament that could go on: added to a store one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..records.names import split_name
from ..records.record import GameRecord
from ..wording import counted
from .keys import digest, player_digest, record_key, rules_digest
from .reading import read_store, tournaments_in
from .rows import INSERT, INSERT_ANALYSES, analyses_of, row_of
from .titles import Known, check_new, known_in, title_of_collection
from .writing import Writer

__all__ = ["collection_in", "saved_in_store", "write_store"]

_MOST = 1000  # games of a transaction
_SECONDS = 0.1  # after which the games until then are committed


def saved_in_store(path: str | Path, records: Iterable[GameRecord], after: int | None = None) -> Iterator[GameRecord]:
    """Yield the records, each as soon as it is added to a store.

    They become, or continue, its collection of games: a tournament of the title ``games``, or of the one in the file's
    name, as in ``games.db#club night``. ``games.db#2`` continues its second tournament, if that is a collection.

    Args:
        path: the file, and a title.
        records: the games.
        after: how many games the collection has, where no other may come between these. Default: any may.

    Raises:
        ValueError: the file is none of ours, damaged, or of a later version; or no collection in it has the number that
            is given, or another tournament the title.
        OSError: it cannot be written, or has other games than ``after`` tells.
    """
    collection = _Collection(path)
    try:
        for number, record in enumerate(records):
            collection.add([record], None if after is None else after + number)
            yield record
    finally:
        collection.close()


def write_store(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add records to a store as `saved_in_store` does, many at a time where they come fast."""
    collection = _Collection(path)
    waiting: list[GameRecord] = []

    def save() -> None:
        nonlocal waiting
        some, waiting = waiting, []  # before they are added: what fails is not tried again
        if some:
            collection.add(some)

    try:
        last = time.monotonic()
        for record in records:
            waiting.append(record)
            if len(waiting) >= _MOST or time.monotonic() - last > _SECONDS:
                save()
                last = time.monotonic()
    finally:
        try:
            save()  # also where no more come, for an error or Ctrl-C
        finally:
            collection.close()


def collection_in(path: str | Path) -> list[GameRecord]:
    """Return the games after which `saved_in_store` goes on: those of the same title; none of a new file.

    The title is the whole one, unlike where a store is read: there, a part of another title may be meant.

    Raises:
        ValueError: as `saved_in_store`.
    """
    file, name = split_name(path)
    known = [Known(one.number, one.title, not one.arguments) for one in tournaments_in(file)] if file.is_file() else []
    title = title_of_collection(file, name, known)
    numbers = [one.number for one in known if one.title == title]
    return [record for number in numbers for record in read_store(file, tournament=number)]


class _Collection:
    """Games in the order in which they were added."""

    def __init__(self, path: str | Path) -> None:
        file, name = split_name(path)
        if not file.exists():
            check_new(file, name)  # before there is a file
        self._path, self._writer = path, Writer(file)
        self._names: dict[tuple[str, str], int] = {}
        try:
            with self._writer.writing() as connection:
                title = title_of_collection(file, name, known_in(connection))
                self._number = self._writer.tournament(digest(["collection", title]), title, {})
        except BaseException:
            self._writer.close()
            raise

    def add(self, records: list[GameRecord], after: int | None = None) -> None:
        """Add games at once: all, or those before one that cannot be kept, for which it raises then.

        Raises:
            OSError: there are other games than ``after`` tells.
        """
        writer, fault = self._writer, None
        with writer.writing() as connection:
            (last,) = connection.execute(
                "SELECT max(number) FROM entries WHERE tournament = ? AND round = 0 AND pairing = 0", (self._number,)
            ).fetchone()
            entries, known = [], 0 if last is None else last + 1
            if after not in (None, known):
                raise OSError(
                    f"{self._path} has {counted(known, 'game')}, expected {after}: another process adds to the same "
                    "collection; give each a title, as in games.db#TITLE"
                )
            for number, record in enumerate(records, start=known):
                try:
                    key = record_key(record)
                    analyses = analyses_of(record, key)
                    first, second = (self._number_of("player", name) for name in record.players)
                    ending = writer.ending(record.ending)
                    connection.execute(
                        INSERT, row_of(record, key, self._number_of("rules", record.game), first, second, ending, None)
                    )
                except (ValueError, TypeError, OverflowError) as error:  # of the game, not of the file
                    fault = error
                    break
                if analyses is not None:
                    connection.execute(INSERT_ANALYSES, analyses)
                entries.append((0, 0, number, key))
            writer.enter(self._number, entries)
        if fault is not None:
            raise fault

    def _number_of(self, kind: str, name: str) -> int:
        if (kind, name) not in self._names:
            if kind == "rules":
                identity = {"game": name, "files": {}}
                number = self._writer.rules(identity, rules_digest(identity))
            else:
                number = self._writer.player(name, {}, player_digest(name, {}))
            self._names[kind, name] = number
        return self._names[kind, name]

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
