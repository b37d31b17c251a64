"""Policies trained with stable-baselines3 or sb3-contrib, as players that never choose an illegal move.

stable-baselines3 loads models with pickle: a file from a stranger can run code on your machine.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from ..envs import Game, as_game
from .agent import Info, Observation, legal_mask
from .models import load_model

__all__ = ["Policy"]


class Policy:
    """Plays what a model prefers among the legal actions.

    The model's logits (PPO, A2C, MaskablePPO) or Q-values (DQN) of illegal actions are set to minus infinity; for
    MaskablePPO this is what its own masking does.

    Args:
        game: the game, or its name.
        model: a model, or the file it was saved to.
        deterministic: play the preferred action; False: draw from the model's distribution (Q-values have none).
        algorithm: what a file must hold, ``"ppo"`` (MaskablePPO too), ``"a2c"`` or ``"dqn"``. Default: anything.
        seed: of the draws; None takes one from the system's entropy.

    Raises:
        ValueError: the file is none of stable-baselines3's, or the model's spaces are not the game's.
        FileNotFoundError: there is no such file.
        ImportError: stable-baselines3 is not installed.
    """

    def __init__(
        self,
        game: Game | str,
        model: Any,
        *,
        deterministic: bool = True,
        algorithm: str | None = None,
        seed: int | None = None,
    ) -> None:
        self.game = as_game(game)
        self.model = load_model(model, algorithm) if isinstance(model, (str, Path)) else model
        self.deterministic = deterministic
        self._rng = np.random.default_rng(seed)
        self._check_spaces()

    def _check_spaces(self) -> None:
        actions, observations = self.model.action_space, self.model.observation_space
        if isinstance(observations, Dict):
            observations = observations.spaces.get("observation", observations)
        size = int(np.prod(self.game.observation_shape))
        same = isinstance(actions, Discrete) and actions.n == self.game.num_actions
        if not same or not isinstance(observations, Box) or int(np.prod(observations.shape)) != size:
            raise ValueError(
                f"the model was trained for another game than {self.game.spec}: it takes {observations} and {actions}, "
                f"and the game has {self.game.observation_shape} and {self.game.num_actions} actions"
            )

    def reset(self, seed: int | None = None) -> None:
        """Start the random numbers anew, if a seed is given."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the model's action for this observation."""
        mask = legal_mask(observation, info).astype(bool)
        planes = observation["observation"] if isinstance(observation, Mapping) else observation
        scores = np.where(mask, self.scores(planes, mask), -np.inf)
        if self.deterministic or hasattr(self.model.policy, "q_net"):
            return int(scores.argmax())
        weights = np.exp(scores - scores.max())
        return int(self._rng.choice(scores.size, p=weights / weights.sum()))

    def scores(self, planes: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the model's logits or Q-values [num_actions] for the planes of the player to move."""
        import torch

        policy = self.model.policy
        policy.set_training_mode(False)
        with torch.no_grad():
            tensor, _ = policy.obs_to_tensor(self._model_observation(planes, mask))
            if hasattr(policy, "q_net"):
                scores = policy.q_net(tensor)
            else:
                scores = policy.get_distribution(tensor).distribution.logits
        return scores[0].double().cpu().numpy()

    def _model_observation(self, planes: NDArray[Any], mask: NDArray[np.bool_]) -> Any:
        """Bring the planes into the form that the model was trained on."""
        space = self.model.observation_space
        if not isinstance(space, Dict):
            return np.asarray(planes).reshape(space.shape).astype(space.dtype)
        parts = {"observation": planes, "action_mask": mask}
        return {
            name: np.asarray(parts[name]).reshape(part.shape).astype(part.dtype) for name, part in space.spaces.items()
        }

    def __getstate__(self) -> dict[str, Any]:
        file = io.BytesIO()
        self.model.save(file)
        return {**vars(self), "model": (type(self.model), file.getvalue())}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        cls, data = attributes["model"]
        vars(self).update({**attributes, "model": cls.load(io.BytesIO(data), device="cpu")})
