"""A program that speaks the Go Text Protocol, version 2, as a player: GNU Go, for one.

The program is a process of its own. It is told of each move, and asked for its own (``genmove``). A move that it
refuses, or that our rules do not allow, is a `DisagreementError`: the two have other ideas of the game. A resignation
is no move: the agent passes from then on, and `GTPAgent.resigned` tells why.

Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Sequence

from benchmarks.following import moves_between
from plyground.agents.agent import Info, Observation, legal_mask, state_of
from plyground.envs import Game, State, as_game

__all__ = ["DisagreementError", "GTPAgent", "GTPError", "GTPProcess", "GTPRefusalError"]

COLOURS = ("black", "white")
LAST_SECONDS = 1.0  # that a program has to end after ``quit``


class GTPError(RuntimeError):
    """The program refuses a command, has ended, or does not answer in time."""


class GTPRefusalError(GTPError):
    """The program knows the command, or not, and does not do it."""


class DisagreementError(GTPError):
    """The program and our rules disagree about a move."""


class GTPProcess:
    """A running program, and one answer to each command.

    Args:
        command: the program and its arguments, as a list or as in a shell.
        seconds: time for each answer.

    Raises:
        GTPError: the program cannot be started.
    """

    def __init__(self, command: str | Sequence[str], seconds: float = 60) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        self.seconds = seconds
        try:
            # A session of its own, so that its children can be killed with it.
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                bufsize=1,
                start_new_session=True,
            )
        except OSError as error:
            raise GTPError(f"cannot start {shlex.join(self.command)!r}: {error}") from None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip())
        self._lines.put(None)

    def ask(self, command: str) -> str:
        """Send a command and return the answer, without the sign in front of it.

        Raises:
            GTPRefusalError: the program refuses the command.
            GTPError: it has ended, or says nothing in time; after that it is killed, since a late answer would be taken
                for that to the next command.
        """
        assert self._process.stdin is not None
        deadline = time.monotonic() + self.seconds
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise GTPError(f"{self.command[0]} has ended, and cannot be asked to {command!r}") from None
        answer: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0))
            except queue.Empty:
                self.close()
                raise GTPError(f"{self.command[0]} did not answer {command!r} in {self.seconds:g} s") from None
            if line is None:
                self._lines.put(None)  # for whoever asks next
                raise GTPError(f"{self.command[0]} ended when it was asked to {command!r}")
            if line:
                answer.append(line)
            elif answer:  # an empty line ends an answer
                break
        text = "\n".join([answer[0][1:].strip(), *answer[1:]])
        if not answer[0].startswith("="):
            raise GTPRefusalError(f"{self.command[0]} refuses {command!r}: {text}")
        return text

    def close(self) -> None:
        """End the program, and whatever it has started."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if self._process.poll() is None:
            with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
                self._process.stdin.write("quit\n")
                self._process.stdin.close()
                self._process.wait(LAST_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody of its session is left
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(LAST_SECONDS)
        if not self._reader.is_alive():  # closing what is being read would wait for it
            self._process.stdout.close()
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def __enter__(self) -> GTPProcess:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class GTPAgent:
    """A program as a player of Go. It is told of the moves that lead from one position that it is shown to the next.

    Args:
        game: Go, or its spec.
        process: the program. It is told the board's size and the komi.

    Attributes:
        resigned: whether it gave up in this game; it passes from then on.

    Raises:
        ValueError: the game is not Go.
        GTPError: the program plays no such board.
    """

    def __init__(self, game: Game | str, process: GTPProcess) -> None:
        self.game = as_game(game)
        if self.game.name != "go":
            raise ValueError(f"programs that speak GTP play go here, got {self.game.spec}")
        self.process = process
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Begin a game. With a seed, start the program's random numbers anew, if it is GNU Go, which lets one."""
        if seed is not None and self.process.ask("known_command set_random_seed") == "true":
            self.process.ask(f"set_random_seed {seed % 2**31}")
        self.process.ask(f"boardsize {self.game.observation_shape[0]}")
        self.process.ask("clear_board")
        self.process.ask(f"komi {self.game.parameters['komi']:g}")
        self.state: State = self.game.new_state()
        self.resigned = False

    def follow(self, target: State) -> None:
        """Tell the program of the moves, on both sides, that lead from the last position to ``target``.

        Raises:
            ValueError: there are none.
            DisagreementError: the program takes one for illegal.
        """
        for action in moves_between(self.game, self.state, target):
            self.tell(action)

    def tell(self, action: int) -> None:
        """Tell the program of a move that comes next.

        Raises:
            DisagreementError: the program takes it for illegal.
        """
        name = self.game.action_to_str(action)
        try:
            self.process.ask(f"play {self._colour()} {name}")
        except GTPRefusalError as error:
            raise DisagreementError(f"our rules allow {name}: {error}\n{self.game.text(self.state)}") from None
        self.game.play(self.state, action)

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the program's move, which it has then played on its own board.

        Raises:
            ValueError: no moves lead from the last position to this one.
            DisagreementError: the program takes one of these for illegal, or its own move is illegal by our rules.
        """
        self.follow(state_of(self.game, observation, info))
        name = "pass"
        if not self.resigned:
            answer = self.process.ask(f"genmove {self._colour()}")
            self.resigned = answer.lower() == "resign"
            name = name if self.resigned or answer.lower() == name else answer.upper()
        if self.resigned:
            self.process.ask(f"play {self._colour()} pass")
        try:
            action = self.game.str_to_action(name)
        except ValueError as error:
            raise DisagreementError(f"{self.process.command[0]} plays {name!r}: {error}") from None
        if not legal_mask(observation, info)[action]:
            board = self.game.text(self.state)
            raise DisagreementError(
                f"{self.process.command[0]} plays {name}, which is illegal by our rules in\n{board}"
            )
        self.game.play(self.state, action)
        return action

    def _colour(self) -> str:
        return COLOURS[self.game.player(self.state)]
