"""A network as what tells `PUCT` priors and values."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.outside.arguments import is_positive
from ..puct.evaluators import Answer, ObservationEvaluator, priors_of
from .inference import Inference, make_inference

if TYPE_CHECKING:
    from .module import PolicyValueNet

__all__ = ["NetworkEvaluator"]


class NetworkEvaluator(ObservationEvaluator):
    """The evaluator for `PUCT` of a network.

    Args:
        net: the network, its file, or an `Inference` of it.
        temperature: the logits are divided by it before they become probabilities.
        settings: what else `make_inference` takes, as in ``batch=64``; by its ``game`` a network gets
            another size of board.

    Raises:
        ValueError: the temperature is not above 0, or the file is damaged; when a search is made with it: the network
            is for another game, or another search counts utilities otherwise.
        FileNotFoundError: there is no such file.
    """

    def __init__(
        self, net: PolicyValueNet | Inference | str | Path, *, temperature: float = 1.0, **settings: Any
    ) -> None:
        if not is_positive(temperature):
            raise ValueError(f"temperature must be a number above 0, got {temperature!r}")
        self.temperature = temperature
        self._unit: float | None = None  # the largest utility, once a game is known: values are shares of it
        self.inference = net if isinstance(net, Inference) else make_inference(net, **settings)

    def __deepcopy__(self, memo: Any) -> NetworkEvaluator:
        made = copy.copy(self)
        made.inference = copy.deepcopy(self.inference, memo)  # not for two threads, as copies of a player are
        return made

    def check(self, game: Game) -> None:
        """Check that the network sees the planes of ``game``, and knows its actions; values are then in its unit.

        Raises:
            ValueError: it is for another game, or was checked for one with another ``max_utility``, whose search would
                be told values in the unit of this one.
        """
        config, unit = self.inference.config, float(game.max_utility)
        if config.on(game) != config:
            raise ValueError(
                f"the network was made ready for {config.game}: make the evaluator with game={game.spec!r}"
            )
        if self._unit not in (None, unit):
            raise ValueError(
                f"the evaluator tells values up to {self._unit:g}, for another search, and utilities of {game.spec} go "
                f"up to {unit:g}: make an evaluator for each"
            )
        self._unit = unit

    def __call__(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> Answer:
        """Return priors [batch, num_actions] and values [batch]."""
        logits, values = self.inference(observations)
        return priors_of(logits / self.temperature, masks), self._scaled(values)

    def values(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        """Return values [batch] alone."""
        return self._scaled(self.inference(observations)[1])

    def _scaled(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        return (self._unit or 1.0) * values.astype(np.float64)
