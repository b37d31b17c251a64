"""AlphaZero as a player: the search of self-play without its noise, which asks a trained network.

Sources: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play", Science 362 (2018); I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, GameBatch, Opponents, as_game
from ...envs.outside.arguments import checked_whole
from ...envs.outside.limits import MOST_THREADS
from ...envs.vector.opponents import Memoryless
from ..compiling import compiling
from ..networks import NetworkEvaluator
from ..puct import PUCT
from ..puct.forest import Forest, Root
from ..settings import check_budget
from .nets import inference_of

__all__ = ["AlphaZero"]

_SIMULATIONS = 100  # of a move, without a budget


class AlphaZero(PUCT):
    """AlphaZero: a search of few simulations, each of which asks a network about a new position.

    It is a `PUCT` with a network, a Gumbel root (Danihelka et al. 2022) and proofs: results that are certain go up the
    tree, and end the search when they reach the root. Nothing is drawn: the same network and number of simulations give
    the same move, if the same backend computes the network on the same kind of processor. Others give other last
    digits, and now and then another move. Seconds do not give the same move.

    Args:
        game: the game, or its name.
        net: the folder of a run, a file of weights, a `PolicyValueNet`, or an `Inference`. Default, or by the game's
            own name: the network of this game that comes with the package.
        simulations: how many there are for each move. Without a budget there are 100.
        seconds: wall-clock time for each move. Of both budgets the first to run out ends the search.
        root: ``"gumbel"``, or ``"puct"`` as in AlphaZero.
        considered: actions that a Gumbel root tries, at most.
        c_visit, c_scale: the constants of Gumbel's σ, for values from 0 to 1.
        c: how much a PUCT root explores.
        decisive: take a leaf as proved, without asking the network, where a move wins at once, see `Forest`; None, as
            in self-play: in all games but those that count cells, such as Go.
        batch: leaves that are evaluated together, at most; with a Gumbel root it changes nothing that is found.
        reuse_tree: keep what is known of the position that the game has come to.
        superko, repetitions: leave out of the tree what would bring a position back, in games that forbid that, and
            know draws by repetition, in games that have them, as `PUCT` does.
        tree_mb: megabytes in which the tree must have room, as for `PUCT`.
        backend: ``"openvino"``, ``"onnxruntime"``, ``"torch"``, ``"numpy"``, or ``"auto"``, the first that is here.
        threads: threads that compute the network.
        device: where it is computed, as in ``"cuda"``.

    Raises:
        ValueError: an argument is out of its range, or the network is for another game, or damaged.
        FileNotFoundError: there is no such network.
        ImportError: the library that ``backend`` names is not installed.
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
        decisive: bool | None = False,
        batch: int = 8,
        reuse_tree: bool = False,
        superko: bool = True,
        repetitions: bool = True,
        tree_mb: float | None = None,
        backend: str = "auto",
        threads: int = 1,
        device: str = "cpu",
    ) -> None:
        game = as_game(game)
        check_budget(simulations=simulations, seconds=seconds)
        batch = checked_whole("batch", batch, 1)
        self._threads = threads = checked_whole("threads", threads, 1, MOST_THREADS)
        if simulations is None and seconds is None:
            simulations = _SIMULATIONS
        how: dict[str, Any] = {"batch": batch, "backend": backend, "threads": threads, "device": device}
        self.inference = inference_of(game, net, values=True, **how)
        self._options = {
            "root": root,
            "considered": considered,
            "c_visit": c_visit,
            "c_scale": c_scale,
            "c": c,
            "decisive": decisive,
            "superko": superko,
            "repetitions": repetitions,
        }
        super().__init__(
            game,
            simulations,
            seconds=seconds,
            evaluator=NetworkEvaluator(self.inference),
            proofs=True,
            batch=batch,
            reuse_tree=reuse_tree,
            tree_mb=tree_mb,
            **self._options,
        )

    @property
    def threads(self) -> int:
        """Threads that compute the network; fixed when the player is made."""
        return self._threads

    def batched(self) -> Opponents | None:
        """Return players of many games at once, see `plyground.envs.as_opponents`; None for a budget in seconds."""
        return None if self.seconds is not None or self.reuse_tree else _BatchedAlphaZero(self)

    @property
    def forest_options(self) -> dict[str, Any]:
        """What a forest is made with that searches many positions as this player does one; some may be set later."""
        names = "simulations", "root", "c", "c_base", "fpu", "noise", "noise_alpha"
        return {**self._options, "forced": 0.0, **{name: getattr(self, name) for name in names}}


class _BatchedAlphaZero(Memoryless):
    """Searches the rows of a batch side by side, in one forest."""

    def __init__(self, agent: AlphaZero) -> None:
        self.agent = agent
        self._forest: Forest | None = None
        self._options: dict[str, Any] = {}

    def __repr__(self) -> str:
        return repr(self.agent)

    def prepare(self, batch: GameBatch) -> None:
        """Compile the searches."""
        options = self.agent.forest_options
        if self._forest is None or self._forest.num_trees < batch.num_envs or options != self._options:
            self._options, self._forest = options, Forest(self.agent.game, batch.num_envs, **options)
            with compiling(self.agent.kind, self.agent.game):
                self._forest.prepare()

    def act(self, batch: GameBatch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the actions that the searches choose, which draw nothing."""
        self.prepare(batch)
        assert self._forest is not None
        self._forest.forget()
        shown = batch.seen_by_both()
        found = self._forest.search(
            batch.states[rows],
            lambda planes, masks: self.agent.inference(planes),
            masks=batch.masks[rows],
            shown=None if shown is None else shown[rows],
            past=batch.pasts(rows),
        )
        return found.actions.astype(np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return {"agent": self.agent, "_forest": None, "_options": {}}
