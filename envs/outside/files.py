"""Files that a user names: checked before the work that fills them, kept for one process, named in errors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

__all__ = ["check_access", "check_new", "check_writable", "lock", "naming"]


def check_writable(path: str | Path) -> None:
    """Raise an `OSError`, in words, if no file can have that name.

    Raises:
        FileNotFoundError: there is no folder to write it in.
        IsADirectoryError: it is a folder itself.
        PermissionError: it, or the folder that it would be made in, cannot be written to.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"cannot save to {path}: it is a folder, expected a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: there is no folder {path.parent}")
    check_access(path, f"cannot save to {path}")


def check_access(path: Path, cannot: str) -> None:
    """Raise an error that begins with ``cannot`` if a file or folder, or what it would be made in, is read-only.

    Raises:
        PermissionError: so it is.
    """
    place = path if path.exists() else path.parent
    if not os.access(place, os.W_OK):
        raise PermissionError(f"{cannot}: {place.absolute()} cannot be written to")


def check_new(path: str | Path) -> None:
    """Raise an `OSError`, in words, if no new file can have that name.

    Raises:
        FileExistsError: there is such a file or folder already.
        FileNotFoundError: there is no folder to write it in.
        PermissionError: that folder cannot be written to.
    """
    if Path(path).exists():
        raise FileExistsError(f"{path} exists already: choose another name, or remove it first")
    check_writable(path)


def lock(file: IO[Any] | int, taken: str) -> None:
    """Keep an open file or folder for this process until it is closed, where the system can do that.

    Raises:
        OSError: another process keeps it. ``taken`` says so.
    """
    try:
        import fcntl
    except ImportError:  # on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(taken) from None
    except OSError:  # a file system without locks
        return


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let an error in writing a file name it: of a full disk the system says no more than that it is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:  # others are told in words
            error.filename = str(path)
        raise
