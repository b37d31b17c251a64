"""Two ways of doing the same work, timed in turns: only their ratio travels from one machine to another.

Both sides are warmed up first, which compiles what there is to compile. Then short rounds alternate between them, so
that a noisy neighbour or a clock that changes its speed meets both. A side's rate is that of its best round, because
whatever else the machine does can only slow a round down.
"""

from __future__ import annotations

import gc
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["Measurement", "Result", "Work", "describe_machine", "measure"]

Work = Callable[[], int]  # does one piece of work, a fraction of a second, and returns how many units that was

PACKAGES = ("plyground", "numba", "numpy", "pettingzoo", "open_spiel", "pgx", "jax")


@dataclass(frozen=True)
class Measurement:
    """What is compared.

    Attributes:
        game: what is played.
        name: what is done.
        unit: what is counted, by the second.
        ours: sets our side up and returns its work; raises `ImportError` where it lacks a library.
        peer: the same for the other side; raises `ModuleNotFoundError` where that is not installed.
        peer_name: who the other side is.
        aim: the ratio, ours to theirs, that we want at least; None where no ratio is promised.
    """

    game: str
    name: str
    unit: str
    ours: Callable[[], Work]
    peer: Callable[[], Work]
    peer_name: str
    aim: float | None = None


@dataclass(frozen=True)
class Result:
    """What was measured: the rates, in units per second, round by round; ``theirs`` is empty without the peer."""

    measurement: Measurement
    ours: list[float]
    theirs: list[float]

    @property
    def our_rate(self) -> float:
        """That of our best round."""
        return max(self.ours)

    @property
    def peer_rate(self) -> float | None:
        """That of the peer's best round; None where it is not installed."""
        return max(self.theirs, default=None)

    @property
    def ratio(self) -> float | None:
        """How many times as fast we are; None where the peer is not installed."""
        return None if self.peer_rate is None else self.our_rate / self.peer_rate


def measure(measurement: Measurement, rounds: int, seconds: float) -> Result:
    """Time both sides in turns, ``rounds`` times ``seconds`` each, and at least one piece of work a round.

    Raises:
        ImportError: our side lacks a library.
    """
    ours = measurement.ours()
    try:
        theirs = measurement.peer()
    except ModuleNotFoundError:
        theirs = None
    sides = [side for side in (ours, theirs) if side is not None]
    for work in sides:
        work()
    rates: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for work, own_rates in zip(sides, rates, strict=True):
            own_rates.append(_rate(work, seconds))
    return Result(measurement, rates[0], rates[1] if theirs is not None else [])


def _rate(work: Work, seconds: float) -> float:
    gc.collect()  # nobody pays for the other side's garbage
    units = 0
    start = now = time.perf_counter()
    while now - start < seconds:
        units += work()
        now = time.perf_counter()
    return units / (now - start)


def describe_machine() -> dict[str, str | None]:
    """Return what the numbers depend on: the processor, Python, and the versions (None: not installed)."""
    return {"cpu": _cpu_name(), "python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")  # where Linux says it; platform.processor() is empty there
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
