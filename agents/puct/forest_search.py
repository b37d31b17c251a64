"""One tree of a forest as the tree of `PUCT`: for a Gumbel root, and for proofs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ..analysis import Analysis
from ..listening import Listener
from ..mcts.report import standard_error
from .forest import Forest, Root, Searched
from .forest.proofs import UNPROVED
from .forest.trees import MOST_EDGES
from .observing import Observer
from .values import LeafValues, latest_actions

__all__ = ["ForestSearch"]

_MEGABYTES = 1024  # of a tree, if nothing is said; what is not written to takes no memory
_FIRST, _MOST = 64, 1 << 16  # simulations of the first search, if seconds alone are given; each next one doubles them


class ForestSearch:
    """Searches with a forest of one row.

    Args:
        game: the game.
        values: tells priors and values of leaves.
        observer: what writes observations for the evaluator; None for one that is shown states.
        simulations: how many there are for each move; None: until the seconds are over.
        megabytes: the memory for the tree.
        is_strict: whether more simulations than have room are refused; else there are as many as have.
        rngs: uint64 [1, 1] the state of the noise's random numbers, which go on in it.
        root, leaves, options: what the `Forest` is made with.

    Raises:
        ValueError: the simulations need more memory.
    """

    def __init__(
        self,
        game: Game,
        values: LeafValues,
        observer: Observer | None,
        *,
        simulations: int | None,
        megabytes: float | None,
        root: Root,
        leaves: int,
        is_strict: bool,
        rngs: NDArray[np.uint64],
        **options: Any,
    ) -> None:
        self.game, self.values, self.observer = game, values, observer
        megabytes = _MEGABYTES if megabytes is None else float(megabytes)
        most = room = 1
        # The way to a leaf takes room for each of the first simulations, until it is as long as a game.
        for few in (game.max_plies // 2 + 1, 1):
            forests = [Forest(game, 1, simulations=n, root=root, leaves=leaves, **options) for n in (few, few + 1)]
            small, edges = [one.nbytes for one in forests], [one.trees.edges.shape[1] for one in forests]
            if small[0] <= megabytes * 2**20:
                room = few + int((megabytes * 2**20 - small[0]) / (small[1] - small[0]))
                most = min(room, few + (MOST_EDGES - edges[0]) // (edges[1] - edges[0]))
                break
        self.asked = {"simulations": simulations, "root": root, **options}
        if simulations is not None and simulations > most and not is_strict:
            simulations = None
        if simulations is not None and simulations > most:
            if most < room:
                raise ValueError(f"{simulations} simulations need more edges than a tree can have: give {most} at most")
            raise ValueError(
                f"{simulations} simulations need more than tree_mb={megabytes:g}, in which {most} have room: "
                "give tree_mb more, or fewer simulations"
            )
        self.simulations = simulations
        self.forest = Forest(game, 1, simulations=simulations or most, root=root, leaves=leaves, **options)
        self.forest.rngs = rngs
        self._rng, self._generator = np.zeros(1, np.uint64), np.random.default_rng(0)

    def find(self, state: State, actions: NDArray[np.int32], past: NDArray[np.uint64] | None) -> int:
        """Let the tree go on at ``state`` if it has it with these actions, and return the simulations that are kept.

        ``past`` are the keys of the positions before, where the forest wants them; None: they are not known.
        """
        trees = self.forest.trees
        size = int(trees.rows["nodes"][0])
        same = np.flatnonzero(trees.states[0, :size] == state)
        if not same.size:
            self.forest.forget()
            return 0
        node, line = int(same[0]), list[int]()
        first, children = trees.nodes["first"][0, :size], trees.edges["child"][0, : int(trees.rows["edges"][0])]
        while node > 0:
            edge = int(np.flatnonzero(children == node)[0])
            line.append(int(trees.edges["action"][0, edge]))
            node = int(np.searchsorted(first, edge, side="right")) - 1
        for action in reversed(line):
            self.forest.keep([action])
        pasts, only = self.forest.pasts, np.zeros(1, np.intp)
        is_another_game = pasts is not None and pasts.enter(only, np.ones(1, np.bool_), [past]).size > 0
        # Else the search would begin anew unseen.
        if is_another_game or set(self._edges["action"].tolist()) != set(actions.tolist()):
            self.forest.forget()
            return 0
        return int(self._edges["visits"].sum())

    def search(
        self,
        state: State,
        actions: NDArray[np.int32],
        past: NDArray[np.uint64] | None,
        rng: NDArray[np.uint64],
        generator: np.random.Generator,
        temperature: float,
        is_late: Callable[[int], bool],
        listener: Listener | None = None,
    ) -> Analysis:
        """Search a position with these legal actions; ``is_late(simulations)`` tells when the time is over.

        ``past`` are the keys of the positions before, where the forest wants them; None: they are not known. The action
        is drawn with probability ∝ π^(1/τ) of the improved policy π at the ``temperature`` τ; 0: the one found best.

        A ``listener`` hears what was found each time that the simulations have doubled.
        """
        start, forest = time.perf_counter(), self.forest
        before, self._rng, self._generator = forest.simulations_done, rng, generator
        kept = self.find(state, actions, past)
        mask = np.zeros((1, self.game.num_actions), np.bool_)
        mask[0, actions] = True
        shown = np.zeros((1, 2, *self.game.observation_shape), self.game.observation_dtype)
        if self.observer is not None:
            shown[0] = self.observer.shown
        states, batches, stopped = np.array([state], self.game.dtype), 0, False

        def evaluate(planes: NDArray[Any], masks: NDArray[np.bool_]) -> Any:
            nonlocal batches
            batches += 1
            return self._evaluate(planes, masks)

        def interrupted() -> bool:
            nonlocal stopped
            # Those of the search in progress are counted when it ends; visits may leave the tree, see `_is_drawn`.
            row = forest.trees.rows[0]
            stopped = is_late(forest.simulations_done - before + int(row["simulations"] - row["left"]))
            return stopped

        wanted = self.simulations or _FIRST
        while True:
            room = forest.trees.nodes.shape[1] - int(forest.trees.rows["nodes"][0])
            limit = self.simulations or min(wanted, room, forest.simulations)
            found = forest.search(
                states, evaluate, masks=mask, shown=shown, past=[past], simulations=limit, interrupted=interrupted
            )
            wanted = min(2 * wanted, _MOST)
            done = forest.simulations_done - before
            if self.simulations or stopped or found.proved[0] or is_late(done) or limit in (0, room):
                break
            if listener is not None and listener.hear(self._answer(found, 0.0, stopped, done, kept, batches, start)):
                break
        return self._answer(found, temperature, stopped, done, kept, batches, start)

    @property
    def _edges(self) -> NDArray[Any]:
        """The edges at the root."""
        root = self.forest.trees.nodes[0, 0]
        return self.forest.trees.edges[0, root["first"] : root["first"] + root["count"]]

    def _evaluate(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        states = self.forest.trees.leaves[0, : len(planes)]
        seen = None if self.observer is None else (planes.copy(), masks.copy())
        trees, count = self.forest.trees, len(states)
        latest = latest_actions(trees.path_edges[0, :count], trees.lengths[0, :count], trees.edges["action"][0])
        priors, values = self.values.both(states, seen, self._rng, self._generator, latest, masks)
        with np.errstate(divide="ignore"):
            return np.log(priors), values / self.game.max_utility

    def _answer(
        self,
        found: Searched,
        temperature: float,
        stopped: bool,
        simulations: int,
        kept: int,
        batches: int,
        start: float,
    ) -> Analysis:
        """Return what was found; at a temperature above 0 the action is drawn."""
        top, edges, trees = float(self.game.max_utility), np.sort(self._edges, order="action"), self.forest.trees
        proved, policy = bool(found.proved[0]), found.policies[0].astype(float)
        known, root = edges["exact"] != UNPROVED, trees.nodes[0, 0]
        with np.errstate(invalid="ignore"):
            q = np.where(known, edges["exact"], top * (edges["total"] / edges["visits"])) + 0.0  # a draw is 0, never -0
        visits = {int(edge["action"]): int(edge["visits"]) for edge in edges}
        values = {int(edge["action"]): float(value) for edge, value in zip(edges, q, strict=True) if edge["visits"]}
        best = int(found.actions[0])
        # Where all that was visited loses, the action found is one that was not visited: nothing else is to be played.
        hopeful = [] if proved else [action for action in values if policy[action] > 0]
        if stopped and hopeful:  # the last round has not seen all candidates: what is known of all decides
            best = max(hopeful, key=lambda action: (policy[action], visits[action]))
        if temperature > 0 and hopeful:
            weights = (policy[hopeful] / policy[hopeful].max()) ** (1 / temperature)
            best = int(self._generator.choice(hopeful, p=weights / weights.sum()))
        line = self._line(best)
        value, error = top * float(found.values[0]), None
        if proved:
            value, error = float(root["value"]) + 0.0, 0.0
        elif best in values:
            value, error = values[best], standard_error(values[best], visits[best], top)
        return Analysis(
            best_action=best,
            value=value,
            best_actions=tuple(edges["action"][known & (q == value)].tolist()) if proved else (best,),
            values=values,
            visits=visits,
            priors={int(edge["action"]): float(edge["prior"]) for edge in edges},
            pv=line,
            depth=len(line),
            nodes=int(trees.rows["nodes"][0]),
            leaves=simulations,
            exact=proved,
            seconds=time.perf_counter() - start,
            proved=tuple(edges["action"][known].tolist()),
            standard_error=error,
            selective_depth=int(trees.rows["deepest"][0]),
            statistics={
                "simulations kept": kept,
                "evaluated batches": batches,
                "nodes in memory": int(trees.rows["nodes"][0]),
                "full trees": int(trees.rows["full"][0]),
            },
        )

    def _line(self, action: int) -> tuple[int, ...]:
        """Return the line of the most visited actions that begins with ``action``."""
        trees, line, edges = self.forest.trees, [action], self._edges
        child = int(edges["child"][edges["action"] == action][0])
        while child >= 0:
            node = trees.nodes[0, child]
            edges = trees.edges[0, node["first"] : node["first"] + node["count"]]
            best = edges[int(edges["visits"].argmax())]
            if best["visits"] == 0:
                break
            line.append(int(best["action"]))
            child = int(best["child"])
        return tuple(line)
