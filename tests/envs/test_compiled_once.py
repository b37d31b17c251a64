"""What a kernel reaches by several ways is compiled once for the same types: users wait for the compiler."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import njit

from plyground.envs import checkers
from plyground.envs.jit import helper
from plyground.envs.jit.linked import KernelCompiler


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The names of the functions that are compiled, with how often each is."""
    counts: Counter[str] = Counter()
    before = KernelCompiler.compile_extra

    def counted(self: KernelCompiler, func: Any) -> Any:
        counts[func.__name__] += 1
        return before(self, func)

    monkeypatch.setattr(KernelCompiler, "compile_extra", counted)
    return counts


def _kernel(function: Any) -> Any:
    """Compile as `kernel` does, but keep nothing on disk, where it would be found the next time."""
    options: dict[str, Any] = {"_nrt": False, "pipeline_class": KernelCompiler}
    return njit(nogil=True, error_model="numpy", **options)(function)


@pytest.mark.parametrize("options", [{}, {"forceinline": True, "alone": True}])
def test_a_helper_that_a_kernel_and_another_helper_call(compiled: Counter[str], options: dict[str, Any]) -> None:
    """Numba hands options on to what is called; one that is inlined alone keeps its own."""

    @helper
    def shared(values: Any) -> Any:
        return values[0] + 1.0

    @helper(**options)
    def between(values: Any) -> Any:
        return shared(values) * 2.0

    @_kernel
    def both_ways(values: Any) -> Any:
        return shared(values) + between(values)

    assert both_ways(np.ones(1)) == 6.0
    assert compiled == {"both_ways": 1, "shared": 1, "between": 1}


def test_rules_that_make_up_another_one(compiled: Counter[str]) -> None:
    """In checkers nobody wrote ``keys_after``: it lists, plays and reads by the game's other rules."""
    born = time.time_ns()  # so that nothing of this game has been compiled yet
    game = checkers().replace(is_valid=lambda state: born > 0)

    @_kernel
    def plays(game: Any, states: Any, actions: Any, keys: Any) -> Any:
        game.play(states[0], np.int64(actions[game.legal_actions(states[0], actions) - 1]))
        keys[0] = game.repetition_key(states[0])
        return game.keys_after(states[0], actions, keys, states[1:])

    states, actions, keys = np.zeros(2, game.dtype), np.zeros(game.num_actions, np.int32), np.zeros(64, np.uint64)
    states[0] = game.new_state()
    assert plays(game, states, actions, keys) == 7
    assert {name: compiled[name] for name in ("legal_actions", "play", "repetition_key", "keys_after")} == {
        "legal_actions": 1,
        "play": 1,
        "repetition_key": 1,
        "keys_after": 1,
    }
