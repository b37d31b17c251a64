"""A pytest plugin: at the end of a run it says which tests compiled most, since that is what tests take long for."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from numba.core import event

_SHOWN = 20  # tests
_NAME = "seconds of compiling"

_seconds: dict[str, float] = defaultdict(float)  # by test, in the process that reports


class _Stopwatch(event.Listener):
    """Adds up the time that Numba compiles in this process. Functions that others call are part of their time."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._start = 0.0, 0, 0.0

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._start = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._start

    def taken(self) -> float:
        """Return the seconds since the last call."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds


_stopwatch = _Stopwatch()


def pytest_configure(config: pytest.Config) -> None:
    event.register("numba:compile", _stopwatch)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Hand the seconds on with the test's report, which comes from another process where there are several."""
    report: Any = yield
    if (seconds := _stopwatch.taken()) > 0:
        report.user_properties = [*report.user_properties, (_NAME, seconds)]  # not the item's, which all phases share
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    properties: Any = report.user_properties
    _seconds[report.nodeid] += sum(seconds for name, seconds in properties if name == _NAME)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    total = sum(_seconds.values())
    if total < 1:
        return
    terminalreporter.section(f"compiled for {total:.0f} s, most of it for")
    longest = sorted(_seconds.items(), key=lambda item: -item[1])
    for name, seconds in longest[:_SHOWN]:
        terminalreporter.line(f"{seconds:6.1f} s  {name}")
