"""Files that a user names, checked before the work that fills them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["check_new", "check_writable"]


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
