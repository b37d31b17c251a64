"""GNU Go, told to play by our rules: ``gnugo(level=10)`` in place of a command line that nobody remembers."""

from __future__ import annotations

from pathlib import Path

from ...envs import Game, as_game
from ...envs.outside.arguments import checked_whole
from .agent import Engine
from .process import located

__all__ = ["gnugo", "gnugo_command"]

_LEVELS = 10
_KO = {"positional": "--positional-superko", "situational": "--situational-superko", "simple": "--simple-ko"}


def gnugo(game: Game | str, level: int = _LEVELS, answer_seconds: float = 60.0) -> Engine:
    """GNU Go, told to play by our rules. It must be installed, as by ``apt-get install gnugo``.

    The level says how far it reads, and no clock does: with the same seed it plays the same moves on any machine. It
    takes dead stones off the board before it passes, since our rules count every stone that stands there.

    Args:
        game: Go, or its spec.
        level: 1 to 10, the strongest.
        answer_seconds: how long it may take for an answer.

    Raises:
        ValueError: the game is not Go, or a number is out of range.
        FileNotFoundError: GNU Go is not installed.
    """
    game = as_game(game)
    if game.name != "go":
        raise ValueError(f"GNU Go plays Go, got {game.spec}")
    command = gnugo_command(game, checked_whole("level", level, 1, _LEVELS))
    if not Path(located(command)[0]).is_file():
        raise FileNotFoundError("GNU Go is not installed: apt-get install gnugo, or brew install gnu-go")
    return Engine(game, command, answer_seconds=answer_seconds)


def gnugo_command(game: Game, level: int) -> str:
    """Return the command by which GNU Go plays by the rules of this game of Go."""
    rules = f"--chinese-rules {_KO[game.parameters['superko']]} --forbid-suicide --capture-all-dead"
    return f"gnugo --mode gtp {rules} --level {level}"
