"""Files of runs that are there as a whole, whatever kills the process that writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["naming", "write_file", "write_whole"]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error in writing a file name it: of a full disk the system says no more than that it is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_file(path: Path, content: bytes | memoryview) -> None:
    """Write a file; an error names it."""
    with naming(path):
        path.write_bytes(content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, after a crash at any moment, it is there as a whole, or as it was before."""
    partial = path.with_name(f"{path.name}.partial")
    with naming(partial), partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
