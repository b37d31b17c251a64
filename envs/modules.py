"""The two functions of a PettingZoo-style module such as `connect_four_v0`: ``env`` and ``raw_env``.

There is no ``parallel_env``, and whoever asks for one is told why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from .aec import BoardGameEnv
from .game import Game

__all__ = ["env_functions", "parallel_env"]

NO_PARALLEL_ENV = (
    "the players take turns, so there is no parallel environment: use env(), or pettingzoo.make('aec', …), and for "
    "many games at once BoardVectorEnv"
)


def env_functions(
    module: str, factory: Callable[..., Game]
) -> tuple[Callable[..., BoardGameEnv], Callable[..., BoardGameEnv]]:
    """Return PettingZoo's pair ``env``, ``raw_env`` for the games that ``factory`` makes.

    Both take the arguments of `BoardGameEnv` and the game's parameters by keyword. An illegal move ends the game in
    ``env()`` and raises in ``raw_env()``.

    Args:
        module: the ``__name__`` of the module that is to have them. It gets a ``__getattr__`` as well, which says why
            there is no ``parallel_env``; a type checker that saw it would take any name for one of the module's.
        factory: makes the games.
    """
    name = factory.__name__

    def env(**kwargs: Any) -> BoardGameEnv:
        return BoardGameEnv(name, **{"illegal": "lose", **kwargs})

    def raw_env(**kwargs: Any) -> BoardGameEnv:
        return BoardGameEnv(name, **{"illegal": "raise", **kwargs})

    def __getattr__(attribute: str) -> Any:  # noqa: N807  (of the module)
        why = f": {NO_PARALLEL_ENV}" if attribute == "parallel_env" else ""
        raise AttributeError(f"module {name}_v0 has no attribute {attribute!r}{why}")

    vars(sys.modules[module])["__getattr__"] = __getattr__
    return env, raw_env


def parallel_env(**kwargs: Any) -> NoReturn:
    """Refuse to make a parallel environment: what ``pettingzoo.make("parallel", …)`` calls.

    Raises:
        ValueError: always.
    """
    raise ValueError(NO_PARALLEL_ENV)
