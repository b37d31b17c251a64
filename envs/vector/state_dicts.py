"""What batches keep to go on later: arrays by name, as ``state_dict`` returns them and ``load_state_dict`` takes them.

A state has only what cannot be rebuilt. What the last step returned, and room to work in, is not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["copied", "fitting", "part", "restore"]


def copied(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return copies of the arrays, by the same names."""
    return {name: array.copy() for name, array in arrays.items()}


def part(state: Any, name: str) -> Any:
    """Return the part of a ``state`` that has this name.

    Raises:
        ValueError: there is none.
    """
    if not isinstance(state, Mapping) or name not in state:
        raise ValueError(f"the state has no {name!r}: expected what state_dict() returned, got {type(state).__name__}")
    return state[name]


def fitting(arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a ``state`` that have the names of ``arrays``.

    Raises:
        ValueError: one is missing, or has another shape or dtype.
    """
    found: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if not isinstance(state, Mapping) or name not in state:
            raise ValueError(f"the state has no {name!r}: expected {', '.join(arrays)}")
        saved = np.asarray(state[name])
        if saved.shape != array.shape or saved.dtype != array.dtype:
            raise ValueError(
                f"{name!r} of the state is {saved.dtype} {saved.shape}, expected {array.dtype} {array.shape}: "
                "expected one of the same game and as many games"
            )
        found[name] = saved.view(array.dtype)  # files forget that the fields of a record are aligned
    return found


def restore(arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> None:
    """Write the arrays of a ``state`` into those of the same names.

    Raises:
        ValueError: one is missing, or has another shape or dtype; nothing is changed.
    """
    fits = fitting(arrays, state)
    for name, array in arrays.items():
        array[...] = fits[name]
