"""The memory of search trees: structs of arrays, most of which have one element for each node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...envs import Game

__all__ = ["bytes_per_node", "grown", "most_nodes"]

# The fields that do not have an element for each node.
_PER_TREE = {
    *("size", "deepest", "full", "path", "paths", "lengths", "legal", "counts", "played"),
    *("past", "seen", "exempt", "after", "times"),  # of `Repeats`
}
_INDEX_LIMIT = 2**31 - 1  # an index is 32 bits long
_PIECE = 1 << 18  # elements that are copied between two looks at the clock: a millisecond, about

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])  # a NamedTuple


def bytes_per_node(arrays: tuple[Any, ...]) -> int:
    """Return the bytes that a node takes in the arrays of a NamedTuple. Those that are None or empty are not in use."""
    fields: dict[str, Any] = arrays._asdict()  # type: ignore[attr-defined]
    return sum(array.itemsize for name, array in fields.items() if _is_per_node(name, array))


def _is_per_node(name: str, array: NDArray[Any] | None) -> bool:
    return name not in _PER_TREE and array is not None and array.size > 0


def grown(arrays: Arrays, nodes: int, is_late: Callable[[], bool]) -> Arrays | None:
    """Return the same NamedTuple with room for ``nodes``, or None if it gets too late to finish that.

    Args:
        arrays: the arrays, which are not changed. Those that do not grow are shared.
        nodes: the new number of elements; those beyond the old ones are 0.
        is_late: tells whether to give up. It is asked every millisecond, for copying a large tree can take seconds.
    """
    fields: dict[str, Any] = arrays._asdict()  # type: ignore[attr-defined]
    more: dict[str, NDArray[Any]] = {}
    for name, array in fields.items():
        if not _is_per_node(name, array):
            continue
        more[name] = np.zeros(nodes, array.dtype)  # of a large array, memory is taken when it is first written to
        for begin in range(0, array.size, _PIECE):
            if is_late():
                return None
            more[name][begin : begin + _PIECE][: array.size - begin] = array[begin : begin + _PIECE]
    return type(arrays)(**{**fields, **more})


def most_nodes(game: Game, megabytes: float | None, node_bytes: int) -> int:
    """Return how many nodes of ``node_bytes`` fit into ``megabytes``, but at least a root and its children."""
    if megabytes is None:
        return _INDEX_LIMIT
    return min(max(int(float(megabytes) * 2**20 / node_bytes), 1 + game.num_actions), _INDEX_LIMIT)
