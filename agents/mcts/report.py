"""What an agent reads off its search tree, of any kind, after a search: lines and errors."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["children_of", "most_visited_line", "standard_error"]


def children_of(tree: Any, node: int) -> range:
    """Return the children of a node, which stand side by side."""
    first = int(tree.first_child[node])
    return range(first, first + int(tree.child_count[node]))


def most_visited_line(tree: Any, action: int) -> tuple[int, ...]:
    """Return the line of the most visited nodes that begins with ``action``.

    Of equals it has the one with the better sum, then the first.
    """
    children = children_of(tree, 0)
    node = children[tree.action[children.start : children.stop].tolist().index(action)]
    line = [action]
    while children := children_of(tree, node):
        place = slice(children.start, children.stop)
        rows = zip(tree.visits[place].tolist(), tree.total[place].tolist(), tree.action[place].tolist(), strict=True)
        visits, _, negative, action = max(
            (visits, total, -child, action) for child, (visits, total, action) in zip(children, rows, strict=True)
        )
        if visits == 0:
            break
        node = -negative
        line.append(action)
    return tuple(line)


def standard_error(value: float, visits: int, top: float) -> float | None:
    """Return a bound of the standard error of a mean of so many independent values between -top and top.

    No values with that mean spread wider than wins and losses do: their variance is ``top² - value²`` (R. Bhatia and C.
    Davis, "A better bound on the variance", American Mathematical Monthly 107, 2000). None where ``top`` is infinite.
    """
    error = math.sqrt(max(top**2 - value**2, 0.0) / visits)
    return error if math.isfinite(error) else None
