"""Which move a Monte Carlo tree search plays, by what is known of the actions at the root.

Sources: R. Coulom, "Efficient selectivity and backup operators in Monte-Carlo tree search", CG 2006 (robust and max
child); G. Chaslot et al., "Progressive strategies for Monte-Carlo tree search", New Mathematics and Natural Computation
4 (2008), section 2.4 (robust-max child).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

__all__ = ["Child", "FinalMove", "agreed", "chosen"]

FinalMove = Literal["visits", "value", "robust-max"]


class Child(NamedTuple):
    """What all trees together know of an action at the root."""

    action: int
    visits: int
    value: float  # the mean, but not beyond the bounds; nan if it was never visited
    low: float  # proved bounds, infinite without a solver
    high: float


def chosen(children: Sequence[Child], rule: FinalMove) -> Child:
    """Return the child that ``rule`` chooses, but never one that is proved to be worse than another.

    Where all that was tried is proved to be no better than what was not may be at worst, the first that was not is
    chosen: it may be better. Ties go to the child that the other rule prefers, then to the first one. A tree has its
    children in random order: the lowest number would be a plan, such as a row of stones along the edge of the board.
    """
    order = _by_value if rule == "value" else _by_visits
    tried = [child for child in children if child.visits]
    floor = max([child.low for child in children])
    if floor == -math.inf:  # nothing is proved
        return max(tried, key=order)
    hopeful = [child for child in tried if child.high > floor]
    if not hopeful:
        untried = [child for child in children if not child.visits and child.high > floor == child.low]
        hopeful = untried[:1] or [child for child in tried if child.low == floor]
    best = max(hopeful, key=order)
    return max((child for child in tried if child.low == floor), key=order) if best.value < floor else best


def agreed(children: Sequence[Child]) -> bool:
    """Return whether the robust child is a max child."""
    best = chosen(children, "visits")
    return all(child.value <= best.value for child in children if child.visits)


def _by_visits(child: Child) -> tuple[float, float]:
    return child.visits, child.value


def _by_value(child: Child) -> tuple[float, float]:
    return child.value, child.visits
