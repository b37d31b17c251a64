"""Files that a user names: checked before the work that fills them, and named where they cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["check_new", "check_writable", "naming"]


def check_writable(path: str | Path) -> None:
    """Raise an `OSError`, in words, if no file can have that name.

    Raises:
        FileNotFoundError: there is no folder to write it in.
        IsADirectoryError: it is a folder itself.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"cannot save to {path}: it is a folder, expected a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: there is no folder {path.parent}")


def check_new(path: str | Path) -> None:
    """Raise an `OSError`, in words, if no new file can have that name.

    Raises:
        FileExistsError: there is such a file or folder already.
        FileNotFoundError: there is no folder to write it in.
    """
    if Path(path).exists():
        raise FileExistsError(f"{path} exists already: choose another name, or remove it first")
    check_writable(path)


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let an error in writing a file name it: of a full disk the system says no more than that it is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:  # others are told in words
            error.filename = str(path)
        raise
