"""The Go Text Protocol, version 2: commands to a program, and its answers.

Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2" (2002).
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ...envs import Game
from .process import EngineError, EngineProcess

__all__ = ["LETTERS", "GTPClient", "GTPRefusalError", "vertices_of"]

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # of columns, from the left: no I

_ANSWER = re.compile(r"([=?])(\d*)\s*(.*)")
_SHOWN = 100  # signs of an answer in a message
_PATIENCE = 5.0  # seconds after which it is told that a program has not answered its first command
_LOG = logging.getLogger("plyground")


class GTPRefusalError(EngineError):
    """The program knows the command, or not, and does not do it."""


class GTPClient:
    """A program that speaks GTP. It is started when it is first asked.

    Each command has a number, which comes back with its answer: one that comes late is known for what it is. What a
    program writes between answers is passed over.

    Args:
        command: the program and its arguments, as a list or as in a shell.
        answer_seconds: time for each answer.
    """

    def __init__(self, command: str | Sequence[str], answer_seconds: float = 60.0) -> None:
        self.command, self.answer_seconds = command, answer_seconds
        self._process: EngineProcess | None = None
        self._number = 0

    @property
    def process(self) -> EngineProcess:
        """The program, which is started if it is not there.

        Raises:
            EngineError: it cannot be started.
        """
        if self._process is None:
            self._process = EngineProcess(self.command)
        return self._process

    @property
    def is_running(self) -> bool:
        """Whether the program was started, and has not ended."""
        return self._process is not None and self._process.is_running

    def ask(self, command: str, seconds: float | None = None) -> str:
        """Send a command and return the answer, without the sign and the number in front of it.

        Args:
            command: the command and its arguments.
            seconds: time for the answer, if not that of all.

        Raises:
            GTPRefusalError: the program refuses the command.
            EngineError: it cannot be started, has ended, or says nothing in time; then it is ended, and the next
                command starts it anew.
        """
        try:
            return self._ask(command, self.answer_seconds if seconds is None else seconds)
        except GTPRefusalError:
            raise
        except BaseException:  # Ctrl-C, too: what it says now would answer no question
            self.close()
            raise

    def _ask(self, command: str, seconds: float) -> str:
        process, deadline = self.process, time.monotonic() + seconds
        self._number += 1
        # Who says nothing at first may be no engine, or load its weights; later they think.
        told = time.monotonic() + _PATIENCE if self._number == 1 else deadline
        process.write(f"{self._number} {command}")
        answer: list[str] = []
        sign = ""
        other = ""  # the last line that was no answer
        while True:
            try:
                line = process.read(min(told, deadline))
            except EngineError as error:
                raise EngineError(f"{error} (when it was asked to {command!r})") from None
            is_late = time.monotonic() >= deadline
            if line is None and not is_late:
                _LOG.info("%s has not answered %r yet; it has %g s", process.name, command, seconds)
                told = deadline
                continue
            if line is None or (is_late and (line or not answer)):  # only the end of an answer counts now
                said = f"; it said {other[:_SHOWN]!r}" if other else ""
                errors = process.errors.in_words
                raise EngineError(f"{process.name} did not answer {command!r} in {seconds:g} s{said}{errors}")
            if not answer:
                begin = _ANSWER.fullmatch(line)
                if begin is None or begin[2] != str(self._number):
                    other = line or other
                    continue
                sign, text = begin[1], begin[3]
                answer.append(text)
            elif line:
                answer.append(line)
            else:  # an empty line ends an answer
                break
        if sign == "?":
            raise GTPRefusalError(f"{process.name} refuses {command!r}: {' '.join(answer)[:_SHOWN]}")
        return "\n".join(answer)

    def knows(self, command: str) -> bool:
        """Return whether the program has this command."""
        return self.ask(f"known_command {command}").strip().lower() == "true"

    def close(self) -> None:
        """End the program, if it is there."""
        process, self._process = self._process, None
        if process is not None:
            if process.is_running:
                with suppress(EngineError):
                    process.write("quit")
            process.close()

    def __enter__(self) -> GTPClient:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_process": None}


def vertices_of(game: Game) -> list[str]:
    """Return the names of a game's actions as GTP has them, in capitals: a letter and a number, or ``PASS``."""
    names = [game.action_to_str(action).upper() for action in range(game.num_actions)]
    if game.name != "gomoku":
        return names  # Othello ends at H, and Go has no I
    return [LETTERS[ord(name[0]) - ord("A")] + name[1:] for name in names]
