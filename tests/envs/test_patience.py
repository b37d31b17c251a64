"""What is asked seldom runs as plain Python, and is compiled once that has taken long."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from plyground.envs import connect_four, tictactoe
from plyground.envs.jit import Patience, PlainFirst, patience


class Ways:
    """Stands for a kernel, and notes how it is called."""

    def __init__(self) -> None:
        self.called: list[tuple[str, str]] = []

    def __call__(self, game: Any, number: int) -> int:
        self.called.append(("compiled", game.name))
        return number

    def py_func(self, game: Any, number: int) -> int:
        self.called.append(("plain", game.name))
        return number


def test_time_that_was_taken_is_not_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 10.2, 20.0, 20.3])
    monkeypatch.setattr(patience.time, "perf_counter", lambda: next(clock))
    left = Patience()
    assert left.seconds == 0.25
    assert left.plain(max, 3, 4) == 4
    assert left.seconds == pytest.approx(0.05)
    with pytest.raises(KeyError):
        left.plain({}.__getitem__, "a")
    assert left.seconds == pytest.approx(-0.25)


def test_numbers_may_overflow_as_in_compiled_code() -> None:
    most, one = np.int32(2**31 - 1), np.int32(1)
    with np.errstate(all="raise"):
        assert Patience().plain(operator.add, most, one) == -(2**31)
        with pytest.raises(FloatingPointError):
            _ = most + one


def test_each_game_is_compiled_when_plain_python_has_taken_its_time() -> None:
    ways, small, large = Ways(), tictactoe(), connect_four()
    first = PlainFirst(ways)
    assert [first(small, 7), first(large, 8)] == [7, 8]
    first._patience[small.numba_type].seconds = 0.0
    assert [first(small, 1), first(large, 2), first(tictactoe(), 3)] == [1, 2, 3]
    plain, compiled = ("plain", "connect_four"), ("compiled", "tictactoe")  # whichever object of the game it is
    assert ways.called == [("plain", "tictactoe"), plain, compiled, plain, compiled]
