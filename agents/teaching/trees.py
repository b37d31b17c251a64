"""Small trees for searches that are shown step by step: typed by hand, or the first plies of a game.

A tree typed by hand is a nested list of leaf values, as in ``((3 12 8) (2 ? ?) (14 5 2))``. The players take turns, and
all values are MAX's. A leaf ``?`` has no value: a search that has to look at it fails.

The children of the root are named A, B, C …, theirs A1, A2 …, and so on with letters and numbers by turns. In a game,
nodes are named by the moves that lead to them, and MAX is the player to move at the root.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...envs import Game, State
from ...envs.outside.arguments import check_player, checked_whole

__all__ = ["UNKNOWN", "GameNode", "ListedNode", "Tree", "TreeNode", "format_tree", "number", "parse_tree"]

UNKNOWN = "?"
Tree = float | str | tuple["Tree", ...]  # a leaf's value, UNKNOWN, or the children of a node

_CLOSING = {"(": ")", "[": "]"}
_DEEPEST = 64  # levels of nested lists; more are a mistake
_TOKEN = re.compile(r"[(\[]|[)\]]|[^\s,()\[\]]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
_EXAMPLE = "((3 12 8) (2 ? ?) (14 5 2))"


def parse_tree(text: str) -> tuple[Tree, ...]:
    """Return the tree that a nested list describes. Children are separated by spaces or commas.

    Raises:
        ValueError: it is not a list of numbers, ``?`` and lists; the message says where.
    """
    open_lists, closings = list[list[Tree]](), list[str]()
    tree: tuple[Tree, ...] | None = None
    for token in _TOKEN.finditer(text):
        where = f"at character {token.start() + 1} of {text!r}"
        if tree is not None:
            raise ValueError(f"cannot read the tree: {token[0]!r} {where} comes after its end")
        if token[0] in _CLOSING:
            open_lists.append([])
            closings.append(_CLOSING[token[0]])
            if len(open_lists) > _DEEPEST:
                raise ValueError(f"cannot read the tree: more than {_DEEPEST} lists in each other {where}")
        elif not open_lists:
            raise ValueError(f"cannot read the tree: expected '(' {where}, as in {_EXAMPLE!r}")
        elif token[0] in _CLOSING.values():
            if (closing := closings.pop()) != token[0]:
                raise ValueError(f"cannot read the tree: expected {closing!r}, got {token[0]!r} {where}")
            node = tuple(open_lists.pop())
            if not node:
                raise ValueError(f"cannot read the tree: a node without children {where}; give it a value instead")
            if open_lists:
                open_lists[-1].append(node)
            else:
                tree = node
        elif token[0] == UNKNOWN:
            open_lists[-1].append(UNKNOWN)
        elif _NUMBER.fullmatch(token[0]) and math.isfinite(float(token[0])):
            open_lists[-1].append(float(token[0]))
        else:
            raise ValueError(f"cannot read the tree: expected a number or '?', got {token[0]!r} {where}")
    if tree is None:
        closing = closings[-1] if closings else ")"
        raise ValueError(f"cannot read the tree: expected {closing!r} at the end of {text!r}, as in {_EXAMPLE!r}")
    return tree


def format_tree(tree: Tree) -> str:
    """Return a tree as `parse_tree` reads it."""
    if isinstance(tree, tuple):
        return f"({' '.join(map(format_tree, tree))})"
    return tree if isinstance(tree, str) else np.format_float_positional(tree, trim="-")


def number(value: float) -> str:
    """Return a value as people write it, to four decimals: ``3``, ``0.25``, ``-∞``."""
    if math.isinf(value):
        return "+∞" if value > 0 else "-∞"
    return f"{round(value, 4) + 0.0:.12g}"  # + 0.0: no -0


class TreeNode(ABC):
    """A node of a tree that a search can walk.

    Attributes:
        name: the name of the node, unique in the tree.
        move: the move that leads here from the parent, as short as it can be.
        is_max: whether MAX moves here, or would move if this were no leaf.
        is_listed: whether all nodes below are known without searching.
    """

    name: str
    move: str
    is_max: bool
    is_listed: bool

    @property
    @abstractmethod
    def is_leaf(self) -> bool:
        """Whether the search stops here."""

    @abstractmethod
    def value(self) -> float | None:
        """Return a leaf's value for MAX, or None if it is unknown."""

    @abstractmethod
    def children(self) -> Sequence[TreeNode]:
        """Return the children of a node that is no leaf, in the order in which they are searched."""


