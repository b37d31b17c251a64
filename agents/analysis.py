"""What a search found out about a position."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from ..envs.html import html_table

__all__ = ["Analysis", "Kind"]

Kind = Literal["exact", "upper bound", "estimate", "estimated bound"]

_MOST_MOVES = 12  # of a line, in a representation
_MOST_ROWS = 10  # of actions


@dataclass(frozen=True)
class Analysis:
    """The answer of ``analyse(state)``. All values are from the point of view of the player to move in that state.

    Attributes:
        best_action: the action to play.
        value: the value of the state, in the units of the game's utility (+1 win, -1 loss).
        best_actions: the actions known to be as good as ``best_action``, itself included, ascending.
        values: the value of each action; `kind_of` tells whether it is exact, a bound or an estimate.
        visits: the visits of each action, for a search that samples; else empty.
        pv: the principal variation, best play for both sides as far as the search has it; it begins with
            ``best_action``. Of alpha-beta its later moves may be what the table suggests.
        depth: plies that the search looked ahead in its last complete iteration, or in its longest line.
        nodes: positions visited, the root included.
        leaves: positions at which the search stopped: terminal, or evaluated at the horizon.
        exact: whether the value is the game-theoretic one: every line that it rests on was played to the end.
        seconds: wall-clock time that the search took.
        priors: the prior of each action, for a search that is given them; else empty.
        upper_bounds: the actions whose entry in ``values`` is only an upper bound of what the search looked for, at
            its depth, ascending.
        proved: the actions whose entry in ``values`` holds in the whole game, as the value or as an upper bound of it,
            ascending. None where the search does not tell: then all of them hold if the value is ``exact``, but of a
            search that samples only those of ``best_actions``.
        standard_error: the standard error of the value, for a search that samples; else None.
        selective_depth: the longest line that was looked at, in plies; 0 where the search does not tell.
        statistics: other counts of the search, by name, for example ``{"table hits": 1200}``.
    """

    best_action: int
    value: float
    best_actions: tuple[int, ...]
    values: dict[int, float]
    pv: tuple[int, ...]
    depth: int
    nodes: int
    leaves: int
    exact: bool
    seconds: float
    visits: dict[int, int] = field(default_factory=dict)
    priors: dict[int, float] = field(default_factory=dict)
    upper_bounds: tuple[int, ...] = ()
    proved: tuple[int, ...] | None = None
    standard_error: float | None = None
    selective_depth: int = 0
    statistics: dict[str, float] = field(default_factory=dict)

    @property
    def kind(self) -> Literal["exact", "estimate"]:
        """Whether the value is exact, or an estimate by sampling or by an evaluation at the horizon."""
        return "exact" if self.exact else "estimate"

    def kind_of(self, action: int) -> Kind:
        """Return what the value of ``action`` is.

        Returns:
            ``"exact"`` for the game-theoretic value; ``"upper bound"`` for a bound that this value is not above;
            ``"estimate"`` for one by sampling, or by an evaluation at the horizon; and ``"estimated bound"`` for an
            upper bound of such an estimate: the game-theoretic value may be above it.
        """
        if self.proved is not None:
            proved = action in self.proved
        else:
            proved = self.exact and (action in self.best_actions or not self.visits)  # sampling proves the best
        if action in self.upper_bounds:
            return "upper bound" if proved else "estimated bound"
        return "exact" if proved else "estimate"

    def __repr__(self) -> str:
        line = " ".join(map(str, self.pv[:_MOST_MOVES])) + (" …" if len(self.pv) > _MOST_MOVES else "")
        return (
            f"<Analysis: action {self.best_action}, value {self.value:+.3f} ({self.kind}), line {line}, "
            f"depth {self.depth}, {self.nodes:,} nodes in {self.seconds:.3g} s>"
        )

    def _repr_html_(self) -> str:
        """Return a table of the best actions, for notebooks."""
        actions = sorted(
            {*self.values, *self.visits},
            key=lambda one: (one != self.best_action, -self.visits.get(one, 0), -self.values.get(one, -math.inf)),
        )
        rows = [
            (one, f"{self.values[one]:+.3f}" if one in self.values else "", self.kind_of(one), self.visits.get(one, ""))
            for one in actions[:_MOST_ROWS]
        ]
        more = f", the best {_MOST_ROWS} of {len(actions)} actions" if len(actions) > _MOST_ROWS else ""
        return html_table(rows, ("action", "value", "kind", "visits"), f"{self!r}"[1:-1] + more)

    @property
    def nodes_per_second(self) -> float:
        """The speed of the search; 0 where no time was measured."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0
