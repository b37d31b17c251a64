"""The memory of search trees: structs of arrays, most of which have one element for each node."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ...envs import Game

__all__ = ["bytes_per_node", "grown", "most_nodes"]

# The fields that do not have an element for each node.
_PER_TREE = frozenset(("size", "deepest", "full", "path", "paths", "lengths", "played"))
_INDEX_LIMIT = 2**31 - 1  # an index is 32 bits long

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])  # a NamedTuple


def bytes_per_node(arrays: tuple[Any, ...]) -> int:
    """Return the bytes that a node takes in the arrays of a NamedTuple. Empty arrays are not in use."""
    fields: dict[str, Any] = arrays._asdict()  # type: ignore[attr-defined]
    return sum(array.itemsize for name, array in fields.items() if name not in _PER_TREE and array.size)


def grown(arrays: Arrays, nodes: int) -> Arrays:
    """Return the same NamedTuple with room for ``nodes``. Arrays that do not grow are shared; new elements are 0."""
    fields: dict[str, Any] = arrays._asdict()  # type: ignore[attr-defined]
    more = {
        name: np.concatenate([array, np.zeros(nodes - array.size, array.dtype)])
        for name, array in fields.items()
        if name not in _PER_TREE and array.size
    }
    return type(arrays)(**{**fields, **more})


def most_nodes(game: Game, megabytes: float | None, node_bytes: int) -> int:
    """Return how many nodes of ``node_bytes`` fit into ``megabytes``, but at least a root and its children."""
    if megabytes is None:
        return _INDEX_LIMIT
    return min(max(int(megabytes * 2**20 / node_bytes), 1 + game.num_actions), _INDEX_LIMIT)
