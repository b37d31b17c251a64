"""Alpha-beta on a small tree, recorded step by step: plain Python, as the textbooks write it, for people to follow.

MAX-VALUE and MIN-VALUE are those of Russell and Norvig, Artificial Intelligence, chapter "Adversarial search":
fail-soft, from left to right, with a cut as soon as α ≥ β. Values are MAX's. Beside the value that the search returns,
each node gets the bounds on its minimax value that follow from what was looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .trees import TreeNode, number

__all__ = ["AlphaBetaTrace", "Step", "TracedNode", "trace_alphabeta"]


@dataclass
class TracedNode:
    """A node, with what the search found there. Values are from MAX's point of view.

    Attributes:
        name: the node's name in the tree.
        move: the move that leads here from the parent.
        is_max: whether MAX moves here.
        is_leaf: whether the search stops here, or would.
        is_pruned: whether the search never came here.
        alpha: the value that MAX is sure of elsewhere when the search comes here.
        beta: the value that MIN is sure of elsewhere when the search comes here.
        value: the value that the search returned; for a pruned leaf its own value, if it has one; else None.
        lower: the minimax value is at least this, as far as the search knows.
        upper: the minimax value is at most this.
        best: the index of the child that gave the value.
        cut: why the children after a certain one were pruned; empty if none was.
        order: a leaf's place among the leaves that were looked at, from 1; 0 for other nodes.
        children: all children, searched and pruned. A pruned node of a game has none.
    """

    name: str
    move: str
    is_max: bool
    is_leaf: bool
    is_pruned: bool = False
    alpha: float = -math.inf
    beta: float = math.inf
    value: float | None = None
    lower: float = -math.inf
    upper: float = math.inf
    best: int | None = None
    cut: str = ""
    order: int = 0
    children: list[TracedNode] = field(default_factory=list)

    @property
    def player(self) -> str:
        """The player who moves here: ``"MAX"`` or ``"MIN"``."""
        return "MAX" if self.is_max else "MIN"

    @property
    def relation(self) -> str:
        """How the minimax value lies to `value`, as far as the search knows: ``"="``, ``"≤"`` or ``"≥"``."""
        return "=" if self.lower == self.upper else "≤" if self.upper == self.value else "≥"

    def walk(self) -> Iterator[TracedNode]:
        """Yield the node and all nodes below it, from left to right."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Step:
    """One step of the search.

    Attributes:
        kind: the search enters a node, looks at a leaf, brings a child's value back to a node, or cuts.
        node: the name of the node.
        alpha: α after the step.
        beta: β after the step.
        value: the value of the node so far.
        text: the step in words.
    """

    kind: Literal["enter", "leaf", "back", "cut"]
    node: str
    alpha: float
    beta: float
    value: float | None
    text: str


@dataclass(frozen=True)
class AlphaBetaTrace:
    """A recorded search.

    Attributes:
        root: the root of the recorded tree.
        steps: the steps of the search, in order.
        leaves: the leaves that were looked at, in that order.
        pruned: the nodes at the top of the branches that were cut off.
        is_minimax: whether the search was plain minimax, without pruning.
    """

    root: TracedNode
    steps: tuple[Step, ...]
    leaves: tuple[TracedNode, ...]
    pruned: tuple[TracedNode, ...]
    is_minimax: bool

    @property
    def value(self) -> float:
        """The minimax value of the root."""
        assert self.root.value is not None
        return self.root.value

    @property
    def best_line(self) -> tuple[TracedNode, ...]:
        """Best play for both, from the first move on."""
        line, node = [], self.root
        while node.best is not None:
            node = node.children[node.best]
            line.append(node)
        return tuple(line)

    @property
    def pruned_leaves(self) -> tuple[TracedNode, ...]:
        """The leaves that were never looked at. In a game, leaves below a pruned node are not known."""
        return tuple(node for branch in self.pruned for node in branch.walk() if node.is_leaf)


def trace_alphabeta(root: TreeNode, *, pruning: bool = True, most_nodes: int = 10_000) -> AlphaBetaTrace:
    """Search a small tree, and return all that happened.

    Args:
        root: `ListedNode` of a tree typed by hand, or `GameNode` of a position.
        pruning: False for plain minimax.
        most_nodes: the size of the largest tree that is recorded.

    Raises:
        ValueError: the search has to look at a leaf ``?``, or the tree is too large.
    """
    search = _Search(pruning, most_nodes)
    traced = search.value(root, -math.inf, math.inf)
    return AlphaBetaTrace(traced, tuple(search.steps), tuple(search.leaves), tuple(search.pruned), not pruning)


