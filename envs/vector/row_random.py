"""Random numbers for rows of a batch, each from the row's own generator, so that rows do not affect each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from ..jit.prng import below, uniform
from .checks import checked_rows

__all__ = ["draw_numbers", "draw_uniforms"]


def draw_numbers(rngs: NDArray[np.uint64], rows: NDArray[np.intp], count: int) -> NDArray[np.int64]:
    """Return an integer from 0 to ``count`` - 1 for each row of ``rows``; ``rngs`` [games, 1] has all generators.

    Raises:
        ValueError: the rows are not different rows of ``rngs``.
    """
    rows = checked_rows(rows, len(rngs))
    numbers = np.zeros(rows.size, np.int64)
    _numbers(rngs, rows, count, numbers)
    return numbers


def draw_uniforms(rngs: NDArray[np.uint64], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return a number of [0, 1) for each row of ``rows``; ``rngs`` [games, 1] has all generators.

    Raises:
        ValueError: the rows are not different rows of ``rngs``.
    """
    rows = checked_rows(rows, len(rngs))
    numbers = np.zeros(rows.size)
    _uniforms(rngs, rows, numbers)
    return numbers


@kernel
def _numbers(rngs, rows, count, numbers):
    for place in range(rows.size):
        numbers[place] = below(rngs[rows[place]], count)


@kernel
def _uniforms(rngs, rows, numbers):
    for place in range(rows.size):
        numbers[place] = uniform(rngs[rows[place]])
