"""Files of games in the making, to which more are added."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ....envs import Game
from ....envs.outside.elsewhere import place_of
from ....envs.outside.files import check_writable
from ...formats import check_format, read_games, saved_records, write_games
from ...lines import console, print_plain
from ...records.files import keep_from_others
from ...records.json_lines import mend
from ...records.names import is_store, split_name
from ...records.record import GameRecord
from ...store import collection_in, listed, saved_in_store, tournaments_in
from ...wording import counted, plain

__all__ = ["games_in", "games_to_add_to", "read_plies", "saved", "tells_movers"]

_err = console(stderr=True)
_TAGS = re.compile(rb"^\[Event ", re.MULTILINE)
_BEGINS = {".sgf": re.compile(rb"^\(;", re.MULTILINE), ".pdn": _TAGS, ".pgn": _TAGS}  # of each game


def read_plies(text: str) -> tuple[int, int]:
    """Return the fewest and the most plies, of ``8`` or ``4-8``.

    Raises:
        ValueError: it is something else.
    """
    fewest, dash, most = text.partition("-")
    try:
        return (int(fewest), int(most)) if dash else (0, int(fewest))
    except ValueError:
        raise ValueError(f"cannot read --opening-plies {text!r}: expected a number, or as in '4-8'") from None


def games_in(out: Path, game: Game, resume: bool) -> list[GameRecord]:
    """Return the games of a file to which others of ``game`` will be added; none of a new one.

    Raises:
        OSError: nothing can be written there.
        ValueError: it has games and nobody said to go on, its format takes no single games or none of this game, it is
            damaged, or a store has no such collection.
    """
    check_format(out, game.source)
    file, _ = split_name(out)
    check_writable(file)
    if file.suffix.lower() in (".csv", ".parquet"):
        raise ValueError(
            f"games are added to a store, JSON lines, SGF, PDN or PGN, not to {out}: `plyground convert` does"
        )
    return games_to_add_to(out, resume)


def games_to_add_to(out: Path, resume: bool) -> list[GameRecord]:
    """Return the games of a file, or of a collection in a store, to which others will be added; none of a new one.

    The last game of a file, if a run that was killed has not finished it, is taken away, and that is told; so is a
    title under which a store has nothing to go on with, which may be that of another collection, misspelt.

    Raises:
        ValueError: it has games and nobody said to go on, it is damaged, or a store has no such collection.
    """
    file, _ = split_name(out)
    if is_store(out):
        done = collection_in(out)
        if resume and not done and file.is_file() and (known := tournaments_in(file)):
            print_plain(_err, f"there is nothing to go on with under {str(out)!r}, which begins: {listed(known)}")
    elif not file.is_file() or not file.stat().st_size:
        return []
    else:
        written = out.stat().st_mtime
        if resume and out.suffix.lower() == ".jsonl" and mend(out):
            print_plain(_err, f"the last line of {out} is incomplete: it is taken away, and that game is played again")
        done = _read(out, resume)
        if resume:
            _tell_of_edits(out, written, done)
    if done and not resume:
        first = plain(f"{done[0].game}, {' v '.join(done[0].players)}")
        raise ValueError(
            f"{out} has {counted(len(done), 'game')} already ({first}): go on with them by --resume, or choose another "
            "file"
        )
    return done


def _read(out: Path, resume: bool) -> list[GameRecord]:
    """Return the games of a file; a last one of ours that is cut off is taken away where ``resume`` plays it again.

    Raises:
        ValueError: another game cannot be read.
    """
    games: list[GameRecord] = []
    try:
        games.extend(read_games(out))  # those before a fault are kept
    except ValueError as error:
        begins = _BEGINS.get(out.suffix.lower())
        if not resume or begins is None:
            raise
        if games and games[-1].reason == str(error):  # PGN yields the moves before the fault
            games.pop()
        data = out.read_bytes()
        starts = [found.start() for found in begins.finditer(data)]
        if len(starts) != len(games) + 1 or b"plyground" not in data[starts[-1] :].lower():
            raise
        os.truncate(out, starts[-1])
        print_plain(_err, f"the last game of {out} is incomplete: it is taken away, and played again")
    return games


def _tell_of_edits(out: Path, written: float, games: Iterable[GameRecord]) -> None:
    """Say which files of the user's own games and players were edited after a file of games was last ``written``.

    A store knows the rules and the players of its games, and refuses others; other files know what they are called.
    """
    names = dict.fromkeys(name for game in games for name in (game.game, *game.players))
    for file in dict.fromkeys(map(_file_of, names)):
        if file is not None and file.stat().st_mtime > written:
            print_plain(
                _err,
                f"{file} was edited after the games in {out} were played: if other games come of it, begin anew (a "
                "store, games.db, would know)",
            )


def _file_of(name: str) -> Path | None:
    """Return the file that a game or a player is taken from; None of one that has a name, whatever that is."""
    with suppress(ValueError, OSError):  # it is no place; it is too long for a file
        file = Path((place_of(name) or "").rpartition(":")[0])
        return file if file.is_file() else None
    return None


def tells_movers(out: Path) -> bool:
    """Return whether a file of games tells which moves nobody chose."""
    return is_store(out) or out.suffix.lower() == ".jsonl"


def saved(out: Path, records: Iterator[GameRecord], after: int) -> Iterator[GameRecord]:
    """Yield the records, each as soon as it is added to the file, which has ``after`` games.

    Raises:
        OSError: it cannot be written, or another process adds to it.
    """
    if is_store(out):
        yield from saved_in_store(out, records, after)
        return
    if tells_movers(out):
        yield from saved_records(out, records)
        return
    with open(out, "ab") as file:  # only for the lock: `write_games` opens it by itself
        keep_from_others(file, out)
        for record in records:
            write_games(out, [record])
            yield record
