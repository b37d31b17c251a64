"""Players that tests send to other processes. Those import this file, and so need none of what the tests do."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from plyground.agents import Random

__all__ = ["Heavy", "at_once", "slowly"]


class Heavy(Random):
    """Plays at random, with weights like those of a network."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = np.arange(500_000)

    def act(self, observation: Any, info: Any = None) -> int:
        assert self.weights[-1] == 499_999
        return super().act(observation, info)


def at_once(observation: Any, info: Any) -> int:
    """Play the first legal action."""
    return int(np.flatnonzero(observation["action_mask"])[0])


def slowly(observation: Any, info: Any) -> int:
    """Play the first legal action, after a while."""
    time.sleep(0.02)
    return at_once(observation, info)
