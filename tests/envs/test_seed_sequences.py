"""Seeds for many games at once, against NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.envs import GameBatch, SeatBatch
from plyground.envs.jit.prng import new_rng
from plyground.envs.vector.seed_sequences import generators, seed_words, spawned, words_of


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_words_are_those_of_numpy(words: int, count: int) -> None:
    entropy = np.random.default_rng(words).integers(0, 2**32, (20, words), np.uint32)
    entropy[:3] = 0
    entropy[3] = 2**32 - 1
    expected = [np.random.SeedSequence(row.tolist()).generate_state(count) for row in entropy]
    assert (seed_words(entropy, count) == expected).all()


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**70 + 5])
def test_large_seeds_have_several_words(seed: int) -> None:
    expected = np.random.SeedSequence([seed, 3, 1]).generate_state(2)
    assert (seed_words([(*words_of(seed), 3, 1)], 2)[0] == expected).all()


def test_numbers_of_numpy_are_seeds() -> None:
    """Narrow ones overflowed."""
    for seed in (np.int32(7), np.uint8(7)):
        assert (spawned(seed, 3) == spawned(7, 3)).all()  # pyright: ignore[reportArgumentType]
    seed: Any = np.int32(7)
    one, other = (SeatBatch("tictactoe", 2, seed=number) for number in (seed, 7))
    assert (one.batch.rngs == other.batch.rngs).all()


@pytest.mark.parametrize("seed", [0, 5, 2**40, 2**130])
def test_generators_are_those_of_spawned_sequences(seed: int) -> None:
    expected = [new_rng(sequence) for sequence in np.random.SeedSequence(seed).spawn(9)]
    assert (generators(spawned(seed, 9)) == expected).all()
    assert (GameBatch("tictactoe", 9, seed=seed).rngs == expected).all()
    assert (generators([[3], [4]]) == [new_rng(3), new_rng(4)]).all()


def test_without_a_seed_no_two_are_the_same() -> None:
    assert len(np.unique(generators([*spawned(None, 50), *spawned(None, 50)]))) == 100