class ListedNode(TreeNode):
    """A node of a tree typed by hand.

    Args:
        tree: nested tuples or lists of numbers and ``"?"``, or what `parse_tree` reads.
        is_max: whether MAX moves here.
        name: the name of the node.
        level: plies below the root.

    Raises:
        ValueError: ``tree`` is something else.
    """

    is_listed = True

    def __init__(self, tree: Any, is_max: bool = True, name: str = "root", level: int = 0) -> None:
        self.tree: Tree = _checked(tree) if level == 0 else tree
        self.is_max, self.name, self._level = is_max, name, level
        self.move = "" if level == 0 else name

    @property
    def is_leaf(self) -> bool:
        """Whether this node has a value instead of children."""
        return not isinstance(self.tree, tuple)

    def value(self) -> float | None:
        """Return a leaf's value for MAX, or None for ``?``."""
        return self.tree if isinstance(self.tree, float) else None

    def children(self) -> Sequence[ListedNode]:
        """Return the children, from left to right."""
        assert isinstance(self.tree, tuple)
        prefix = "" if self._level == 0 else self.name
        return [
            ListedNode(child, not self.is_max, prefix + _ordinal(i, self._level), self._level + 1)
            for i, child in enumerate(self.tree)
        ]


class GameNode(TreeNode):
    """A position of a game, looked ahead from for a few plies.

    Args:
        game: the game.
        state: the position, which is not changed.
        depth: plies to look ahead; at the last one the evaluation is the value.
        maximizer: the player who is MAX, 0 or 1. Default: the player to move.
        moves: the moves that led here from the root.

    Raises:
        ValueError: the depth is no whole number, at least 0, or the maximizer no player.
    """

    is_listed = False

    def __init__(
        self, game: Game, state: State, depth: int, maximizer: int | None = None, moves: tuple[str, ...] = ()
    ) -> None:
        depth = checked_whole("depth", depth, 0)  # from below 0 it would never come to 0
        if maximizer is not None:
            check_player(maximizer)
        player = int(game.player(state))
        self.maximizer = player if maximizer is None else maximizer
        self.game, self.state, self.depth, self._moves = game, state, depth, moves
        self.is_max = player == self.maximizer
        self.name, self.move = " ".join(moves) or "root", moves[-1] if moves else ""

    @cached_property
    def is_leaf(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether the game is over, or the depth reached."""
        return self.depth == 0 or bool(self.game.is_terminal(self.state))

    def value(self) -> float | None:
        """Return the utility of a finished game, else the evaluation, for MAX."""
        rule = self.game.utility if self.game.is_terminal(self.state) else self.game.evaluate
        return float(rule(self.state, self.maximizer))

    def children(self) -> Sequence[GameNode]:
        """Return the positions after each legal action, in the order of their numbers."""
        nodes = []
        for action in self.game.actions(self.state):
            child = self.state.copy()
            self.game.play(child, action)
            moves = (*self._moves, self.game.move_name(self.state, action))
            nodes.append(GameNode(self.game, child, self.depth - 1, self.maximizer, moves))
        return nodes


def _checked(tree: Any, depth: int = 0) -> Tree:
    """Return a tree that was given as text, or as lists or tuples, as tuples.

    Raises:
        ValueError: there is something else in the tree.
    """
    if isinstance(tree, str) and tree != UNKNOWN and depth == 0:
        return parse_tree(tree)
    if tree == UNKNOWN:
        return UNKNOWN
    if isinstance(tree, (list, tuple)) and tree and depth < _DEEPEST:
        return tuple(_checked(child, depth + 1) for child in tree)
    if isinstance(tree, (int, float, np.number)) and math.isfinite(tree):
        return float(tree)
    raise ValueError(
        f"a tree is made of lists, of {_DEEPEST} in each other at most, with finite numbers or '?', got {tree!r}"
    )


def _ordinal(index: int, level: int) -> str:
    """Return the part of a name that says which child it is: letters and numbers by turns."""
    if level % 2 == 1:
        return str(index + 1)
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr((ord("A") if level == 0 else ord("a")) + rest) + letters
    return letters
