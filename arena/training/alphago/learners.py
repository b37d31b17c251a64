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

from ..alphazero.descent import Descent, log_chances
from ..alphazero.replay import Batch

__all__ = ["PolicyLearner", "ReinforceLearner", "ValueLearner"]


class PolicyLearner(Descent):
    """Learns the moves of records: raises their log likelihood."""

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take a step, and return the losses by name."""
        chances = _log_chances(self, batch.planes, batch.masks)[0]
        loss = -(self.tensor(batch.policies) * chances).sum(1).mean()
        norm = self.step(loss)
        return {"policy": float(loss.detach()), "gradient": norm}


class ValueLearner(Descent):
    """Learns results: lowers the squared error of the value."""

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take a step, and return the losses by name."""
        value = self.outputs(self.tensor(batch.planes)).value.float().reshape(-1)
        loss = (value - self.tensor(batch.results)).square().mean()
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
        own = chances.gather(1, self.tensor(actions.astype(np.int64))[:, None])[:, 0]
        z = self.tensor(results.astype(np.float32))
        value = outputs.value.float().reshape(-1)
        gains = z - value.detach() if advantages is None else self.tensor(advantages.astype(np.float32))
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
    outputs = learner.outputs(learner.tensor(planes))
    return log_chances(outputs.logits, learner.tensor(masks)), outputs
