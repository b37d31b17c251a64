"""Games of several files and tournaments, each game counted once."""

from __future__ import annotations

import struct
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


def each_once(files: Iterable[str | Path], again: Counter[str] | None = None) -> Iterator[Iterator[GameRecord]]:
    """Yield the games of each file, or tournament of a store; a game that several share is of the first of them.

    Those of one store are compared as a whole, those of other files by their times too, which no two games have in
    common: a file may be a copy of another one in another format. Games without times may be alike by chance.

    Args:
        files: the files. The games of one have to be taken before those of the next.
        again: gets how many games of each file are left out, as an earlier one has them.

    Raises:
        ValueError: a game cannot be read, or it is not said which tournament of a store is meant.
    """
    files = list(files)
    if len(files) == 1:
        yield read_games(files[0])
        return
    places = [split_name(file)[0].resolve() for file in files]
    times = Counter(filter(is_store, places))
    in_store: defaultdict[Path, set[bytes]] = defaultdict(set)
    known, left = dict[int, Path](), Counter[str]() if again is None else again
    for file, place in zip(files, places, strict=True):
        games = read_games(file)
        if times[place] > 1:  # else there is nothing to compare with, and keys of a million games take long
            games = _new(games, in_store[place])
        yield _of_no_other_file(games, place, known, left, str(file))


def _new(games: Iterable[GameRecord], earlier: set[bytes]) -> Iterator[GameRecord]:
    """Yield the games that are not among the earlier ones, and add all to these then; a tournament may have equals."""
    own = set[bytes]()
    for game in games:
        own.add(key := record_key(game))
        if key not in earlier:
            yield game
    earlier |= own


def _of_no_other_file(
    games: Iterable[GameRecord], place: Path, known: dict[int, Path], again: Counter[str], name: str
) -> Iterator[GameRecord]:
    """Yield the games that no other file has had, and note where they are; count the others under a name."""
    for game in games:
        if any(game.seconds):
            times = struct.pack(f"{len(game.seconds)}f", *game.seconds)  # as exactly as a store keeps them
            if known.setdefault(hash((*game.players, *game.moves, game.seed, times)), place) != place:
                again[name] += 1
                continue
        yield game
