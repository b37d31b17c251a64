"""NumPy's `SeedSequence` for many seeds at once: the same words, in a fraction of the time of as many objects.

A batch of short games begins thousands of them each second, and each has seeds of its own. One `SeedSequence` takes as
long as a game of compiled players. The algorithm is part of NumPy's promise that a seed gives the same numbers in every
version.

Source: M. E. O'Neill, "Developing a seed_seq alternative" (pcg-random.org, 2015), which NumPy's documentation of
`numpy.random.SeedSequence` names: a pool of four 32-bit words, hashed and mixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["generators", "seed_words", "spawned", "words_of"]

_POOL = 4  # words
_BITS = 0xFFFFFFFF
_SHIFT = np.uint32(16)
_FIRST_IN, _STEP_IN = 0x43B0D7E5, 0x931E8875  # the constants that words are hashed with on their way into the pool
_FIRST_OUT, _STEP_OUT = 0x8B51F9DD, 0x58F38DED  # and on their way out
_LEFT, _RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)  # weights of two words that are mixed


def words_of(number: int) -> list[int]:
    """Return a whole number, at least 0, as 32-bit words, the lowest first; at least one."""
    words = [number & _BITS]
    while number := number >> 32:
        words.append(number & _BITS)
    return words


def seed_words(entropy: ArrayLike, count: int) -> NDArray[np.uint32]:
    """Return what ``SeedSequence(row).generate_state(count)`` is for each row of ``entropy`` [rows, words] of uint32.

    Returns:
        The words [rows, count].
    """
    columns = np.ascontiguousarray(np.asarray(entropy, np.uint32).T)
    constants = _Constants(_FIRST_IN, _STEP_IN)
    nothing = np.zeros(columns.shape[1], np.uint32)
    pool = [constants.hashed(columns[i] if i < len(columns) else nothing) for i in range(_POOL)]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                pool[target] = _mixed(pool[target], constants.hashed(pool[source]))
    for column in columns[_POOL:]:
        pool = [_mixed(word, constants.hashed(column)) for word in pool]
    constants = _Constants(_FIRST_OUT, _STEP_OUT)
    return np.stack([constants.hashed(pool[i % _POOL]) for i in range(count)], axis=1)


def generators(entropy: ArrayLike) -> NDArray[np.uint64]:
    """Return what `plyground.envs.jit.prng.new_rng` makes of each row of ``entropy`` [rows, words], as [rows, 1]."""
    low, high = seed_words(entropy, 2).astype(np.uint64).T
    return (low | high << np.uint64(32))[:, np.newaxis]


def spawned(seed: int | None, count: int) -> NDArray[np.uint32]:
    """Return the entropy [count, words] of the children of ``SeedSequence(seed)``, as its ``spawn(count)`` has them."""
    entropy: Any = np.random.SeedSequence(seed).entropy
    words = words_of(int(entropy))  # NumPy's narrow ones overflow
    words += [0] * (_POOL - len(words))
    return np.array([(*words, child) for child in range(count)], np.uint32)


class _Constants:
    """Hashes words with a constant that is another one each time."""

    def __init__(self, first: int, step: int) -> None:
        self._next, self._step = first, step

    def hashed(self, words: NDArray[np.uint32]) -> NDArray[np.uint32]:
        words = words ^ np.uint32(self._next)
        self._next = self._next * self._step & _BITS
        words = words * np.uint32(self._next)
        return words ^ words >> _SHIFT


def _mixed(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> NDArray[np.uint32]:
    words = _LEFT * one - _RIGHT * other
    return words ^ words >> _SHIFT
