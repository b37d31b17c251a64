"""Random numbers inside kernels: SplitMix64, with its whole state in one element of an array.

``rng`` is an array of one ``uint64``, made by `new_rng` and advanced in place. The same seed gives the same numbers on
every machine and in every thread; nothing here touches NumPy's global state.

Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 16.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .linked import helper

__all__ = ["below", "new_rng", "next_u64", "seed_sequence", "uniform", "uniform_action"]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U11, _U27, _U30, _U31, _U32 = (np.uint64(n) for n in (11, 27, 30, 31, 32))


def new_rng(seed: int | np.random.SeedSequence | None = None) -> NDArray[np.uint64]:
    """Return the state of a generator for kernels, well mixed from ``seed`` (None: from the system's entropy)."""
    return seed_sequence(seed).generate_state(1, np.uint64).astype(np.uint64)


def seed_sequence(seed: int | np.random.SeedSequence | None = None) -> np.random.SeedSequence:
    """Return the sequence that a seed begins, or the sequence itself.

    Raises:
        ValueError: the seed is not a whole number, at least 0, or None.
    """
    if isinstance(seed, np.random.SeedSequence):
        return seed
    try:
        if isinstance(seed, (bool, np.bool_)):
            raise TypeError
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number, at least 0, or None, got {seed!r}") from None


@helper
def next_u64(rng: Any) -> Any:
    """Advance the generator and return 64 random bits."""
    rng[0] += _GAMMA
    z = rng[0]
    z = (z ^ (z >> _U30)) * _MIX_1
    z = (z ^ (z >> _U27)) * _MIX_2
    return z ^ (z >> _U31)


@helper
def below(rng: Any, n: int) -> Any:
    """Return an integer of 0 … n - 1 by the multiply-shift method: the bias is below n / 2³², n at most 2³²."""
    return np.int64(((next_u64(rng) >> _U32) * np.uint64(n)) >> _U32)


@helper
def uniform(rng: Any) -> float:
    """Return a float of [0, 1) with 53 random bits."""
    return np.float64(next_u64(rng) >> _U11) * 1.1102230246251565e-16  # 2⁻⁵³


@cache
def uniform_action(legal_actions: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule ``random_action(state, actions, rng)`` that draws each legal action with the same probability."""
    listed = helper(getattr(legal_actions, "py_func", legal_actions))

    def random_action(state: Any, actions: Any, rng: Any) -> Any:
        return actions[below(rng, listed(state, actions))]

    return random_action
