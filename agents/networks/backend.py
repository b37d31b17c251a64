"""What a library that runs networks does for `inference`; each has a file of its own, which needs the library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .config import NetworkConfig
from .graph import Weights

__all__ = ["Backend"]


class Backend(ABC):
    """A library that runs networks, for batches of a fixed size or less."""

    @abstractmethod
    def load(self, config: NetworkConfig, weights: Weights) -> None:
        """Take a network and its weights."""

    @abstractmethod
    def run(self, planes: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, num_actions] and values [n] of planes [n, *board]; the next call may overwrite them."""
