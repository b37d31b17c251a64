"""Atomic operations: by hand in one thread, and with several threads at the same element."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError

from plyground.agents.mcts import atomic
from plyground.agents.mcts.atomic import compare_and_swap, fetch_add, load, store
from plyground.envs.jit import kernel
from plyground.envs.jit.digest import digest

THREADS = 4
TIMES = 200_000


@kernel
def _each(array, index, value, new):
    before = fetch_add(array, index, value)
    middle = load(array, index)
    store(array, index, new)
    return before, middle


@kernel
def _swap(array, index, expected, new):
    return compare_and_swap(array, index, expected, new)


@kernel
def _add(array, value, times):
    for _ in range(times):
        fetch_add(array, 1, value)


@kernel
def _count_by_swaps(array, times):
    for _ in range(times):
        seen = load(array, 0)
        while not compare_and_swap(array, 0, seen, seen + 1):
            seen = load(array, 0)


@kernel
def _locked_add(lock, plain, times):
    """Add to ``plain`` without atomic operations, which is right only while the lock is held by one thread."""
    for _ in range(times):
        while not compare_and_swap(lock, 0, 0, 1):
            pass
        plain[0] += 1
        plain[1] = plain[1] * 3 + 1
        store(lock, 0, 0)


@kernel
def _send(data, flag, rounds):
    for i in range(1, rounds + 1):
        while load(flag, 0) != 0:
            pass
        data[:] = i
        store(flag, 0, i)


@kernel
def _receive(data, flag, rounds):
    wrong = 0
    for i in range(1, rounds + 1):
        while load(flag, 0) != i:
            pass
        for value in data:
            wrong += value != i
        store(flag, 0, 0)
    return wrong


def _together(function: Callable[..., Any], *arguments: Any) -> None:
    function(*arguments[:-1], 0)  # compiled before the threads start
    with ThreadPoolExecutor(THREADS) as pool:
        for run in [pool.submit(function, *arguments) for _ in range(THREADS)]:
            run.result()


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8", "f8"])
class TestEachType:
    def test_by_hand(self, dtype: str) -> None:
        array = np.array([1, 2, 3], dtype)
        assert _each(array, 1, 5, 9) == (2, 7)
        assert array.tolist() == [1, 9, 3]
        assert _each(array, np.int32(2), 1, 0) == (3, 4)

    def test_no_addition_is_lost(self, dtype: str) -> None:
        array = np.zeros(3, dtype)
        _together(_add, array, 3, TIMES)
        assert array.tolist() == [0, 3 * THREADS * TIMES, 0]


def test_numbers_below_zero_and_fractions() -> None:
    whole, half = np.array([5], np.int32), np.array([0.5])
    assert _each(whole, 0, -7, -1) == (5, -2)
    assert whole[0] == -1
    assert _each(half, 0, -0.75, 0.125) == (0.5, -0.25)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
def test_swaps(dtype: str) -> None:
    array = np.array([4, 7], dtype)
    assert not _swap(array, 1, 6, 8)
    assert array.tolist() == [4, 7]
    assert _swap(array, 1, 7, 8)
    assert array.tolist() == [4, 8]


def test_no_swap_is_lost() -> None:
    array = np.zeros(1, np.int64)
    _together(_count_by_swaps, array, TIMES)
    assert array[0] == THREADS * TIMES


def test_a_lock_guards_what_is_not_atomic() -> None:
    lock, plain = np.zeros(1, np.int32), np.zeros(2, np.int64)
    _together(_locked_add, lock, plain, 20_000)
    expected = 0
    for _ in range(THREADS * 20_000):
        expected = (expected * 3 + 1) % 2**64
    assert plain.tolist() == [THREADS * 20_000, expected - 2**64 if expected >= 2**63 else expected]
    assert lock[0] == 0


def test_what_was_written_before_a_store_is_seen_after_the_load() -> None:
    data, flag, rounds = np.zeros(64, np.int64), np.zeros(1, np.int64), 300
    with ThreadPoolExecutor(2) as pool:
        sent, wrong = pool.submit(_send, data, flag, rounds), pool.submit(_receive, data, flag, rounds)
        sent.result()
        assert wrong.result() == 0


def test_wrong_arrays_are_named() -> None:
    for array in (np.zeros(2, np.int16), np.zeros(2, np.float32), np.zeros((2, 2)), np.zeros(4)[::2]):
        with pytest.raises(TypingError, match="expected a contiguous writable array of int32"):
            _add(array, 1, 1)
    with pytest.raises(TypingError, match="expected a contiguous writable array of int32"):
        _swap(np.zeros(2), 0, 0, 1)


def test_the_digest_of_a_kernel_sees_the_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(_add)
    monkeypatch.setattr(atomic._fetch_add, "py_func", lambda typing, array, index, value: None)
    assert digest(_add) != before


PLAIN = """
import numpy as np
from plyground.agents.mcts.atomic import compare_and_swap, fetch_add, load, store
array = np.array([1.0, 2.0])
assert fetch_add(array, 1, 0.5) == 2 and load(array, 1) == 2.5
store(array, 0, 4)
assert compare_and_swap(array, 0, 4, 5) and not compare_and_swap(array, 0, 4, 6)
assert array.tolist() == [5, 2.5]
"""


def test_plain_python_does_the_same() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run([sys.executable, "-c", PLAIN], capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
