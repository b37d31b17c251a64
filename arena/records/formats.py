"""Files of games, in the format that the name of the file tells.

============  =============================================================  ===================================
``.jsonl``    JSON lines, one whole record each, for every game              `plyground.arena.records.record`
``.sgf``      Smart Game Format, FF[4]: go, othello, gomoku                  `plyground.arena.records.sgf`
``.pdn``      Portable Draughts Notation: checkers                           `plyground.arena.records.pdn`
============  =============================================================  ===================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from .record import GameRecord, read_records, write_records

__all__ = ["read_games", "write_games"]


def read_games(path: str | Path) -> Iterator[GameRecord]:
    """Return an iterator over the games in a file, ours or from elsewhere.

    Raises:
        ValueError: the name ends in no known suffix; or, later, a game cannot be read (the message says which, and why;
            the games before it are fine).
    """
    reader, _ = _format(path)
    return reader(path)


def write_games(path: str | Path, records: Iterable[GameRecord]) -> None:
    """Add games to a file, one after the other as they come.

    Raises:
        ValueError: the name ends in no known suffix, or the format cannot hold a game. The games before that one are
            written, and nothing of that one.
    """
    _, writer = _format(path)
    writer(path, records)


Reader = Callable[[str | Path], Iterator[GameRecord]]
Writer = Callable[[str | Path, Iterable[GameRecord]], None]


def _format(path: str | Path) -> tuple[Reader, Writer]:
    suffix = Path(path).suffix.lower()
    if suffix == ".jsonl":
        return read_records, write_records
    if suffix == ".pdn":
        from .pdn import read_pdn, write_pdn

        return read_pdn, write_pdn
    if suffix == ".sgf":
        from .sgf import read_sgf, write_sgf

        return read_sgf, write_sgf
    raise ValueError(f"cannot tell the format of {str(path)!r}: expected a name that ends in .jsonl, .sgf or .pdn")
