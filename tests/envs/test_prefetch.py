"""Memory that is asked for before it is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import config, njit

from plyground.envs.jit import kernel, prefetch


@kernel
def _second(array, index):
    prefetch(array, index)
    return array[index]["second"]


def test_what_is_fetched_is_read_as_before() -> None:
    array = np.zeros(9, np.dtype([("first", "i8"), ("second", "i4")], align=True))
    array["second"] = range(9)
    before = array.copy()
    assert [_second(array, index) for index in (0, 8, np.uint64(3))] == [0, 8, 3]
    assert (array == before).all()


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")  # pyright: ignore[reportAttributeAccessIssue]
def test_it_is_asked_for_in_compiled_code() -> None:
    compiled: Any = njit(getattr(_second, "py_func"))  # noqa: B009 - what is found on disk cannot be looked into
    compiled(np.zeros(1, np.dtype([("second", "i4")])), 0)
    assert any("llvm.prefetch" in code for code in compiled.inspect_llvm().values())
