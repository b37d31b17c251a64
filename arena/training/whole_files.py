"""Folders of runs, of one process at a time, and what is in them."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...envs.outside.files import lock, naming

__all__ = ["alone_in", "check_free", "is_whole_zip", "write_file"]


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder, if it is not there, and keep it for this process, where the system can do that.

    Raises:
        OSError: another process keeps it.
    """
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        if os.name == "posix":  # Windows opens no folders
            held = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, held)
            lock(held, f"another process trains in {str(folder)!r}: wait until it has ended, or choose another folder")
        yield


def check_free(folder: Path, names: Iterable[str]) -> None:
    """Check that nothing has one of these names, under which a run replaces and removes what is in its folder.

    Raises:
        FileExistsError: a file has, or a folder that is not empty, but for what was not written to its end.
    """
    for path in (folder / name for name in names):
        if path.is_file() or (path.is_dir() and any(one.suffix != ".partial" for one in path.iterdir())):
            raise FileExistsError(
                f"{str(path)!r} is there already, where a run would keep its own: choose another folder for the run"
            )


def write_file(path: Path, content: bytes | memoryview) -> None:
    """Write a file; an error names it."""
    with naming(path):
        path.write_bytes(content)


def is_whole_zip(path: Path, member: str | None = None) -> bool:
    """Return whether a file is a zip that can be read to its end.

    Args:
        path: the file.
        member: what must be in it. Where a zip that holds others is cut off, the last of these is read in its place.
    """
    try:
        with zipfile.ZipFile(path) as file:
            return file.testzip() is None and (member is None or member in file.namelist())
    except Exception:  # where bytes are wrong, zipfile raises errors of many kinds
        return False
