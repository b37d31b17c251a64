"""Learning from samples: the losses, the optimizer, the learning rate, and the mean of the weights.

The loss is AlphaZero's, with the policy as the target of a cross-entropy and the value as that of a squared error
(D. Silver et al., Science 362, 2018), or, for chances of win, draw and loss, of a cross-entropy with the result and a
squared error of the expected value. Weights decay by AdamW (I. Loshchilov, F. Hutter, ICLR 2019), not by the loss.

This module needs torch when it is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from ....agents.networks import AUXILIARY
from ....envs import Game
from .config import AlphaZeroConfig
from .replay import Batch
from .samples import UNPROVED

__all__ = ["Learner", "value_targets"]

_ILLEGAL = -1e9  # a logit, whose probability is 0


class Learner:
    """A net, what improves it, and the mean of its weights over the steps.

    Args:
        game: the game.
        config: the configuration.
        net: the net, a `PolicyValueNet`, which is changed in place.

    Attributes:
        net: the net that learns.
        average: the net with the mean of the weights, which plays.
        steps: the steps of learning so far.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, net: Any) -> None:
        self.game, self.config = game, config
        self.device = torch.device(config.device)
        self.net = net.to(self.device, memory_format=torch.channels_last)
        self.average = deepcopy(self.net).requires_grad_(False).eval()
        self._weights = list(self.net.parameters())
        self._means = list(self.average.parameters())
        self._optimizer = torch.optim.AdamW(
            _groups(self.net, config.weight_decay), lr=config.learning_rate, fused=True, betas=(0.9, 0.99)
        )
        self.steps = 0
        # bf16 halves the time of a step where the processor multiplies matrices of it.
        self._is_short = config.precision == "bf16" or (config.precision == "auto" and _multiplies_bf16(self.device))

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take a step, and return the losses by name."""
        for group in self._optimizer.param_groups:
            group["lr"] = self.learning_rate
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._is_short):
            outputs = self.net(self._tensor(batch.planes))
        losses = self._losses(outputs, batch)
        config = self.config
        total = losses["policy"] + config.value_weight * losses["value"]
        for name in AUXILIARY:
            if name in losses:
                total = total + getattr(config, name) * losses[name]
        self._optimizer.zero_grad(set_to_none=True)
        total.backward()
        norm = torch.nn.utils.clip_grad_norm_(self._weights, config.clip)
        self._optimizer.step()
        self._follow()
        self.steps += 1
        return {name: float(loss.detach()) for name, loss in losses.items()} | {"gradient": float(norm)}

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step, which does not depend on when the run ends."""
        config, step = self.config, self.steps + 1
        rate = config.learning_rate * min(1.0, step / max(1, config.warm_up))
        if config.schedule == "inverse_root":
            rate *= (config.decay_after / max(step, config.decay_after)) ** 0.5
        return rate

    def _losses(self, outputs: Any, batch: Batch) -> dict[str, torch.Tensor]:
        """Return the losses, means over the samples."""
        legal, full = self._tensor(batch.masks), self._tensor(batch.full).float()
        chances = functional.log_softmax(outputs.logits.float().masked_fill(~legal, _ILLEGAL), dim=1)
        divergence = -(self._tensor(batch.policies) * chances).sum(1)
        losses = {"policy": (divergence * full).sum() / full.sum().clamp(min=1)}
        value = outputs.value.float().reshape(-1)
        if outputs.value_logits is None:
            losses["value"] = (value - self._tensor(value_targets(batch, self.config))).square().mean()
        else:
            losses["value"] = self._loss_of_chances(outputs.value_logits.float(), value, batch)
        if outputs.plies_left is not None and self.config.plies_left > 0:
            left = outputs.plies_left.float().reshape(-1)
            losses["plies_left"] = functional.smooth_l1_loss(
                left / self.game.max_plies, self._tensor(batch.plies_left) / self.game.max_plies, beta=0.1
            )
        if batch.owners is not None:
            owners = self._tensor(batch.owners)
            if outputs.ownership is not None and self.config.ownership > 0:
                losses["ownership"] = (outputs.ownership.float().reshape(owners.shape) - owners).square().mean()
            if outputs.score is not None and self.config.score > 0:
                cells, score = owners.shape[1], outputs.score.float().reshape(-1)
                losses["score"] = functional.smooth_l1_loss(score / cells, owners.sum(1) / cells, beta=0.1)
        return losses

    def _loss_of_chances(self, logits: torch.Tensor, value: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Return the loss of the chances of win, draw and loss, which stand in this order.

        The search's value is that of many chances, so only the expected value is compared with it.
        """
        is_proved = (batch.proved != UNPROVED) & self.config.proofs
        results = np.where(is_proved, batch.proved, batch.results)
        classes = self._tensor(1 - np.sign(results).astype(np.int64))
        share = self._tensor(np.where(is_proved, 0.0, self.config.root_value_share).astype(np.float32))
        by_result = functional.cross_entropy(logits, classes, reduction="none")
        by_search = (value - self._tensor(batch.values)).square()
        return ((1 - share) * by_result + share * by_search).mean()

    def _follow(self) -> None:
        """Let the mean follow the weights; over the first steps it is that of all steps so far, nearly."""
        decay = min(self.config.averaging, (1 + self.steps) / (10 + self.steps)) if self.config.averaging else 0.0
        with torch.no_grad():
            for mean, weights in zip(self._means, self._weights, strict=True):
                mean.lerp_(weights, 1 - decay)

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def state_dict(self) -> dict[str, Any]:
        """Return all that learning goes on from: tensors in nested dicts, and the steps."""
        optimizer = self._optimizer.state_dict()["state"]
        return {
            "steps": self.steps,
            "net": dict(self.net.state_dict()),
            "average": dict(self.average.state_dict()),
            "optimizer": {str(place): dict(moments) for place, moments in optimizer.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where a learner of the same configuration was.

        Raises:
            RuntimeError: the weights do not fit the net.
        """
        self.steps = int(state["steps"])
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        fresh = self._optimizer.state_dict()
        moments = {
            int(place): {name: one.clone() for name, one in its.items()} for place, its in state["optimizer"].items()
        }
        self._optimizer.load_state_dict({"state": moments, "param_groups": fresh["param_groups"]})


def value_targets(batch: Batch, config: AlphaZeroConfig) -> NDArray[np.float32]:
    """Return the values to learn [samples]: a mix of result and the search's value, or what was proved."""
    share = np.float32(config.root_value_share)
    mixed = (1 - share) * batch.results + share * batch.values
    return np.where(batch.proved != UNPROVED, batch.proved, mixed).astype(np.float32) if config.proofs else mixed


def _groups(net: Any, decay: float) -> list[dict[str, Any]]:
    """Return the weights in two groups: matrices, which decay, and offsets and scales, which do not."""
    matrices = [one for one in net.parameters() if one.ndim > 1]
    others = [one for one in net.parameters() if one.ndim <= 1]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


def _multiplies_bf16(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)())
