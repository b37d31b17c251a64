"""Self-play in processes of its own on this machine, while this process learns."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs import Game
from .actor import Actor, read_turn
from .config import AlphaZeroConfig
from .samples import new_samples
from .sources import Counts

__all__ = ["Actors"]

_PATIENCE = 1.0  # seconds to wait for samples, before the run looks at its limits again
_PAUSE = 0.02  # seconds
_FAILURES = 3  # actors in a row that may end before any sends samples


class Actors:
    """Processes that play, started again where one dies.

    Their samples come in no order that could be repeated: such a run goes on, but not bit by bit.

    Args:
        game: the game.
        config: the configuration.
        net: the net that plays first.
        folder: the run's folder.

    Attributes:
        processes: the processes, by the number of their actor.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, net: Any, folder: Path) -> None:
        self.game, self.config, self.net, self.run = game, config, net, folder
        self.folder = folder / "actors"
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self._started = 0  # actors that the run ever had
        self._failures = 0

    def prepare(self) -> None:
        """Compile what actors need, and start them."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.publish(self.net)
        Actor(self.config, self.net, 0, num_envs=1).turn()
        for _ in range(self.config.actors):
            self._start()

    def _start(self) -> None:
        self._started += 1
        number = self._started
        command = [sys.executable, "-c", f"from {__package__}.actor import act; act()", str(self.run), str(number)]
        with self._log(number).open("wb") as log:  # a session of its own: Ctrl-C is for the process that learns
            self.processes[number] = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def _log(self, number: int) -> Path:
        return self.folder / f"{number:06d}.log"

    def collect(self) -> tuple[NDArray[Any], Counts]:
        """Return the samples that have come since, if any come within a second, and what was done for them.

        Raises:
            RuntimeError: one actor after the other ends before it sends anything.
        """
        end = time.perf_counter() + _PATIENCE
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
            self._failures = 0
        return np.concatenate(parts), done

    def _start_again(self) -> None:
        """Start an actor for each that has died."""
        for number, process in list(self.processes.items()):
            if process.poll() is None:
                continue
            del self.processes[number]
            self._failures += 1
            if self._failures >= _FAILURES * self.config.actors:
                said = self._log(number).read_text(errors="replace").strip().splitlines()
                last = said[-1] if said else "nothing"
                raise RuntimeError(f"actors end before they send samples; the last one said: {last}")
            self._start()

    def publish(self, net: Any) -> None:
        """Let the actors play with this net from their next turn on."""
        from ....agents.networks import save_network

        save_network(self.folder / "net.safetensors", net)

    def state_dict(self) -> dict[str, Any]:
        """Return what the actors of the next session must not repeat."""
        return {"started": self._started}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let actors play other games than those before."""
        self._started = int(state["started"])

    def close(self) -> None:
        """End the actors, and forget what they had not handed over."""
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait()
        self.processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)
