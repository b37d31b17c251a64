"""Training a policy with stable-baselines3 against a mix of opponents.

The learner sits in either seat of `SoloEnv`, so that every reward, observation and value is its own. Torch is held to
one
thread: the networks are small, and with torch's default threads the same training ran 30 times slower on 2 cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..agents import Mixture
from ..agents.models import model_class
from ..envs import Game, SoloEnv, as_game
from ..envs.spec import nearest

__all__ = ["ALGORITHMS", "DEFAULT_OPPONENTS", "learn", "new_model"]

# The class of each algorithm, and its settings where they differ from the library's.
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "ppo": ("MaskablePPO", {"n_steps": 64, "batch_size": 512, "n_epochs": 4, "learning_rate": 1e-3, "ent_coef": 0.01}),
    "a2c": ("A2C", {"n_steps": 16, "ent_coef": 0.01}),
    "dqn": ("DQN", {"learning_starts": 5000, "buffer_size": 100_000, "exploration_fraction": 0.3}),
}
DEFAULT_OPPONENTS = ("random", "alphabeta(depth=1)", "alphabeta(depth=2)", "mcts(simulations=30)")
_HIDDEN = [128, 128]


def new_model(
    algorithm: str,
    game: Game | str,
    *,
    opponents: Sequence[Any] = DEFAULT_OPPONENTS,
    environments: int = 32,
    opening_plies: int = 8,
    seed: int = 0,
    **settings: Any,
) -> Any:
    """Make an untrained model, with the environments that it will learn in.

    Args:
        algorithm: ``"ppo"`` (MaskablePPO), ``"a2c"`` or ``"dqn"``. Only the first sees the mask while it learns; the
            others lose the game by an illegal move.
        game: the game, or its name.
        opponents: agents or spec strings; each game one of them is drawn.
        environments: games played side by side.
        opening_plies: each game opens with up to so many random plies.
        seed: of the weights, the opponents, and the exploration.
        **settings: of the algorithm, in place of ours.

    Raises:
        ValueError: the algorithm is unknown, or a number is out of its range.
        ImportError: stable-baselines3 is not installed.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {algorithm!r}: {nearest(algorithm, ALGORITHMS)}")
    if environments < 1:
        raise ValueError(f"environments must be at least 1, got {environments}")
    game = as_game(game)
    name, defaults = ALGORITHMS[algorithm]
    cls = model_class(name)

    import torch
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(1)
    venv = DummyVecEnv(
        [lambda: Monitor(SoloEnv(game, Mixture(game, *opponents), opening_plies=opening_plies))] * environments
    )
    policy = {"policy_kwargs": {"net_arch": _HIDDEN, "activation_fn": torch.nn.ReLU}}
    return cls("MlpPolicy", venv, seed=seed, device="cpu", **{**policy, **defaults, **settings})


def learn(model: Any, steps: int, on_progress: Callable[[int, float], object] | None = None) -> Any:
    """Train ``model`` for about ``steps`` more of the learner's moves, and return it.

    An interrupt (Ctrl-C) leaves the model as it is then: it can be used, saved, or trained further.

    Args:
        model: from `new_model`.
        steps: moves of the learner over all its environments, at least 1.
        on_progress: called now and then with the steps done and the mean reward of the last 100 games (NaN before any).

    Raises:
        ValueError: ``steps`` is not positive.
    """
    if steps < 1:
        raise ValueError(f"steps must be at least 1, got {steps}")
    from stable_baselines3.common.callbacks import BaseCallback

    class Report(BaseCallback):
        def _on_step(self) -> bool:
            if on_progress is not None and self.n_calls % 64 == 0:
                games = self.model.ep_info_buffer or ()
                rewards = [game["r"] for game in games]
                on_progress(self.num_timesteps, sum(rewards) / len(rewards) if rewards else float("nan"))
            return True

    return model.learn(steps, callback=Report(), reset_num_timesteps=False)
