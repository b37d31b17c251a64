"""The two functions of a PettingZoo-style module such as `connect_four_v0`: ``env`` and ``raw_env``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .aec import BoardGameEnv
from .game import Game

__all__ = ["env_functions"]


def env_functions(factory: Callable[..., Game]) -> tuple[Callable[..., BoardGameEnv], Callable[..., BoardGameEnv]]:
    """Return PettingZoo's pair ``env``, ``raw_env`` for the games that ``factory`` makes.

    Both take the arguments of `BoardGameEnv` and the game's parameters by keyword. An illegal move ends the game in
    ``env()`` and raises in ``raw_env()``.
    """
    name = factory.__name__

    def env(**kwargs: Any) -> BoardGameEnv:
        return BoardGameEnv(name, **{"illegal": "lose", **kwargs})

    def raw_env(**kwargs: Any) -> BoardGameEnv:
        return BoardGameEnv(name, **{"illegal": "raise", **kwargs})

    return env, raw_env
