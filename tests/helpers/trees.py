"""Game trees as games: every search takes them. What a tree is like stands in its state, so all share compiled code."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from plyground.envs import Game, state_dtype
from plyground.envs.jit.bits import scattered

__all__ = ["leaf_tree", "perfectly_ordered_tree", "random_tree", "worst_ordered_tree"]


def _game(name: str, branching: int, depth: int, layout: dict[str, Any], **rules: Any) -> Game:
    start = rules.pop("setup", None)

    def setup(state: Any) -> None:
        state.branching, state.left = branching, depth
        if start is not None:
            start(state)

    def legal_actions(state: Any, actions: Any) -> int:
        for i in range(state.branching):
            actions[i] = i
        return state.branching

    def observe(state: Any, player: int, planes: Any) -> None:
        planes[0] = player

    return Game(
        name=name,
        state=state_dtype(branching="i8", left="i8", ply="i8", **layout),
        num_actions=6,
        max_plies=12,
        max_utility=math.inf,
        observation_shape=(1,),
        setup=setup,
        player=lambda state: state.ply & 1,
        legal_actions=legal_actions,
        is_terminal=lambda state: state.left == 0,
        observe=observe,
        **rules,
    )


def leaf_tree(leaves: Sequence[float], branching: int, on_leaf: Callable[[int], object] | None = None) -> Game:
    """Return the game of a uniform tree with these leaves, left to right, worth so much to the first player.

    ``on_leaf`` is called with the index of each leaf looked at; it needs ``NUMBA_DISABLE_JIT=1``.
    """

    def setup(state: Any) -> None:
        state.leaves[:] = leaves

    def play(state: Any, action: int) -> None:
        state.index = state.index * state.branching + action
        state.left -= 1
        state.ply += 1

    def utility(state: Any, player: int) -> float:
        value = float(state.leaves[state.index])
        return value if player == 0 else -value

    def watched(state: Any, player: int) -> float:
        assert on_leaf is not None
        on_leaf(int(state.index))
        return utility(state, player)

    depth = round(math.log(len(leaves), branching))
    layout = {"index": "i8", "leaves": ("i8", (len(leaves),))}
    used = utility if on_leaf is None else watched
    return _game("leaf_tree", branching, depth, layout, setup=setup, play=play, utility=used)


def perfectly_ordered_tree(branching: int, depth: int) -> Game:
    """Return the game of a uniform tree in which the first move is the best one everywhere.

    ``value`` is the negamax value of the node: the root's is 0, child i of a node worth v is worth i - v to its own
    player to move, so that the parent gets v from child 0 and less from the others.
    """

    def play(state: Any, action: int) -> None:
        state.value = action - state.value
        state.left -= 1
        state.ply += 1

    return _game("perfectly_ordered_tree", branching, depth, {"value": "i8"}, play=play, utility=_value)


def worst_ordered_tree(branching: int, depth: int) -> Game:
    """Return the game of a uniform tree in which each move is better than the ones before it, and nothing is cut off.

    What a move gains over the one before it is so much more than all that is at stake below, that nothing which was
    found earlier bounds what comes.
    """

    def setup(state: Any) -> None:
        state.step = (branching + 1) ** depth

    def play(state: Any, action: int) -> None:
        state.value = (state.branching - 1 - action) * state.step - state.value
        state.step //= state.branching + 1
        state.left -= 1
        state.ply += 1

    layout = {"value": "i8", "step": "i8"}
    return _game("worst_ordered_tree", branching, depth, layout, setup=setup, play=play, utility=_value)


def random_tree(branching: int, depth: int, seed: int) -> Game:
    """Return the game of a uniform tree whose leaves are worth independent random numbers from 0 to 1."""

    def setup(state: Any) -> None:
        state.path = scattered(np.uint64(seed + 1))

    def play(state: Any, action: int) -> None:
        state.path = scattered(state.path ^ np.uint64(action + 1))
        state.left -= 1
        state.ply += 1

    def utility(state: Any, player: int) -> float:
        value = float(state.path >> np.uint64(11)) / 2.0**53
        return value if player == 0 else -value

    return _game("random_tree", branching, depth, {"path": "u8"}, setup=setup, play=play, utility=utility)


def _value(state: Any, player: int) -> float:
    return float(state.value) if player == state.ply & 1 else -float(state.value)
