"""Files that are there as a whole, whatever kills the process that writes them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .files import naming

__all__ = ["sync", "write_whole"]


def write_whole(path: Path, content: bytes | memoryview) -> None:
    """Write a file so that, after a crash at any moment, it is there as a whole, or as it was before.

    An error leaves nothing else behind, nor does Ctrl-C; a crash may leave what was written, beside it.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        with naming(path), partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        with suppress(OSError):  # the error that there was tells more
            partial.unlink()
        raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Bring a file to the disk, or the names in a folder, so that a loss of power does not undo what comes before it.

    On Windows folders stay as they are: there they cannot be opened.
    """
    if os.name != "posix" and path.is_dir():
        return
    with naming(path):
        opened = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
