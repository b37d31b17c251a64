"""What a progress bar says."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from plyground.arena.progress import watch_with_progress


def test_the_rate_is_that_since_the_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    """Where items come by the bundle, as from other processes, the time between the items of one says nothing."""
    before = 0.25  # seconds, at least

    def items() -> Iterator[int]:
        time.sleep(before)
        yield from range(40)

    assert not watch_with_progress(items(), 40, "counting", "numbers", lambda item: None, done=0)
    said = capsys.readouterr().err
    found = re.search(r"40/40 ([\d.e+]+)/s", said)
    assert found is not None, said
    assert float(found[1]) <= 40 / before


def test_what_was_done_before_is_counted_and_is_no_part_of_the_rate(capsys: pytest.CaptureFixture[str]) -> None:
    before = 0.25

    def items() -> Iterator[int]:
        time.sleep(before)
        yield from range(10)

    assert not watch_with_progress(items(), 1000, "counting", "numbers", lambda item: None, done=990)
    said = capsys.readouterr().err
    found = re.search(r"1000/1000 ([\d.e+]+)/s", said)
    assert found is not None, said
    assert float(found[1]) <= 10 / before
