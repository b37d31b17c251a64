"""Learning from records and from results: the losses of the policy, of REINFORCE, and of the value network.

Sources: D. Silver et al., Nature 529 (2016), methods; R. J. Williams, "Simple statistical gradient-following algorithms
for connectionist reinforcement learning", Machine Learning 8 (1992).

This module needs torch when it is imported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from ..alphazero.descent import Descent
from ..alphazero.replay import Batch

__all__ = ["PolicyLearner", "ReinforceLearner", "ValueLearner"]

_ILLEGAL = -1e9  # a logit, whose probability is 0


class PolicyLearner(Descent):
    """Learns the moves of records: raises their log likelihood."""

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take a step, and return the losses by name."""
        chances = _log_chances(self, batch.planes, batch.masks)[0]
        loss = -(_tensor(self, batch.policies) * chances).sum(1).mean()
        norm = self.step(loss)
        return {"policy": float(loss.detach()), "gradient": norm}


class ValueLearner(Descent):
    """Learns results: lowers the squared error of the value."""

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take a step, and return the losses by name."""
        value = self.outputs(_tensor(self, batch.planes)).value.float().reshape(-1)
        loss = (value - _tensor(self, batch.results)).square().mean()
        norm = self.step(loss)
        return {"value": float(loss.detach()), "gradient": norm}


class ReinforceLearner(Descent):
    """Learns from its own games: raises the likelihood of moves by what came of them (REINFORCE).

    For ``n`` games the gradient is ``1/n Σ_games Σ_moves ∂log p(a|s) (z - b)``: the result z of the game for who made
    the move, less a baseline b, which leaves the expected gradient as it is and lowers its variance.
    """

    def learn(
        self,
        planes: NDArray[Any],
        masks: NDArray[np.bool_],
        actions: NDArray[np.integer[Any]],
        advantages: NDArray[np.floating[Any]] | None,
        results: NDArray[np.floating[Any]],
        games: int,
    ) -> dict[str, float]:
        """Take a step, and return the losses by name.

        Args:
            planes: [moves, *observation_shape] what the player to move saw.
            masks: [moves, num_actions].
            actions: [moves] what it played.
            advantages: [moves] z - b; None: b is the value that the net itself expects, which then learns z beside.
            results: [moves] z.
            games: n.
        """
        chances, outputs = _log_chances(self, planes, masks)
        own = chances.gather(1, _tensor(self, actions.astype(np.int64))[:, None])[:, 0]
        z = _tensor(self, results.astype(np.float32))
        value = outputs.value.float().reshape(-1)
        gains = z - value.detach() if advantages is None else _tensor(self, advantages.astype(np.float32))
        loss = -(gains * own).sum() / games
        entropy = -(chances.exp() * chances).detach().sum(1).mean()
        losses = {"reinforce": float(loss.detach()), "entropy": float(entropy)}
        if advantages is None:
            error = (value - z).square().mean()
            losses["value"] = float(error.detach())
            loss = loss + error
        losses["gradient"] = self.step(loss)
        return losses


def _log_chances(learner: Descent, planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[torch.Tensor, Any]:
    """Return the log probabilities [positions, num_actions], and all that the net says."""
    outputs = learner.outputs(_tensor(learner, planes.astype(np.float32, copy=False)))
    logits = outputs.logits.float().masked_fill(~_tensor(learner, masks), _ILLEGAL)
    return functional.log_softmax(logits, dim=1), outputs


def _tensor(learner: Descent, array: NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(learner.device)
