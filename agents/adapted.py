"""What is less than an `Agent`, as an agent: an object without ``reset``, or a plain function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..envs import Opponents
from ..envs.players import player_name
from ..envs.vector.opponents import FromFunction, answers_for_many
from .agent import Info, Observation
from .described import Described

__all__ = ["Adapted", "FunctionAgent", "takes_two"]


class Adapted:
    """An object with ``act`` alone, with a ``reset`` that does nothing. It has all that the object has.

    What is set, such as how long a move may take, the object is told.

    Args:
        player: the object.
    """

    def __init__(self, player: Any) -> None:
        self._player = player
        self.__name__ = player_name(player)

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: the player has no ``reset``."""

    def act(self, observation: Observation, info: Info | None = None) -> Any:
        """Return the player's action."""
        return self._player.act(observation, info)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_player":  # copying and pickling ask before there is a player
            raise AttributeError(name)
        return getattr(self._player, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_player", "__name__"):
            super().__setattr__(name, value)
        else:
            setattr(self._player, name, value)

    def __repr__(self) -> str:
        return repr(vars(self).get("_player", Adapted))  # a copy asks before there is one


class FunctionAgent(Described):
    """A function ``(observation, info) -> action`` as an agent.

    Args:
        function: the function. One of ``(observations, masks)``, which answers for many positions at once, plays in
            batches only.
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self._function = function
        self._answers_for_many = answers_for_many(function)
        self.__name__ = player_name(function)

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: functions keep nothing."""

    def act(self, observation: Observation, info: Info | None = None) -> Any:
        """Return the function's action.

        Raises:
            ValueError: the function answers for many positions at once.
        """
        if self._answers_for_many:
            raise ValueError(
                f"{self.__name__} takes (observations, masks), of many positions at once: it can be an opponent in "
                "batches and in training; name its arguments (observation, info) if it answers for one"
            )
        return self._function(observation, info)

    def batched(self) -> Opponents | None:
        """Return players of many games at once, if the function answers for many positions."""
        return FromFunction(self._function) if self._answers_for_many else None


def takes_two(function: Callable[..., Any]) -> bool:
    """Return whether a function can be called with an observation and an info."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # of a function of an extension module nobody knows
        return True
    return True
