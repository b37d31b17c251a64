"""Which size of a batch is the fastest: each side of a measurement gets its own best."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.speed.harness import Work

__all__ = ["STEPS", "best_batch"]

SIZES = (64, 256, 1024, 4096)
STEPS = 20  # in one piece of work
_SECONDS = 0.3


def best_batch(batch: Callable[[int], Work]) -> Work:
    """Return the work of the size with the highest rate, of `SIZES`."""
    rates: dict[float, Work] = {}
    for size in SIZES:
        work = batch(size)
        work()  # compiles, and spreads the games over all plies a little
        units, start = 0, time.perf_counter()
        while (now := time.perf_counter()) - start < _SECONDS:
            units += work()
        rates[units / (now - start)] = work
    return rates[max(rates)]
