"""Files of games, in the format that the name of the file tells.

============  =============================================================  ===================================
``.jsonl``    JSON lines, one whole record each, for every game              `plyground.arena.records.json_lines`
``.db``       a store: an SQLite file, for every game                        `plyground.arena.store`
``.csv``      comma-separated values, a line each, for every game            `plyground.arena.records.columns`
``.parquet``  the same in columns, by pyarrow                                `plyground.arena.records.columns`
``.sgf``      Smart Game Format, FF[4]: go, othello, gomoku                  `plyground.arena.records.sgf`
``.pdn``      Portable Draughts Notation: checkers                           `plyground.arena.records.pdn`
``.pgn``      Portable Game Notation: chess, by python-chess                 `plyground.arena.records.pgn`
============  =============================================================  ===================================

Games that are being played go into the first two, which lose nothing that is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..envs.outside.extras import how_to_install
from ..envs.outside.files import check_writable, naming
from .records.files import Fault, Watch, check_readable, ignored, raised
from .records.json_lines import read_lines, saved_lines
from .records.names import is_store, split_name
from .records.record import GameRecord

__all__ = [
    "check_format",
    "is_format",
    "read_games",
    "read_records",
    "saved_records",
    "write_games",
    "write_records",
]


def check_format(path: str | Path, game: str | None = None) -> None:
    """Raise `ValueError` if the name of a file ends in no known suffix, or its format cannot hold this game."""
    _, _, check = _format(path)
    if game is not None:
        check(game)


def is_format(path: str | Path) -> bool:
    """Return whether the name of a file is that of recorded games."""
    return is_store(path) or Path(path).suffix.lower() in _SUFFIXES


def read_games(path: str | Path, watch: Watch = ignored, fault: Fault = raised) -> Iterator[GameRecord]:
    """Return an iterator over the games in a file, ours or from elsewhere.

    Args:
        path: the file.
        watch: called after each game with the number of the file's bytes that are read, as for a progress bar.
        fault: called with what is wrong with a game that cannot be read, which is then left out, where the others can
            be: in JSON lines, SGF, PDN and PGN. By default it is raised.

    Raises:
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a folder.
        ValueError: the name ends in no known suffix; or, later, a game cannot be read (the message says which, and why;
            the games before it are fine).
    """
    reader, _, _ = _format(path)
    file, _ = split_name(path)
    check_readable(file)
    takes_faults = fault is not raised and not is_store(path) and file.suffix.lower() in _SINGLE
    return reader(path, watch=watch, fault=fault) if takes_faults else reader(path, watch=watch)


def write_games(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add games to a file, one after the other as they come.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: the name ends in no known suffix, or the format cannot hold a game. The games before that one are
            written, and nothing of that one; so they are where ``records`` raises. Of Parquet nothing is then written.
            Or there are no games for a new SGF, PDN or PGN file, which has one or more.
    """
    _, writer, _ = _format(path)
    file, _ = split_name(path)
    check_writable(file)
    with naming(file):
        writer(path, records)


def saved_records(path: str | Path, records: Iterable[GameRecord]) -> Iterator[GameRecord]:
    """Yield the records, each as soon as it is added to a file: JSON lines, or a store, ``.db``.

    Raises:
        OSError: the file cannot be written, or another process writes to it (a store takes games of several).
    """
    if is_store(path):
        from .store import saved_in_store

        return saved_in_store(path, records)
    return saved_lines(path, records)


def write_records(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add records to a file, JSON lines or a store, one after the other as they come."""
    if is_store(path):
        from .store import write_store

        write_store(path, records)
        return
    for _ in saved_lines(path, records):
        pass


def read_records(path: str | Path, watch: Watch = ignored, fault: Fault = raised) -> Iterator[GameRecord]:
    """Yield the records of a file of JSON lines, or of a store.

    Args:
        path: the file; of a store with several tournaments, as in ``games.db#2``, see `plyground.arena.store`.
        watch: called with the bytes that are read, as `plyground.arena.records.files` says.
        fault: called with what is wrong with a line that is no record; by default it is raised.

    Raises:
        ValueError: a line is no record (the message has its number), or the store is none, or damaged.
    """
    if is_store(path):
        from .store import read_store

        return read_store(path, watch)
    return read_lines(path, watch, fault)


_SUFFIXES = (".jsonl", ".db", ".csv", ".parquet", ".sgf", ".pdn", ".pgn")
_SINGLE = (".jsonl", ".sgf", ".pdn", ".pgn")  # a fault in one game leaves the others as they are
_LISTED = f"{', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}"

Reader = Callable[..., Iterator[GameRecord]]
Writer = Callable[[str | Path, Iterable[GameRecord]], None]
Check = Callable[[str], None]  # raises `ValueError` for a game that the format cannot hold


def _any_game(game: str) -> None:
    """Take every game."""


def _format(path: str | Path) -> tuple[Reader, Writer, Check]:
    suffix = Path(path).suffix.lower()
    if suffix == ".jsonl" or is_store(path):
        return read_records, write_records, _any_game
    if suffix in (".csv", ".parquet"):
        from .records import columns

        if suffix == ".csv":
            return columns.read_csv, columns.write_csv, _any_game
        return columns.read_parquet, columns.write_parquet, _any_game
    if suffix == ".pdn":
        from .records.pdn import check_pdn_game, read_pdn, write_pdn

        return read_pdn, write_pdn, check_pdn_game
    if suffix == ".pgn":
        try:
            from .records.pgn import check_pgn_game, read_pgn, write_pgn
        except ImportError as error:
            raise ImportError(f"PGN files need python-chess ({error}): {how_to_install('chess')}") from error

        return read_pgn, write_pgn, check_pgn_game
    if suffix == ".sgf":
        from .records.sgf import check_sgf_game, read_sgf, write_sgf

        return read_sgf, write_sgf, check_sgf_game
    raise ValueError(f"cannot tell the format of {str(path)!r}: expected a name that ends in {_LISTED}")
