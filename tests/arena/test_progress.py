"""What a progress bar says."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from rich.console import Console

from plyground.arena import bars
from plyground.arena.progress import watch_with_progress

WAIT = 0.25  # seconds, at least, before the first item


@pytest.mark.parametrize(("new", "done"), [(40, 0), (10, 990)])
def test_the_rate_is_that_since_the_beginning(new: int, done: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Items by the bundle, as from other processes, come in no time; what was done before is no part of the rate."""

    def items() -> Iterator[int]:
        time.sleep(WAIT)
        yield from range(new)

    total = done + new
    assert not watch_with_progress(items(), total, "counting", "numbers", lambda item: None, done=done)
    said = capsys.readouterr().err
    found = re.search(rf"{total}/{total} ([\d.e+]+)/s", said)
    assert found is not None, said
    assert float(found[1]) <= new / WAIT


@pytest.mark.parametrize(("apart", "lines"), [(0.0, 4), (60.0, 1)])
def test_a_log_has_a_line_now_and_then(
    apart: float, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rich shows nothing before the end where it cannot draw over a bar: a log would be empty for hours."""
    monkeypatch.setattr(bars, "_APART", apart)
    watch_with_progress(iter(range(3)), 3, "counting", "numbers", lambda item: None)
    said = capsys.readouterr().err
    assert re.findall(r"(\d)/3", said) == ["1", "2", "3", "3"][-lines:]
    with bars.status(Console(stderr=True, markup=False), "counting …") as tell:
        for number in range(3):
            tell(f"[{number}] of 3")
    assert capsys.readouterr().err == ("[0] of 3\n[1] of 3\n[2] of 3\n" if lines > 1 else "")
