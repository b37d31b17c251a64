"""A pytest plugin: at the end of a run it says which tests compiled most, since that is what tests take long for.

The fixture ``compiled`` tells one test what it has compiled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from numba.core import dispatcher

from plyground.agents.compiling import Stopwatch

_SHOWN = 20  # tests
_NAME = "seconds of compiling"

_seconds: dict[str, float] = defaultdict(float)  # by test, in the process that reports


_stopwatch = Stopwatch()


@pytest.fixture
def compiled() -> Iterator[list[str]]:
    """Return the names of the kernels that were called with arguments for which they were not compiled yet."""
    names: list[str] = []
    before = dispatcher.Dispatcher._compile_for_args  # pyright: ignore[reportAttributeAccessIssue]

    def compile_for_args(self: Any, *args: Any, **kwargs: Any) -> Any:
        names.append(self.py_func.__name__)
        return before(self, *args, **kwargs)

    with patch.object(dispatcher.Dispatcher, "_compile_for_args", compile_for_args):
        yield names


def pytest_configure(config: pytest.Config) -> None:
    _stopwatch.__enter__()


def pytest_unconfigure(config: pytest.Config) -> None:
    _stopwatch.__exit__()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Hand the seconds on with the test's report, which comes from another process where there are several."""
    report: Any = yield
    seconds, _stopwatch.compiling = _stopwatch.compiling, 0.0
    if seconds > 0:
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
