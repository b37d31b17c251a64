"""The network of AlphaZero alone, as a policy: no search."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, as_game
from ..networks import Inference, NetworkEvaluator
from ..policies.network import ModelNetwork
from ..policies.policy import Policy
from .nets import has_learned_values, inference_of

__all__ = ["NetworkModel", "network"]

_BATCH = 64  # positions that are asked about together, at most


def network(
    game: Game | str,
    net: Any = None,
    *,
    deterministic: bool = True,
    backend: str = "auto",
    threads: int = 1,
    device: str = "cpu",
    seed: int | None = None,
) -> Policy:
    """What a network of AlphaZero prefers, without a search.

    Another backend, or another kind of processor, gives other last digits, and now and then another action.

    Args:
        game: the game, or its name.
        net: the folder of a run, a file of weights, or a `PolicyValueNet`. Default: the network of this game that comes
            with the package.
        deterministic: play the preferred action; False: draw from the network's probabilities.
        backend: ``"openvino"``, ``"onnxruntime"``, ``"torch"``, ``"numpy"``, or ``"auto"``, the first that is here.
        threads: threads that compute.
        device: where it is computed, as in ``"cuda"``.
        seed: the seed of the draws; None takes one from the system's entropy.

    Raises:
        ValueError: the network is for another game, or damaged.
        FileNotFoundError: there is no such network.
        ImportError: the library that ``backend`` names is not installed.
    """
    game = as_game(game)
    settings: dict[str, Any] = {"backend": backend, "threads": threads, "device": device}
    made = inference_of(game, net, batch=_BATCH, **settings)
    return Policy(game, NetworkModel(made, net, settings), deterministic=deterministic, seed=seed)


class NetworkModel(ModelNetwork):
    """A network, asked as `Policy` asks models of other libraries. Threads may share it, and copies of a policy do.

    Args:
        inference: what computes it.
        net: where it is from, by which a copy in another process finds it again.
        settings: what else `inference_of` takes.
    """

    def __init__(self, inference: Inference, net: str | Path | Any, settings: dict[str, Any]) -> None:
        self.model, self._net, self._settings = inference, net, settings
        self._turn = threading.Lock()

    @property
    def has_q_values(self) -> bool:
        """Whether the scores of actions are Q-values: never."""
        return False

    @property
    def has_values(self) -> bool:
        """Whether it has learned what positions are worth, by what its file says of it."""
        return has_learned_values(self._game, self._net)

    def check(self, game: Game) -> None:
        """Check that the network is for ``game``.

        Raises:
            ValueError: it is for another.
        """
        NetworkEvaluator(self.model).check(game)
        self._game, self._unit = game, float(game.max_utility)

    def _ask(self, planes: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shape = self._game.observation_shape
        planes = planes.reshape(-1, *shape).astype(self._game.observation_dtype, copy=False)
        with self._turn:  # the next answer is written where this one stands
            logits, values = self.model(planes)
            return logits.astype(np.float64), values.astype(np.float64) * self._unit

    def scores(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the logits [positions, num_actions]."""
        return self._ask(planes)[0]

    def values(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the utilities [positions] that the network expects for the players to move."""
        return self._ask(planes)[1]

    def scores_and_values(
        self, planes: NDArray[Any], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both."""
        return self._ask(planes)

    def __deepcopy__(self, memo: Any) -> NetworkModel:
        return self  # it keeps nothing of a game, and threads wait for each other

    def __getstate__(self) -> dict[str, Any]:
        return {"net": self._net, "settings": self._settings, "game": self._game}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        game, net, settings = (attributes[name] for name in ("game", "net", "settings"))
        self.__init__(inference_of(game, net, batch=_BATCH, **settings), net, settings)
        self.check(game)
