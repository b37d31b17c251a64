"""The two functions of a PettingZoo-style module such as `connect_four_v0`: ``env`` and ``raw_env``.

There is no ``parallel_env``, and whoever asks for one is told why.
"""

from __future__ import annotations

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
    factory: Callable[..., Game],
) -> tuple[Callable[..., BoardGameEnv], Callable[..., BoardGameEnv], Callable[[str], Any]]:
    """Return PettingZoo's pair ``env``, ``raw_env`` for the games that ``factory`` makes, and ``__getattr__``.

    The first two take the arguments of `BoardGameEnv` and the game's parameters by keyword. An illegal move ends the
    game in ``env()`` and raises in ``raw_env()``.
    """
    name = factory.__name__

    def env(**kwargs: Any) -> BoardGameEnv:
        return BoardGameEnv(name, **{"illegal": "lose", **kwargs})

    def raw_env(**kwargs: Any) -> BoardGameEnv:
        return BoardGameEnv(name, **{"illegal": "raise", **kwargs})

    def __getattr__(attribute: str) -> Any:  # noqa: N807  (of the module)
        why = f": {NO_PARALLEL_ENV}" if attribute == "parallel_env" else ""
        raise AttributeError(f"module {name}_v0 has no attribute {attribute!r}{why}")

    return env, raw_env, __getattr__


def parallel_env(**kwargs: Any) -> NoReturn:
    """Refuse to make a parallel environment: what ``pettingzoo.make("parallel", …)`` calls.

    Raises:
        ValueError: always.
    """
    raise ValueError(NO_PARALLEL_ENV)