class _Search:
    def __init__(self, pruning: bool, most_nodes: int) -> None:
        self.steps: list[Step] = []
        self.leaves: list[TracedNode] = []
        self.pruned: list[TracedNode] = []
        self._pruning, self._most_nodes, self._nodes = pruning, most_nodes, 0

    def value(self, node: TreeNode, alpha: float, beta: float) -> TracedNode:
        """Search a node: MAX-VALUE and MIN-VALUE in one."""
        traced = self._traced(node)
        traced.alpha, traced.beta = alpha, beta
        if node.is_leaf:
            return self._leaf(node, traced)
        window = f", α = {number(alpha)}, β = {number(beta)}" if self._pruning else ""
        self._step("enter", traced, alpha, beta, None, f"{traced.player}{window}")
        children = node.children()
        for i, child in enumerate(children):
            found = self.value(child, alpha, beta)
            traced.children.append(found)
            before, value = traced.value, found.value
            assert value is not None
            if before is None or (value > before if traced.is_max else value < before):
                traced.value, traced.best = value, i
            assert traced.value is not None
            if self._pruning and traced.is_max:
                alpha = max(alpha, traced.value)
            elif self._pruning:
                beta = min(beta, traced.value)
            self._step("back", traced, alpha, beta, traced.value, self._update(traced, found, before, alpha, beta))
            if alpha >= beta and i + 1 < len(children):
                self._cut(traced, children[i + 1 :], alpha, beta)
                break
        better = max if traced.is_max else min
        traced.lower = better(child.lower for child in traced.children)
        traced.upper = better(child.upper for child in traced.children)
        return traced

    def _leaf(self, node: TreeNode, traced: TracedNode) -> TracedNode:
        value = node.value()
        if value is None:
            raise ValueError(f"the search has to look at the leaf {node.name}, which is '?': give it a value")
        traced.value = traced.lower = traced.upper = value
        self.leaves.append(traced)
        traced.order = len(self.leaves)
        self._step("leaf", traced, traced.alpha, traced.beta, value, f"leaf, value {number(value)}")
        return traced

    def _update(self, traced: TracedNode, child: TracedNode, before: float | None, alpha: float, beta: float) -> str:
        assert traced.value is not None
        assert child.value is not None
        value = number(traced.value)
        if before is None:
            text = f"v = {value} from {child.name}"
        else:
            text = f"v = {traced.player.lower()}({number(before)}, {number(child.value)}) = {value}"
        if not self._pruning or before == traced.value:
            return text
        return f"{text}, α = {number(alpha)}" if traced.is_max else f"{text}, β = {number(beta)}"

    def _cut(self, traced: TracedNode, rest: Sequence[TreeNode], alpha: float, beta: float) -> None:
        """Prune the ``rest`` of the children, and say why."""
        skipped = [self._unsearched(child) for child in rest]
        traced.children += skipped
        self.pruned += skipped
        if traced.is_max:
            reason = f"v ≥ β = {number(beta)}, which MIN is sure of elsewhere"
        else:
            reason = f"v ≤ α = {number(alpha)}, which MAX is sure of elsewhere"
        traced.cut = reason
        names = ", ".join(node.name for node in skipped)
        self._step("cut", traced, alpha, beta, traced.value, f"{reason}: {names} pruned")

    def _unsearched(self, node: TreeNode) -> TracedNode:
        traced = self._traced(node)
        traced.is_pruned = True
        if node.is_leaf and node.is_listed:
            traced.value = node.value()
        elif node.is_listed:
            traced.children = [self._unsearched(child) for child in node.children()]
        return traced

    def _traced(self, node: TreeNode) -> TracedNode:
        self._nodes += 1
        if self._nodes > self._most_nodes:
            raise ValueError(
                f"the tree has more than {self._most_nodes} nodes, too many to follow: look less far ahead"
            )
        return TracedNode(node.name, node.move, node.is_max, node.is_leaf)

    def _step(
        self,
        kind: Literal["enter", "leaf", "back", "cut"],
        node: TracedNode,
        alpha: float,
        beta: float,
        value: float | None,
        text: str,
    ) -> None:
        self.steps.append(Step(kind, node.name, alpha, beta, value, text))
