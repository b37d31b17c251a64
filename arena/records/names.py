"""What the names of files tell: which are stores, ``games.db#2`` for a tournament in one, and what others hold."""

from __future__ import annotations

import re
from pathlib import Path

from .sgf_points import KINDS

__all__ = ["HELD", "check_held", "is_store", "split_name", "titled"]

HELD = {  # what the formats of the field hold here; all others hold every game
    ".sgf": tuple(kind.name for kind in KINDS),
    ".pdn": ("checkers",),
    ".pgn": ("chess",),
}

_NAME = re.compile(r"(.+?\.(?:db|sqlite|sqlite3))(?:#(.*))?", re.IGNORECASE | re.DOTALL)


def is_store(path: str | Path) -> bool:
    """Return whether a file's name is that of a store: it ends in ``.db``, or ``.db#2`` for a tournament in it."""
    return _NAME.fullmatch(str(path)) is not None


def split_name(path: str | Path) -> tuple[Path, str | None]:
    """Return the file, and which of its tournaments is meant, if that is said, without blanks around it."""
    found = _NAME.fullmatch(str(path))
    return (Path(path), None) if found is None else (Path(found[1]), (found[2] or "").strip() or None)


def titled(path: str | Path, title: str) -> Path:
    """Return the name of a store with a title for what is added to it, unless it has one; of other files, as it is."""
    file, said = split_name(path)
    return Path(f"{file}#{title}") if is_store(path) and said is None else Path(path)


def check_held(suffix: str, game: str) -> None:
    """Raise `ValueError` if files of a format in `HELD` do not hold the game of a spec; it says which do."""
    name = game.partition("(")[0].strip()
    if name not in HELD[suffix]:
        others = [".jsonl", *(other for other, names in HELD.items() if name in names)]
        raise ValueError(
            f"{suffix[1:].upper()} files hold {', '.join(HELD[suffix])} here, got {game!r}: "
            f"write a {' or '.join(others)} file"
        )
