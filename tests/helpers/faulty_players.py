"""Players that misbehave: tests name them by their place, so that a process of their own loads this file alone."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["FAULTY", "Faulty"]

FAULTY = f"{Path(__file__)}:Faulty"


class Faulty:
    """Plays the first legal action, and misbehaves at one of its moves.

    Args:
        fault: what it does then, a method; nothing for none.
        move: at which of its moves in a game, from 1 on.
        pids: a file for the numbers of its process and of one that it starts at its first move; nothing for none.
    """

    def __init__(self, fault: str = "", move: int = 1, pids: str = "") -> None:
        self.fault, self.move, self.pids = fault, move, pids
        self.moves, self.watched = 0, list[int]()
        self.legal = np.zeros(0, np.intp)

    def reset(self, seed: int | None = None) -> None:
        self.moves = 0
        self.watched.clear()

    def watch(self, action: int) -> None:
        self.watched.append(action)

    def act(self, observation: Any, info: Any) -> Any:
        self.moves += 1
        self.legal = np.flatnonzero(observation["action_mask"])
        if self.pids and self.moves == 1:
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
            Path(self.pids).write_text(f"{os.getpid()} {child.pid}")
        if self.fault and self.moves == self.move:
            return getattr(self, self.fault)()
        return int(self.legal[0])

    def hang(self) -> None:
        ctypes.PyDLL(None).sleep(1000)  # in C, and without letting other threads of Python run

    def exit(self) -> None:
        print("I give up")
        print("out of luck", file=sys.stderr)
        os._exit(7)

    def crash(self) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    def fail(self) -> None:
        raise KeyError("no such move")

    def leave(self) -> None:
        sys.exit(3)

    def nonsense(self) -> float:
        return 3.5

    def illegal(self) -> int:
        return int(next(action for action in range(100) if action not in self.legal))

    def count(self) -> int:
        return len(self.watched)

    def eat(self) -> int:
        return len(bytearray(2**35)) * 0
