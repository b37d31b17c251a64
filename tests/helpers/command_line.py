"""A pytest plugin: the fixture ``run``, by which tests use the command line inside their own process."""

from __future__ import annotations

import sys

import pytest

from plyground.arena.cli import main

__all__ = ["Run"]


class Run:
    """Runs the command line in this process, and returns what it wrote to standard output and to standard error."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch
        monkeypatch.setenv("COLUMNS", "120")

    def __call__(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        self._monkeypatch.setattr(sys, "argv", ["plyground", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        output = self._capsys.readouterr()
        assert (exit_.value.code or 0) == code, output
        return output.out, output.err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return the command line of this process, as wide as 120 characters."""
    return Run(capsys, monkeypatch)
