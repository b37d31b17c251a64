"""Files that are there as a whole, whatever kills the process that writes them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..envs.outside.files import naming

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
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
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
