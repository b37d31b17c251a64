"""The network of a model of stable-baselines3 or sb3-contrib, asked about many positions in one pass."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.wrappers import NormalizeObservation
from numpy.typing import NDArray

from ...envs import Game
from ...envs.outside.messages import shown
from .models import LIBRARIES, check_alone, find_model, load_model, load_normalization

__all__ = ["ModelNetwork"]

_WAYS = ("extract_features", "get_distribution", "_get_action_dist_from_latent", "predict_values")


class ModelNetwork:
    """What a model's network says of positions, as the players to move see them.

    ``planes`` are always [positions, *observation_shape], flat or not, and ``masks`` [positions, num_actions], true for
    the legal actions. A model that learns in a `VecNormalize` is shown observations by its statistics as they are now.
    Files of models do not have them: they are in a file of their own.

    Args:
        model: a model, the file it was saved to, or the folder of a training run.
        algorithm: what a file must hold, ``"ppo"`` (MaskablePPO too), ``"a2c"`` or ``"dqn"``. Default: anything.
        normalization: the file that the `VecNormalize` in which the model learned was saved to; False: it learned
            without. Default: none, or the one in which the model learns.

    Raises:
        ValueError: the file is none of stable-baselines3's, the model is one of an algorithm without such scores, or
            beside its file are statistics of a `VecNormalize`, and none are given or denied.
        FileNotFoundError: there is no such file.
        ImportError: stable-baselines3 is not installed.
    """

    def __init__(
        self, model: Any, algorithm: str | None = None, normalization: str | Path | Literal[False] | None = None
    ) -> None:
        self.model = load_model(model, algorithm) if isinstance(model, (str, Path)) else model
        if normalization is None and isinstance(model, (str, Path)):
            check_alone(find_model(model))
        if not hasattr(self.model, "policy"):
            raise ValueError(f"model must be one of stable-baselines3, its file, or a training run, got {shown(model)}")
        if not _has_scores(self.model.policy):
            raise ValueError(
                f"a model of {type(self.model).__name__} gives a single position no logits and no Q-values: expected "
                "one of PPO, MaskablePPO, A2C, TRPO or DQN"
            )
        # The statistics that are given, or that a copy in another process has; False if there are none.
        self._given: Any = (
            normalization if normalization is None or normalization is False else load_normalization(normalization)
        )

    @property
    def has_values(self) -> bool:
        """Whether it has learned what positions are worth."""
        return True

    @property
    def _normalization(self) -> Any:
        """The `VecNormalize` in which the model learns, or None."""
        if self._given is not None:
            return self._given or None
        return getattr(self.model, "get_vec_normalize_env", lambda: None)()

    def check(self, game: Game) -> None:
        """Check that the model was trained for ``game``.

        Raises:
            ValueError: its spaces are not the game's; or what it learned from was normalized, nobody here knows how.
        """
        actions, observations = self.model.action_space, self.model.observation_space
        if isinstance(observations, Dict):
            observations = observations.spaces.get("observation", observations)
        size = int(np.prod(game.observation_shape))
        same = isinstance(actions, Discrete) and actions.n == game.num_actions
        if not same or not isinstance(observations, Box) or int(np.prod(observations.shape)) != size:
            raise ValueError(
                f"the model was trained for another game than {game.spec}: it takes {observations} and {actions}, "
                f"and the game has {game.observation_shape} and {game.num_actions} actions"
            )
        if not self._given and _learns_in(self.model, NormalizeObservation):
            raise ValueError(
                "the model learned in Gymnasium's NormalizeObservation, whose statistics a player does not have: train "
                "it in stable-baselines3's VecNormalize, whose it has"
            )
        statistics = getattr(self._given, "observation_space", self.model.observation_space)
        if statistics.shape != self.model.observation_space.shape:
            raise ValueError(
                f"the statistics are of observations of shape {statistics.shape}, and the model takes "
                f"{self.model.observation_space.shape}: is the file that of another model?"
            )
        lowest = float(observations.low.min())
        if self._normalization is None and lowest < 0:  # planes are never negative
            raise ValueError(
                f"the model learned from numbers from {lowest:g} to {observations.high.max():g}, as wrappers make them "
                f"that normalize, and {game.name} shows planes from 0 to {game.observation_high}: train it in "
                "stable-baselines3's VecNormalize. (If it did learn from such planes, set model.observation_space to "
                f"SoloEnv({game.spec!r}).observation_space.)"
            )

    @property
    def has_q_values(self) -> bool:
        """Whether the scores of actions are Q-values, as DQN's are, and not logits."""
        return hasattr(self.model.policy, "q_net")

    def scores(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the logits or Q-values [positions, num_actions]; a model trained without masks reads none."""
        import torch

        policy, tensor = self._asked(planes, masks)
        with torch.no_grad():
            return _array(policy.q_net(tensor) if self.has_q_values else _logits(policy, tensor))

    def values(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the returns [positions] that the model expects for the players to move, discounted as in training.

        Those of an actor-critic are ``policy.predict_values``, those of DQN the best Q-value of a legal action.
        """
        import torch

        policy, tensor = self._asked(planes, masks)
        with torch.no_grad():
            if self.has_q_values:
                return _best(_array(policy.q_net(tensor)), masks)
            return _array(policy.predict_values(tensor)[:, 0])

    def scores_and_values(
        self, planes: NDArray[Any], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both, `scores` and `values`, by one pass through the layers that they share."""
        import torch

        policy, tensor = self._asked(planes, masks)
        with torch.no_grad():
            if self.has_q_values:
                scores = _array(policy.q_net(tensor))
                return scores, _best(scores, masks)
            if _has_own_ways(policy):
                return _array(_logits(policy, tensor)), _array(policy.predict_values(tensor)[:, 0])
            features = _features(policy, tensor, policy.pi_features_extractor)
            scores = policy.action_net(policy.mlp_extractor.forward_actor(features))
            if not policy.share_features_extractor:
                features = _features(policy, tensor, policy.vf_features_extractor)
            values = policy.value_net(policy.mlp_extractor.forward_critic(features))[:, 0]
        return _array(scores), _array(values)

    def _asked(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[Any, Any]:
        """Return the network, which is not to learn from what it is asked, and the tensor that it takes."""
        policy = self.model.policy
        if policy.training:
            policy.set_training_mode(False)
        tensor, _ = policy.obs_to_tensor(self._model_observation(planes, masks))
        return policy, tensor

    def _model_observation(self, planes: NDArray[Any], masks: NDArray[np.bool_]) -> Any:
        """Bring the planes into the form that the model was trained on."""
        space, normalization = self.model.observation_space, self._normalization
        if isinstance(space, Dict):
            parts = {"observation": planes, "action_mask": masks}
            seen: Any = {
                name: parts[name].reshape(-1, *part.shape).astype(part.dtype)  # pyright: ignore[reportOptionalIterable]
                for name, part in space.spaces.items()
            }
        else:
            seen = planes.reshape(-1, *space.shape).astype(space.dtype)
        return seen if normalization is None else normalization.normalize_obs(seen)

    def __getstate__(self) -> dict[str, Any]:
        file = io.BytesIO()
        self.model.save(file)
        return {"model": (type(self.model), file.getvalue()), "normalization": self._normalization}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        cls, data = attributes["model"]
        self.model = cls.load(io.BytesIO(data), device="cpu")
        self._given = attributes["normalization"]


def _learns_in(model: Any, wrapper: type) -> bool:
    """Return whether the environments of a model have a wrapper, as far as they can still be asked."""
    try:
        return any(model.get_env().env_is_wrapped(wrapper))
    except Exception:  # it has none, as when it was loaded, or their processes have ended
        return False


def _has_scores(policy: Any) -> bool:
    """Return whether a network gives a position logits or Q-values; one with a memory, or of quantiles, does not.

    Networks that are none of stable-baselines3's are believed.
    """
    from stable_baselines3.common.policies import BasePolicy

    is_actor = hasattr(policy, "action_net") and hasattr(policy, "mlp_extractor") and not hasattr(policy, "lstm_actor")
    return is_actor or hasattr(policy, "q_net") or not isinstance(policy, BasePolicy)


def _has_own_ways(policy: Any) -> bool:
    """Return whether a network is of somebody's own class, which makes its distribution in another way."""
    ways = (getattr(type(policy), name, None) for name in _WAYS)
    return any(way is not None and not way.__module__.startswith(LIBRARIES) for way in ways)


def _logits(policy: Any, tensor: Any) -> Any:
    """Return the logits of an actor: what `get_distribution` does without making one, which takes as long again."""
    if _has_own_ways(policy):
        return policy.get_distribution(tensor).distribution.logits
    features = _features(policy, tensor, policy.pi_features_extractor)
    return policy.action_net(policy.mlp_extractor.forward_actor(features))


def _features(policy: Any, tensor: Any, extractor: Any) -> Any:
    from stable_baselines3.common.policies import BasePolicy

    return BasePolicy.extract_features(policy, tensor, extractor)


def _array(tensor: Any) -> NDArray[np.float64]:
    return tensor.double().cpu().numpy()


def _best(scores: NDArray[np.float64], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the best score [positions] of a legal action."""
    return np.where(masks, scores, -np.inf).max(axis=1)
