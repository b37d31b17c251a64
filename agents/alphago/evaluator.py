"""Priors of one network and values of another, as what `PUCT` asks about its leaves."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ..networks import Inference, NetworkEvaluator
from ..puct.evaluators import Answer, ObservationEvaluator

__all__ = ["PairEvaluator"]


class PairEvaluator(ObservationEvaluator):
    """Tells priors by a policy network, and values by a value network; either may be missing.

    Args:
        policy: the network of the priors; None: all actions alike.
        value: the network of the values; None: all positions are worth 0.
        temperature: the logits are divided by it before they become probabilities (the paper's softmax temperature).

    Raises:
        ValueError: the temperature is not above 0.
    """

    def __init__(self, policy: Inference | None, value: Inference | None, temperature: float = 1.0) -> None:
        self.policy = None if policy is None else NetworkEvaluator(policy, temperature=temperature)
        self.value = None if value is None else NetworkEvaluator(value)

    def __deepcopy__(self, memo: Any) -> PairEvaluator:
        made = copy.copy(self)
        made.policy, made.value = copy.deepcopy(self.policy, memo), copy.deepcopy(self.value, memo)
        return made

    def check(self, game: Game) -> None:
        """Check that both networks are for ``game``.

        Raises:
            ValueError: one is for another.
        """
        for one in (self.policy, self.value):
            if one is not None:
                one.check(game)

    def __call__(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> Answer:
        """Return priors [batch, num_actions] and values [batch]."""
        priors = np.zeros(masks.shape) if self.policy is None else self.policy(observations, masks)[0]
        if self.value is None:
            return priors, np.zeros(len(masks))
        return priors, self.value.values(observations)
