"""What tells `PUCT` priors and values: functions of states, and networks that see what players see.

A network learns from observations, so a search must show it observations: those of the environment, with the earlier
positions where the game's observations have them. An `ObservationEvaluator` is shown these, a batch of leaves at a time
in one array. A plain function is given states, which know no earlier positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import Game
from ...envs.outside.arguments import is_positive
from ..policies.network import ModelNetwork

__all__ = ["Evaluator", "ObservationEvaluator", "policy_evaluator", "torch_evaluator"]

Answer = tuple[NDArray[Any], NDArray[Any]]  # priors [batch, num_actions], values [batch] for the players to move


class ObservationEvaluator:
    """An evaluator that is shown observations in place of states.

    Copies of an agent share it, as they would a function, unless a subclass copies itself: it must keep nothing of a
    game.

    Args:
        function: ``function(observations, masks) -> (priors, values)``: for what the players to move at the leaves see,
            [batch, *observation_shape] with the environment's dtype, and their legal actions, bool [batch,
            num_actions], it returns what an `Evaluator` does. Both arrays are new each time.
    """

    def __init__(self, function: Callable[[NDArray[Any], NDArray[np.bool_]], Answer]) -> None:
        self.function = function

    def __call__(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> Answer:
        """Return priors [batch, num_actions] and values [batch]."""
        return self.function(observations, masks)

    def check(self, game: Game) -> None:
        """Check that the evaluator is one for ``game``; here nothing is known about that.

        Raises:
            ValueError: it is for another game.
        """

    def __deepcopy__(self, memo: Any) -> ObservationEvaluator:
        return self


# states [batch] of the game's dtype -> priors [batch, num_actions], values [batch] for the player to move in each;
# or what is shown observations
Evaluator = Callable[[NDArray[Any]], Answer] | ObservationEvaluator


def torch_evaluator(
    module: Any, *, channels_first: bool = False, temperature: float = 1.0, device: Any = None
) -> ObservationEvaluator:
    """Return an evaluator for `PUCT` from a network of torch.

    The network is asked in evaluation mode and without gradients, for all leaves of a batch at once. It is not copied:
    while it learns, the search asks it as it then is.

    Args:
        module: ``module(planes) -> (logits, values)``: for a float32 tensor [batch, *observation_shape], H×W×C for a
            board, the logits of all actions [batch, num_actions] (those of illegal actions are ignored), and values
            [batch] or [batch, 1] for the player to move, in the units of the utility (a last ``tanh`` gives +1 for a
            win).
        channels_first: hand the planes over as [batch, C, H, W], as convolutions take them.
        temperature: the logits are divided by it before they become probabilities.
        device: where the network is, as torch names it. Default: where its parameters are.

    Raises:
        ValueError: the temperature is not above 0.
    """
    return _TorchEvaluator(module, channels_first, temperature, device)


def policy_evaluator(model: Any, *, temperature: float = 1.0) -> ObservationEvaluator:
    """Return an evaluator for `PUCT` from a model of stable-baselines3 or sb3-contrib.

    Priors are the probabilities of the model's policy, without the illegal actions, and values its critic's. For DQN,
    which has Q-values only, priors are their softmax, and values the best Q-value of a legal action.

    Args:
        model: a model (PPO, A2C, MaskablePPO, DQN), the file it was saved to, or the folder of a training run.
        temperature: the logits or Q-values are divided by it before they become probabilities. Q-values lie close
            together: with 0.1, say, the better ones stand out.

    Raises:
        ValueError: the temperature is not above 0, or the file is none of stable-baselines3's; when a search is made
            with it: the model was trained for another game.
        FileNotFoundError: there is no such file.
        ImportError: stable-baselines3 is not installed.
    """
    return _PolicyEvaluator(model, temperature)


class _TorchEvaluator(ObservationEvaluator):
    """See `torch_evaluator`."""

    def __init__(self, module: Any, channels_first: bool, temperature: float, device: Any) -> None:
        _check_temperature(temperature)
        self.module, self.channels_first, self.temperature, self.device = module, channels_first, temperature, device

    def __call__(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> Answer:
        import torch

        device = self.device
        if device is None:
            device = next((parameter.device for parameter in self.module.parameters()), "cpu")
        planes = torch.from_numpy(observations).to(device).float()
        if self.channels_first:
            planes = planes.movedim(-1, 1)
        learning = self.module.training
        if learning:
            self.module.eval()
        try:
            with torch.inference_mode():
                logits, values = self.module(planes)
                logits = logits.masked_fill(torch.from_numpy(~masks).to(device), -torch.inf)
                priors = (logits / self.temperature).softmax(dim=-1).cpu()
                values = values.reshape(-1).float().cpu()
        finally:
            if learning:
                self.module.train()
        return priors.float().numpy(), values.numpy()


class _PolicyEvaluator(ObservationEvaluator):
    """See `policy_evaluator`."""

    def __init__(self, model: Any, temperature: float) -> None:
        _check_temperature(temperature)
        self.network, self.temperature = ModelNetwork(model), temperature

    def check(self, game: Game) -> None:
        self.network.check(game)

    def __call__(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> Answer:
        scores, values = self.network.scores_and_values(observations, masks)
        return priors_of(scores / self.temperature, masks), values


def priors_of(scores: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the probabilities [batch, num_actions] of legal actions by their scores: a softmax, row by row."""
    scores = np.where(masks, scores, -np.inf)
    priors = np.exp(scores - scores.max(axis=1, keepdims=True))
    return priors / priors.sum(axis=1, keepdims=True)


def _check_temperature(temperature: float) -> None:
    if not is_positive(temperature):
        raise ValueError(f"temperature must be a number above 0, got {temperature!r}")
