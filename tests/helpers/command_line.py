"""A pytest plugin: the fixture ``run``, by which tests use the command line inside their own process."""

from __future__ import annotations

import sys

import pytest
from rich.console import Console

from plyground.arena.cli import main

__all__ = ["Run"]

_WIDTH = 120  # characters


class Run:
    """Runs the command line in this process, and returns what it wrote to standard output and to standard error."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch
        self.resize(_WIDTH)

    def resize(self, width: int) -> None:
        """Make the terminal so many characters wide."""
        self._monkeypatch.setenv("COLUMNS", str(width))
        modules = [module for name, module in sys.modules.items() if name.startswith("plyground.arena")]
        for one in [one for module in modules for one in vars(module).values() if isinstance(one, Console)]:
            self._monkeypatch.setattr(one, "_width", width)  # one that was made before does not look again

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
