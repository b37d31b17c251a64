"""What stands behind ``#`` where games are added to a store: a title, or the number of what is there already.

A whole number means the tournament of that number, as it does where a store is read. So no title is a whole number, and
no two kinds of tournaments share one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["COLLECTION", "Known", "check_new", "known_in", "title_of_collection", "title_of_tournament"]

COLLECTION = "games"


class Known(NamedTuple):
    """A tournament of a store that has games.

    Attributes:
        number: the number by which it is called.
        title: what it is.
        is_collection: whether it is a collection of games from elsewhere.
        key: its key, where that is asked for.
    """

    number: int
    title: str
    is_collection: bool
    key: bytes = b""


def known_in(connection: sqlite3.Connection) -> list[Known]:
    """Return the tournaments of a store that have games."""
    found = connection.execute(
        "SELECT id, title, arguments = '{}', key FROM tournaments "
        "WHERE EXISTS (SELECT 1 FROM entries WHERE tournament = tournaments.id) ORDER BY id"
    )
    return [Known(number, title, bool(is_collection), key) for number, title, is_collection, key in found]


def check_new(file: Path, name: str | None) -> None:
    """Raise `ValueError` for a name that is a whole number, of which there is no tournament."""
    if name is not None and name.isdecimal():
        raise ValueError(
            f"{file} has no tournament {name}, which a whole number means: choose a title with a letter, as in "
            f"'{file}#night {name}'"
        )


def title_of_collection(file: Path, name: str | None, known: Sequence[Known]) -> str:
    """Return the title of the collection of games that a name means: one that is there, or a new one.

    Args:
        file: the store.
        name: what stands behind ``#``; None for the collection without a title of its own.
        known: the tournaments of the store.

    Raises:
        ValueError: it means a tournament that is no collection, or is a number of none.
    """
    meant = [one for one in known if name is not None and str(one.number) == name]
    title = meant[0].title if meant else name or COLLECTION
    for one in meant or known:
        if one.title == title and not one.is_collection:
            raise ValueError(
                f"{file}#{name or title} is a tournament, to which no games are added ({one.number}: {title}): choose "
                f"another title, with a letter, as in '{file}#more games'"
            )
    if not meant:
        check_new(file, name)
    return title


def title_of_tournament(file: Path, name: str | None, key: bytes, own: str, known: Sequence[Known]) -> str:
    """Return the title of a tournament that is played: that which it has, or else its name, or what it is.

    Args:
        file: the store.
        name: what stands behind ``#``, if anything does.
        key: the key of the tournament.
        own: what it is, in a line.
        known: the tournaments of the store.

    Raises:
        ValueError: the name means another one, or is a number of none; or the tournament has another title.
    """
    there = next((one for one in known if one.key == key), None)
    if there is not None:
        if name is not None and name != there.title and name != str(there.number):
            raise ValueError(
                f"{file}#{name} is not this tournament, which is {file}#{there.number} ({there.title}): go on with "
                "that, or choose another file"
            )
        return there.title
    for one in known:
        if name is not None and (name == one.title or name == str(one.number)):
            raise ValueError(
                f"{file}#{name} is another tournament ({one.number}: {one.title}) than this one ({own}): choose "
                "another title, or give the game, players, seed and openings of that one"
            )
    check_new(file, name)
    return own if name is None else name
