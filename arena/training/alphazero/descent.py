"""Steps down a loss: the optimizer, its learning rate, and the mean of the weights.

Weights decay by AdamW (I. Loshchilov, F. Hutter, ICLR 2019), not by the loss. This module needs torch when it is
imported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from ....agents.networks.torch_backend import multiplies_bf16

__all__ = ["Descent", "DescentSettings", "log_chances"]

_ILLEGAL = -1e9  # a logit, whose probability is 0


class DescentSettings(Protocol):
    """What a `Descent` is told; see `AlphaZeroConfig` for what each means."""

    @property
    def learning_rate(self) -> float:
        """The highest learning rate."""
        ...

    @property
    def warm_up(self) -> int:
        """Steps over which it rises from 0."""
        ...

    @property
    def schedule(self) -> str:
        """``constant`` or ``inverse_root``."""
        ...

    @property
    def decay_after(self) -> int:
        """Steps after which it falls."""
        ...

    @property
    def weight_decay(self) -> float:
        """AdamW's decay of the weights."""
        ...

    @property
    def clip(self) -> float:
        """Norm at which gradients are clipped."""
        ...

    @property
    def averaging(self) -> float:
        """Decay of the mean of the weights."""
        ...

    @property
    def precision(self) -> str:
        """``f32``, ``bf16`` or ``auto``."""
        ...

    @property
    def device(self) -> str:
        """Where the net learns."""
        ...


class Descent:
    """A net, what improves it, and the mean of its weights over the steps.

    Args:
        settings: how to improve it.
        net: the net, a `PolicyValueNet`, which is changed in place.

    Attributes:
        net: the net that learns.
        average: the net with the mean of the weights, which plays.
        steps: the steps of learning so far.
        is_short: whether it learns in bfloat16.
    """

    def __init__(self, settings: DescentSettings, net: Any) -> None:
        self.settings = settings
        self.device = torch.device(settings.device)
        self.net = net.to(self.device, memory_format=torch.channels_last)
        self.average = deepcopy(self.net).requires_grad_(False).eval()
        self._weights = list(self.net.parameters())
        self._means = list(self.average.parameters())
        self._optimizer = torch.optim.AdamW(
            _groups(self.net, settings.weight_decay), lr=settings.learning_rate, fused=True, betas=(0.9, 0.99)
        )
        self.steps = 0
        # A step in bf16 takes 56 to 80 % of the time where the processor multiplies by it.
        self.is_short = settings.precision == "bf16" or (settings.precision == "auto" and multiplies_bf16(self.device))

    def tensor(self, array: NDArray[Any]) -> torch.Tensor:
        """Return an array where the net learns."""
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def outputs(self, planes: torch.Tensor) -> Any:
        """Return what the net that learns says of planes of any dtype, computed as the settings ask."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.is_short):
            return self.net(planes.float())

    def step(self, loss: torch.Tensor) -> float:
        """Take a step down the loss, and return the norm of its gradient before it was clipped.

        Raises:
            ValueError: the gradient is not finite, nor will the weights ever be again.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = self.learning_rate
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        clipped = torch.nn.utils.clip_grad_norm_(self._weights, self.settings.clip)
        self._optimizer.step()
        self._follow()
        self.steps += 1
        norm = float(clipped)  # at last: until here a GPU is not waited for
        if not math.isfinite(norm):
            raise ValueError(
                f"learning has diverged: the gradient of step {self.steps:,} is {norm}, expected a finite number; "
                "begin anew with a lower learning rate"
            )
        return norm

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step, which does not depend on when the run ends."""
        settings, step = self.settings, self.steps + 1
        rate = settings.learning_rate * min(1.0, step / max(1, settings.warm_up))
        if settings.schedule == "inverse_root":
            rate *= (settings.decay_after / max(step, settings.decay_after)) ** 0.5
        return rate

    def _follow(self) -> None:
        """Let the mean follow the weights; over the first steps it is that of all steps so far, nearly."""
        averaging = self.settings.averaging
        decay = min(averaging, (1 + self.steps) / (10 + self.steps)) if averaging else 0.0
        with torch.no_grad():
            for mean, weights in zip(self._means, self._weights, strict=True):
                mean.lerp_(weights, 1 - decay)

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
        """Go on from where learning with the same settings was.

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


def log_chances(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return the log probabilities [positions, num_actions] of actions, of which only legal ones have a chance."""
    return functional.log_softmax(logits.float().masked_fill(~legal, _ILLEGAL), dim=1)


def _groups(net: Any, decay: float) -> list[dict[str, Any]]:
    """Return the weights in two groups: matrices, which decay, and offsets and scales, which do not."""
    matrices = [one for one in net.parameters() if one.ndim > 1]
    others = [one for one in net.parameters() if one.ndim <= 1]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
