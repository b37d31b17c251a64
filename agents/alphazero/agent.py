"""AlphaZero as a player: a tree search that asks a trained network, without noise.

Sources: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play", Science 362 (2018); I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs import Game, GameBatch, Opponents, State
from ...envs.vector.opponents import Memoryless
from ..agent import Observation
from ..analysis import Analysis
from ..compiling import compiling
from ..puct.forest import Forest, Root, Searched
from ..puct.observing import Observer
from ..search import SearchAgent, check_budget
from .nets import inference_of

__all__ = ["AlphaZero"]

_SIMULATIONS = 100  # of a move, without a budget
_MOST = 1 << 16  # simulations of a search by time, at most
_FIRST = 32  # simulations by which such a search finds out how fast it is


class AlphaZero(SearchAgent):
    """AlphaZero: a search of few simulations, each of which asks a network about a new position.

    The search is that of self-play, without its noise: the root is Gumbel's, by sequential halving (Danihelka et al.
    2022), or PUCT's; results that are proved go up the tree, and end the search when they reach the root. The same
    network and number of simulations give the same move; seconds do not. In `analyse`, ``values`` are those of the
    visited actions for the player to move, ``priors`` the network's.

    Args:
        game: the game, or its name.
        net: the folder of a run, a file of weights, a `PolicyValueNet`, or an `Inference`. Default: the network of this
            game that comes with the package.
        simulations: for each move. Without a budget there are 100.
        seconds: wall-clock time for each move. Of both budgets the first to run out ends the search.
        root: ``"gumbel"`` or ``"puct"``.
        considered: actions that a Gumbel root tries, at most.
        c_visit, c_scale: of Gumbel's σ, see `Forest`.
        c: how much PUCT explores.
        leaves: positions of one search that the network is asked about together, at most; a PUCT root asks about one.
        inference: ``"torch"``, ``"openvino"``, ``"onnxruntime"``, or ``"auto"``, the fastest that is installed.
        threads: threads that compute the network.
        device: where it is computed, as in ``"cuda"``.

    Raises:
        ValueError: an argument is out of its range, or the network is for another game, or damaged.
        FileNotFoundError: there is no such network.
        ImportError: no library that computes networks is installed.
    """

    kind = "alphazero"

    def __init__(
        self,
        game: Game | str,
        net: Any = None,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        root: Root = "gumbel",
        considered: int = 16,
        c_visit: float = 50.0,
        c_scale: float = 1.0,
        c: float = 1.25,
        leaves: int = 8,
        inference: str = "auto",
        threads: int = 1,
        device: str = "cpu",
    ) -> None:
        super().__init__(game)
        check_budget(simulations=simulations, seconds=seconds, leaves=leaves, threads=threads)
        if simulations is None and seconds is None:
            simulations = _SIMULATIONS
        self.simulations, self.seconds, self.net = simulations, seconds, net
        self._settings = {
            "root": root, "considered": considered, "c_visit": c_visit, "c_scale": c_scale, "c": c, "leaves": leaves
        }  # fmt: skip
        self._inference = {"batch": leaves, "inference": inference, "threads": threads, "device": device}
        self._observer = Observer(self.game)
        self._shown: Observation | None = None  # what the environment shows at the root
        self._make()

    def _make(self) -> None:
        self.inference = inference_of(self.game, self.net, **self._inference)
        self._forest = self._new_forest(1)

    def _new_forest(self, rows: int) -> Forest:
        most = _MOST if self.simulations is None else self.simulations
        settings: dict[str, Any] = self._settings
        return Forest(self.game, rows, simulations=most, noise=False, epsilon=0.0, forced=0.0, **settings)

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: nothing is drawn, and nothing is kept of a game."""

    def _compile(self) -> None:
        self._forest.prepare()
        self._evaluate(np.zeros((1, *self.game.observation_shape), self.game.observation_dtype), np.zeros((1, 0), bool))

    def _evaluate(
        self, planes: NDArray[Any], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self.inference(planes)

    def _analyse(self, state: State, mask: ArrayLike | None, observation: Observation | None) -> Analysis:
        self._shown = observation
        return super()._analyse(state, mask, observation)

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        root = np.array([state], self.game.dtype)
        self._observer.begin(root, self._shown)
        masks = np.zeros((1, self.game.num_actions), np.bool_)
        masks[0, actions] = True
        forest = self._forest
        forest.forget()
        before = forest.evaluations
        done, found = self._run(root, masks, start)
        return self._answer(found, done, forest.evaluations - before, time.perf_counter() - start)

    def _run(self, root: NDArray[Any], masks: NDArray[np.bool_], start: float) -> tuple[int, Searched]:
        """Search within the budget, and return how many simulations that were, and what they found.

        A search by time first finds out how fast it is, and then begins again, in the same tree, with as many
        simulations as the time allows.
        """
        forest, seconds = self._forest, self.seconds
        done = forest.simulations_done

        def is_late() -> bool:
            return seconds is not None and time.perf_counter() - start >= seconds

        def search(simulations: int) -> Searched:
            return forest.search(
                root, self._evaluate, masks=masks, simulations=simulations, shown=self._observer.shown,
                interrupted=is_late,
            )  # fmt: skip

        most = forest.simulations
        if seconds is None:
            found = search(most)
        else:
            first = min(_FIRST, most)
            found = search(first)
            left = seconds - (time.perf_counter() - start)
            more = min(most - first, int(first * left / max(time.perf_counter() - start, 1e-6)))
            if more > 0 and left > 0 and not found.proved[0]:
                found = search(more)
        return forest.simulations_done - done, found

    def _answer(self, found: Searched, simulations: int, evaluations: int, seconds: float) -> Analysis:
        edges, unit = self._forest.edges_at_root(0), float(self.game.max_utility)
        tried = edges[edges["visits"] > 0]
        q = np.where(tried["proved"], tried["exact"], tried["total"] / np.maximum(tried["visits"], 1)) * unit
        values = dict(zip(tried["action"].tolist(), q.tolist(), strict=True))
        best, proved = int(found.actions[0]), bool(found.proved[0])
        value = float(found.values[0]) * unit
        values.setdefault(best, value)
        pv = (best, *self._forest.line_after(0, best))
        return Analysis(
            best_action=best,
            value=value,
            best_actions=(best,),
            values=dict(sorted(values.items())),
            visits=dict(zip(edges["action"].tolist(), edges["visits"].tolist(), strict=True)),
            priors=dict(zip(edges["action"].tolist(), edges["prior"].tolist(), strict=True)),
            pv=pv,
            depth=len(pv),
            nodes=int(self._forest.trees.rows["nodes"][0]),
            leaves=simulations,
            exact=proved,
            seconds=seconds,
            proved=tuple(sorted(tried["action"][tried["proved"]].tolist())),
            selective_depth=int(self._forest.trees.rows["deepest"][0]),
            statistics={"evaluated positions": evaluations, "full trees": int(self._forest.trees.rows["full"][0])},
        )

    def batched(self) -> Opponents | None:
        """Return players of many games at once, see `plyground.envs.as_opponents`; None for a budget in seconds."""
        return None if self.seconds is not None else _BatchedAlphaZero(self)

    def __getstate__(self) -> dict[str, Any]:
        left_out = "inference", "_forest", "_shown"
        return {name: value for name, value in super().__getstate__().items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _shown=None)
        self._make()

    def __deepcopy__(self, memo: Any) -> AlphaZero:
        copy = type(self).__new__(type(self))
        vars(copy).update(vars(self))
        copy._observer, copy._forest = Observer(self.game), self._new_forest(1)  # the network is shared
        memo[id(self)] = copy
        return copy


class _BatchedAlphaZero(Memoryless):
    """Searches the rows of a batch side by side, with one forest."""

    def __init__(self, agent: AlphaZero) -> None:
        self.agent = agent
        self._forest: Forest | None = None

    def prepare(self, batch: GameBatch) -> None:
        """Compile the searches."""
        self.agent.prepare()
        if self._forest is None or self._forest.rows < batch.num_envs:
            with compiling(self.agent.kind, self.agent.game):
                self._forest = self.agent._new_forest(batch.num_envs)
                self._forest.prepare()

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the actions that the searches choose, which draw nothing."""
        self.prepare(batch)
        assert self._forest is not None
        self._forest.forget()
        shown = batch.seen_by_both()
        found = self._forest.search(
            batch.states[rows],
            self.agent._evaluate,
            masks=batch.masks[rows],
            shown=None if shown is None else shown[rows],
        )
        return found.actions.astype(np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return {"agent": self.agent, "_forest": None}
