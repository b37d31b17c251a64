"""Learning from samples: the losses; `descent` has the optimizer, the learning rate, and the mean of the weights.

The loss is AlphaZero's, with the policy as the target of a cross-entropy and the value as that of a squared error
(D. Silver et al., Science 362, 2018), or, for chances of win, draw and loss, of a cross-entropy with the result and a
squared error of the expected value.

This module needs torch when it is imported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from ....agents.networks import AUXILIARY
from ....agents.networks.module import plies_unit
from ....envs import Game
from .config import AlphaZeroConfig
from .descent import Descent, log_chances
from .replay import Batch
from .samples import UNPROVED

__all__ = ["Learner", "value_targets"]


class Learner(Descent):
    """A net that learns from samples.

    Args:
        game: the game.
        config: the configuration.
        net: the net, a `PolicyValueNet`, which is changed in place.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, net: Any) -> None:
        super().__init__(config, net)
        self.game, self.config = game, config

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take a step, and return the losses by name."""
        losses = self._losses(self.outputs(self.tensor(batch.planes)), batch)
        config = self.config
        total = losses["policy"] + config.value_weight * losses["value"]
        for name in AUXILIARY:
            if name in losses:
                total = total + getattr(config, name) * losses[name]
        norm = self.step(total)
        return {name: float(loss.detach()) for name, loss in losses.items()} | {"gradient": norm}

    def _losses(self, outputs: Any, batch: Batch) -> dict[str, torch.Tensor]:
        """Return the losses, means over the samples."""
        legal, full = self.tensor(batch.masks), self.tensor(batch.full).float()
        chances = log_chances(outputs.logits, legal)
        divergence = -(self.tensor(batch.policies) * chances).sum(1)
        losses = {"policy": (divergence * full).sum() / full.sum().clamp(min=1)}
        value = outputs.value.float().reshape(-1)
        if outputs.value_logits is None:
            losses["value"] = (value - self.tensor(value_targets(batch, self.config))).square().mean()
        else:
            losses["value"] = self._loss_of_chances(outputs.value_logits.float(), value, batch)
        if outputs.plies_left is not None and self.config.plies_left > 0:
            left, unit = outputs.plies_left.float().reshape(-1), plies_unit(self.game.observation_shape)
            losses["plies_left"] = functional.smooth_l1_loss(
                left / unit, self.tensor(batch.plies_left) / unit, beta=0.1
            )
        if batch.owners is not None:
            owners = self.tensor(batch.owners)
            if outputs.ownership is not None and self.config.ownership > 0:
                losses["ownership"] = (outputs.ownership.float().reshape(owners.shape) - owners).square().mean()
            if outputs.score is not None and self.config.score > 0:
                cells, score = owners.shape[1], outputs.score.float().reshape(-1)
                losses["score"] = functional.smooth_l1_loss(score / cells, owners.sum(1) / cells, beta=0.1)
        return losses

    def _loss_of_chances(self, logits: torch.Tensor, value: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Return the loss of the chances of win, draw and loss, which stand in this order.

        The search's value is that of many chances, so only the expected value is compared with it.

        Raises:
            ValueError: a result is none of these three.
        """
        is_proved = (batch.proved != UNPROVED) & self.config.proofs
        results = np.where(is_proved, batch.values, batch.results)
        signs = np.sign(results)
        if (results != signs).any():  # no class for it: and a game does not say beforehand how its games may end
            raise ValueError(
                f"wdl tells wins, draws and losses apart, which are worth 1, 0 and -1, and a game of {self.game.spec} "
                f"ended with {results[results != signs][0]:g} of the largest utility: train with value=tanh"
            )
        classes = self.tensor(1 - signs.astype(np.int64))
        share = self.tensor(np.where(is_proved, 0.0, self.config.root_value_share).astype(np.float32))
        by_result = functional.cross_entropy(logits, classes, reduction="none")
        by_search = (value - self.tensor(batch.values)).square()
        return ((1 - share) * by_result + share * by_search).mean()


def value_targets(batch: Batch, config: AlphaZeroConfig) -> NDArray[np.float32]:
    """Return the values to learn [samples]: a mix of result and the search's value, or what was proved.

    The search's value is then what was proved: a share of the largest utility, such as 0.375 where results are graded.
    """
    share = np.float32(config.root_value_share)
    mixed = (1 - share) * batch.results + share * batch.values
    return np.where(batch.proved != UNPROVED, batch.values, mixed) if config.proofs else mixed
