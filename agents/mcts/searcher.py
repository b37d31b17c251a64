"""One tree that grows from position to position: its memory, its random numbers, its clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.jit import bind
from ..repetitions import Repeats, compile_past, kept_past, moved, new_repeats, with_past
from ..settings import MOST_SIMULATIONS
from .memory import bytes_per_node, grown, most_nodes
from .policies import Policy
from .reuse import compile_reuse, find, subtree, way_to
from .simulate import simulate
from .tree import Tree, clear, new_tree
from .uct import Extras, Options, bounds_of, is_plain, is_proved, new_extras

__all__ = ["Searcher"]

_NODES = 4096  # room in a new tree
_FIRST_CHUNK = 1  # simulations: one may take long, and grow eightfold
_CHUNK_SECONDS = 0.01  # how long a kernel call may take, about: between two looks at the clock and at Ctrl-C


class Searcher:
    """A tree over one game, and the simulations that make it grow.

    Args:
        game: the game.
        options: what is added to plain UCT; where that is nothing, the plain kernel runs.
        c: how much to explore, in units of the means.
        rng: the generator of the rollouts, from `plyground.envs.jit.prng.new_rng`.
        megabytes: the most memory for the tree; None for no limit. A root and its children are always kept.
        policy: what draws the moves of the rollouts; None: the game's ``random_action``.
        repeats: whether the tree looks for positions that come again, for games that forbid that, or where it draws.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        c: float,
        rng: NDArray[np.uint64],
        megabytes: float | None = None,
        policy: Policy | None = None,
        repeats: bool = False,
    ) -> None:
        self.game, self.options, self.c, self.rng, self.policy = game, options, c, rng, policy
        self._plain = is_plain(options)
        self.repeats: Repeats | None = new_repeats(game, 1) if repeats else None
        self.tree: Tree | None = None
        self.extras: Extras | None = None
        self._root, self._moves = np.zeros(1, game.dtype), np.zeros(0, np.int32)
        self._scratch = np.zeros(3, game.dtype)
        self._buffer = np.empty(game.num_actions, np.int32)
        node_bytes = bytes_per_node(new_tree(1, 1)) + bytes_per_node(new_extras(options, 1, 1))
        node_bytes += bytes_per_node(self.repeats) if self.repeats else 0
        self._most = most_nodes(game, megabytes, node_bytes)
        self._fresh = False  # whether the tree may be kept for the next position

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "tree": None, "extras": None, "_fresh": False}

    def compile(self, reuse: bool) -> None:
        """Compile the simulations, and what finds a position in the tree if it is to be reused."""
        tree = new_tree(1, 1)
        bind(simulate, *self._arguments(tree, new_extras(self.options, 1, 1), 1))
        if self.repeats is not None:
            compile_past(self.game)
        if reuse:
            compile_reuse(self.game, tree)

    def forget(self) -> None:
        """Keep nothing for the next position."""
        self._fresh = False

    @property
    def proved(self) -> bool:
        """Whether the value of the root is known."""
        return self.extras is not None and bool(is_proved(self.extras, self.options, 0))

    def start(
        self, state: State, actions: NDArray[np.int32], reuse: bool, past: NDArray[np.uint64] | None = None
    ) -> int:
        """Put ``state`` at the root, with these actions; return how many simulations are known of it already.

        ``past`` are the keys of earlier positions, for a tree that looks for any; None: they are not known.
        """
        kept = reuse and self._fresh and self._move_root(state, actions, past)
        self._root[0] = state
        self._moves = actions
        self._fresh = True
        if kept and self.tree is not None:
            return int(self.tree.visits[0])
        if self.repeats is not None:
            self.repeats = with_past(self.repeats, past)
        self._empty_tree(1 - self.game.player(state))  # as if the opponent had just moved
        return 0

    def children(self) -> list[tuple[int, int, float, float, float]]:
        """Return the action, the visits, the sum of the results, and both bounds of the value, of each child."""
        assert self.tree is not None
        assert self.extras is not None
        tree, children = self.tree, slice(1, 1 + int(self.tree.child_count[0]))
        low = self.extras.low[children].tolist() if self.options.solver else repeat(-math.inf)
        high = self.extras.high[children].tolist() if self.options.solver else repeat(math.inf)
        rows = tree.action[children].tolist(), tree.visits[children].tolist(), tree.total[children].tolist()
        return list(zip(*rows, low, high, strict=False))  # without a solver, the bounds have no end

    def run(self, simulations: int, seconds: float | None, stopped: Callable[[], bool]) -> int:
        """Run simulations until there are so many, the time is over, or the root is proved; return their number.

        There are no more of them than the tree can count.
        """
        assert self.tree is not None
        simulations = min(simulations, MOST_SIMULATIONS - int(self.tree.visits[0]))
        start = now = time.perf_counter()
        done, chunk = 0, _FIRST_CHUNK

        def is_late() -> bool:
            return done > 0 and seconds is not None and time.perf_counter() - start >= seconds

        def may_go_on() -> bool:
            return done == 0 or not (stopped() or (seconds is not None and now - start >= seconds))

        while done < simulations and may_go_on():
            before, wanted = time.perf_counter(), min(chunk, simulations - done)
            finished = self._simulate(wanted)
            now = time.perf_counter()
            done += finished
            if self.proved:
                break
            if finished:  # it may be few, if the tree got full: the time of each tells, not that of the call
                fitting = int(_CHUNK_SECONDS * finished / max(now - before, 1e-9))
                chunk = min(max(fitting, 1), 8 * chunk)
            if finished < wanted:
                self._grow(is_late)
                now = time.perf_counter()
        return done

    def _simulate(self, simulations: int) -> int:
        return simulate(*self._arguments(self.tree, self.extras, simulations))

    def _arguments(self, tree: Tree | None, extras: Extras | None, simulations: int) -> tuple[Any, ...]:
        options, extras = (None, None) if self._plain else (self.options, extras)
        return (
            self.game,
            self._root,
            self._moves,
            self._scratch,
            tree,
            extras,
            options,
            self.policy,
            self.repeats,
            self._buffer,
            self.rng,
            self.c,
            simulations,
        )

    def _grow(self, is_late: Callable[[], bool]) -> None:
        """Make room for twice as many nodes, unless that takes too long."""
        assert self.tree is not None
        assert self.extras is not None
        room = self.tree.visits.size
        nodes = min(2 * room, self._most)
        if nodes == room:
            self.tree.full[0] = True  # the search goes on in the tree as it is
            return
        tree = grown(self.tree, nodes, is_late)
        extras = None if tree is None else grown(self.extras, nodes, is_late)
        repeats = self.repeats if self.repeats is None or extras is None else grown(self.repeats, nodes, is_late)
        if tree is not None and extras is not None and (repeats is not None or self.repeats is None):
            self.tree, self.extras, self.repeats = tree, extras, repeats

    def _empty_tree(self, mover: int) -> None:
        """Empty the tree of the last move, or make a new one."""
        if self.tree is None or self.extras is None:
            nodes = min(max(_NODES, 4 * self.game.num_actions), self._most)
            self.tree = new_tree(nodes, self.game.max_plies)
            self.extras = new_extras(self.options, nodes, self.game.num_actions)
            if self.repeats is not None:
                self.repeats = with_past(new_repeats(self.game, nodes), self.repeats.past)
        clear(self.tree, mover)

    def _move_root(self, state: State, actions: NDArray[np.int32], past: NDArray[np.uint64] | None) -> bool:
        """Move the root to where the game is, if the tree has that with these actions; return whether it has."""
        tree, extras, repeats = self.tree, self.extras, self.repeats
        if tree is None or extras is None:
            return False
        node = find(self.game, tree, self._root[0], state)
        if node is None or tree.child_count[node] == 0:
            return False
        before = None
        if repeats is not None:
            before = kept_past(self.game, repeats.past, repeats.key[way_to(tree, node)], past)
            if before is None:
                return False
        new = new_tree(tree.visits.size, self.game.max_plies)
        origin = subtree(tree, node, actions, new)
        if origin is None:
            return False
        kept = {name: array for name, array in extras._asdict().items() if array.size and name != "played"}
        for name, array in kept.items():
            kept[name] = np.zeros_like(array)
            kept[name][: origin.size] = array[origin]
        self.tree, self.extras = new, extras._replace(**kept)
        if repeats is not None and before is not None:
            self.repeats = moved(repeats, origin, before)
        if self.options.solver:  # of the actions that are left
            self.extras.low[0], self.extras.high[0] = bounds_of(new, self.extras, 0)
        return True
