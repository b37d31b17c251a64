"""The random numbers of a run that no game and no opponent has of its own: torch's, NumPy's, Python's, the actions'.

stable-baselines3 draws from all four: torch for actions and weights, NumPy for batches of experience, and the action
space for DQN's exploration.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["load_random_state", "random_state"]


def random_state(model: Any) -> dict[str, Any]:
    """Return where the random numbers are, as arrays, numbers and texts in nested dicts."""
    import torch

    return {
        "torch": torch.get_rng_state().numpy(),
        "numpy": np.random.get_state(legacy=False),
        "python": random.getstate(),
        "actions": model.action_space.np_random.bit_generator.state,
    }


def load_random_state(model: Any, state: Mapping[str, Any]) -> None:
    """Let the random numbers go on from where `random_state` found them."""
    import torch

    torch.set_rng_state(torch.from_numpy(np.array(state["torch"])))
    np.random.set_state(state["numpy"])
    version, internal, gauss_next = state["python"]
    random.setstate((version, tuple(internal), gauss_next))
    model.action_space.np_random.bit_generator.state = state["actions"]
