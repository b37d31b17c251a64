"""Programs that others wrote, the tests that need them, and whether processes have ended."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

__all__ = ["ends", "installed", "lives", "needs_gnu_go"]


def installed(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/games")


needs_gnu_go = pytest.mark.skipif(installed("gnugo") is None, reason="needs GNU Go: apt-get install gnugo")


def lives(pid: int) -> bool:
    """Whether a process runs: one that ended and was not waited for does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def ends(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while lives(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not lives(pid)
