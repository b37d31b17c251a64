"""Programs that others wrote, and the tests that need them."""

from __future__ import annotations

import shutil

import pytest

__all__ = ["installed", "needs_gnu_go"]


def installed(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/games")


needs_gnu_go = pytest.mark.skipif(installed("gnugo") is None, reason="needs GNU Go: apt-get install gnugo")
