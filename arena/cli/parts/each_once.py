"""Games of several files and tournaments, each game counted once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...formats import read_games
from ...records.names import is_store, split_name
from ...records.record import GameRecord
from ...store import tournaments_in
from ...store.keys import record_key

__all__ = ["check_different", "each_once"]


def check_different(files: Iterable[Path]) -> None:
    """Raise `ValueError` if a file is there twice, or a tournament beside its store: intervals would be too narrow."""
    known: dict[Path, dict[int, Path]] = {}
    for file in files:
        place = split_name(file)[0]
        before = known.setdefault(place.resolve(), {})
        # A tournament has a number, a title, and parts of that: all may name it.
        parts = [one.number for one in tournaments_in(file)] if is_store(place) else [0]
        for part in parts:
            if part in before:
                raise ValueError(f"{before[part]} and {file} are the same games, which would count twice: give one")
            before[part] = file


def each_once(files: Iterable[str | Path]) -> Iterator[Iterator[GameRecord]]:
    """Yield the games of each file, or tournament of a store; a game that several of one store share is of the first.

    The games of one have to be taken before those of the next.

    Raises:
        ValueError: a game cannot be read, or it is not said which tournament of a store is meant.
    """
    files = list(files)
    places = [split_name(file)[0].resolve() for file in files]
    times = Counter(filter(is_store, places))
    known: defaultdict[Path, set[bytes]] = defaultdict(set)
    for file, place in zip(files, places, strict=True):
        if times[place] > 1:  # else there is nothing to compare with, and keys of a million games take long
            yield _new(read_games(file), known[place])
        else:
            yield read_games(file)


def _new(games: Iterable[GameRecord], earlier: set[bytes]) -> Iterator[GameRecord]:
    """Yield the games that are not among the earlier ones, and add all to these then; a tournament may have equals."""
    own = set[bytes]()
    for game in games:
        own.add(key := record_key(game))
        if key not in earlier:
            yield game
    earlier |= own
