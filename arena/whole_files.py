"""Files that are there as a whole, whatever kills the process that writes them."""

from __future__ import annotations

import os
from pathlib import Path

from ..envs.outside.files import naming

__all__ = ["write_whole"]


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
