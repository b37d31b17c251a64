"""Games of several files and tournaments, each game counted once."""

from __future__ import annotations

import math
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...formats import read_games
from ...records.names import is_store, split_name
from ...records.record import GameRecord
from ...store import tournaments_in
from ...store.keys import record_key
from ...wording import counted

__all__ = ["again_in_words", "check_different", "each_once"]

_LONG = 10  # moves that players have chosen


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

    Those of one store are compared as a whole; how those of other files are told from each other says `_Seen`.

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
    seen, left = _Seen(), Counter[str]() if again is None else again
    for file, place in zip(files, places, strict=True):
        games = read_games(file)
        if times[place] > 1:  # else there is nothing to compare with, and keys of a million games take long
            games = _new(games, in_store[place], left, str(file))
        yield _of_no_other_file(games, place, seen, left, str(file))


def again_in_words(again: Counter[str]) -> list[str]:
    """Return a line for each file of which `each_once` has left out games."""
    lines = []
    for name, count in again.items():
        are, once = ("is", "counts") if count == 1 else ("are", "count")
        lines.append(f"{counted(count, 'game')} of {name} {are} in an earlier file or tournament, too, and {once} once")
    return lines


def _new(games: Iterable[GameRecord], earlier: set[bytes], again: Counter[str], name: str) -> Iterator[GameRecord]:
    """Yield the games that are not among the earlier ones, and add all to these then; a tournament may have equals."""
    own = set[bytes]()
    for game in games:
        own.add(key := record_key(replace(game, event=None)))  # tournaments that share it have titles of their own
        if key not in earlier:
            yield game
        else:
            again[name] += 1
    earlier |= own


def _of_no_other_file(
    games: Iterable[GameRecord], place: Path, seen: _Seen, again: Counter[str], name: str
) -> Iterator[GameRecord]:
    """Yield the games that no other file has had; count the others under a name."""
    for game in games:
        if seen.has_elsewhere(game, place):
            again[name] += 1
        else:
            yield game


_is_close = partial(math.isclose, rel_tol=1e-7, abs_tol=1e-6)  # as far as four bytes tell


class _Seen:
    """The games of files until now: which of a file are copies of those of another, in whatever format.

    A copy has the same players, moves and seed, and the same times, as far as its format keeps them: as floats of four
    bytes in a store, in milliseconds in PGN, not at all in SGF and PDN. Games without times and without a seed are
    copies if they have so many moves that nobody plays them twice by chance; who does not play by chance would play
    them twice, but the second time tells nothing new.
    """

    def __init__(self) -> None:
        self._all: dict[int, Path] = {}  # by each of their keys
        self._rough: dict[int, Path] = {}  # those of which no more is known than the key tells

    def has_elsewhere(self, game: GameRecord, place: Path) -> bool:
        """Return whether another place has had a game; if none has, it is at this one from now on."""
        own = hash((*game.players, game.start, *game.moves, game.seed))
        times = struct.pack(f"{len(game.seconds)}f", *game.seconds)
        rounded = [round(1000 * seconds) for seconds in struct.unpack(f"{len(game.seconds)}f", times)]
        keys = [own, hash((own, *rounded)), hash((own, times))]  # from rough to exact
        level = 2
        if not any(rounded):
            level = 0 if not any(game.seconds) else 2
        elif all(map(_is_close, (1000 * seconds for seconds in game.seconds), rounded)):
            level = 1
        chosen = sum(mover >= 0 for mover in game.movers)
        tells = [game.seed is not None or chosen >= _LONG, any(rounded), True]
        found = [self._all.get(keys[level]) if tells[level] else None]
        found += [self._rough.get(key) for key, does in zip(keys[:level], tells, strict=False) if does]
        if any(one is not None and one != place for one in found):
            return True
        for key in keys:
            self._all.setdefault(key, place)
        self._rough.setdefault(keys[level], place)
        return False
