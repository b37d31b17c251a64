"""Games and agents that a test registers, and that are unknown again after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import gymnasium
import pettingzoo
import pytest

from plyground.agents import registry as agents
from plyground.envs import registry as games

__all__ = ["registries", "registries_kept"]


@contextmanager
def registries_kept() -> Iterator[None]:
    """Let names of games and agents, and ids in the libraries, be afterwards what they were before."""
    known = (
        agents._constructors,
        games._factories,
        games._presets,
        gymnasium.registry,
        pettingzoo.aec_registry,
        pettingzoo.parallel_registry,
    )
    with ExitStack() as stack:
        for names in known:
            stack.enter_context(patch.dict(names))
        yield


@pytest.fixture
def registries() -> Iterator[None]:
    """The same for a test."""
    with registries_kept():
        yield
