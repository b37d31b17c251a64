"""Self-play in processes of its own on this machine, while this process learns."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs import Game
from .actor import Actor, read_turn
from .config import AlphaZeroConfig
from .samples import new_samples
from .self_play import Counts
from .team import PATIENCE, Team

__all__ = ["Actors"]

_PAUSE = 0.02  # seconds


class Actors(Team):
    """Processes that play, started again where one dies.

    Args:
        game: the game.
        config: the configuration.
        net: the net that plays first.
        folder: the run's folder.

    Attributes:
        processes: the processes, by the number of their actor.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, net: Any, folder: Path) -> None:
        super().__init__(game, config, net)
        self.run, self.folder = folder, folder / "actors"
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def prepare(self) -> None:
        """Compile what actors need, and start them."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.publish(self.net)
        Actor(self.config, self.net, 0, num_envs=1).turn()
        for _ in range(self.config.actors):
            self._start()

    def _start(self) -> None:
        number = self._next_number()
        code = f"from {__package__}.actor import act; act()"
        command = [sys.executable, "-c", code, str(self.run), str(number), str(os.getpid())]
        with self._log(number).open("wb") as log:  # a session of its own: Ctrl-C is for the process that learns
            self.processes[number] = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def _log(self, number: int) -> Path:
        return self.folder / f"{number:06d}.log"

    def collect(self) -> tuple[NDArray[Any], Counts]:
        """Return the samples that have come since, if any come within a second, and what was done for them.

        Raises:
            ActorError: one actor after the other ends before it sends anything.
        """
        end = time.perf_counter() + PATIENCE
        while True:
            self._start_again()
            paths = sorted(self.folder.glob("*.turn"))
            if paths or time.perf_counter() > end:
                break
            time.sleep(_PAUSE)
        parts, done = [new_samples(self.game, 0)], Counts()
        for path in paths:
            samples, counts = read_turn(path, self.game)
            parts.append(samples)
            done += counts
            path.unlink()
            self._has_sent()
        return np.concatenate(parts), done

    def _start_again(self) -> None:
        """Start an actor for each that has died."""
        for number, process in list(self.processes.items()):
            status = process.poll()
            if status is None:
                continue
            del self.processes[number]
            self._has_died(self._log(number).read_text(errors="replace"), _ending(status))
            self._start()

    def publish(self, net: Any) -> None:
        """Let the actors play with this net from their next turn on."""
        from ....agents.networks import save_network

        save_network(self.folder / "net.safetensors", net)

    def close(self) -> None:
        """End the actors, and forget what they had not handed over."""
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait()
        self.processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


def _ending(status: int) -> str:
    """Return how a process ended, by what `subprocess` says of it: a signal is a number below 0."""
    if status >= 0:
        return f"ended with exit status {status}"
    known = {one.value: one.name for one in signal.Signals}
    return f"was ended by {known.get(-status, f'signal {-status}')}"
