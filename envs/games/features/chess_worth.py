"""What a term of the evaluation of chess adds, by its place in the list and the phase of the game."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...jit import helper
from .chess_terms import by_phase
from .chess_values import VALUES

__all__ = ["worth"]

_BY_PHASE = by_phase(VALUES)  # [phases, terms]


@helper
def worth(place: int, times: int, phase: int, trace: Any, row: int) -> Any:
    """Return what a term adds that is there so many times, and write that down if there is a ``trace``."""
    if trace is not None:
        trace[row, place] += times
    return times * np.int64(_BY_PHASE[np.uint64(phase), np.uint64(place)])
