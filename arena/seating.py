"""Who may sit down to a game: an agent that answers for one position. Players of many games at once cannot."""

from __future__ import annotations

import inspect
from typing import Any

from ..agents import Agent, as_agent
from ..agents.adapted import Adapted
from ..envs import Game
from ..envs.players import PlayerLike, player_name

__all__ = ["seated"]

_TOLD = ("observation", "info")
_OURS = Adapted.__module__.rpartition("adapted")[0]  # what the modules of our agents begin with


def seated(player: PlayerLike, game: Game | None) -> Agent:
    """Return a player as `plyground.agents.as_agent` does.

    Raises:
        ValueError: as there; or its ``act`` takes something else than an observation and an info.
    """
    agent = as_agent(player, game)
    is_adapted = isinstance(agent, Adapted)
    if not is_adapted and type(agent).__module__.startswith(_OURS):  # a signature takes as long as some moves
        return agent
    act: Any = (vars(agent)["_player"] if is_adapted else agent).act
    try:
        signature = inspect.signature(act)
    except (TypeError, ValueError):  # of a function of an extension module nobody knows
        return agent
    names = [*signature.parameters][:2]
    plays_many = all(callable(getattr(agent, name, None)) for name in ("begin", "end"))
    try:
        signature.bind(None, None)
        is_other = plays_many and set(names).isdisjoint(_TOLD)
    except TypeError:
        is_other = True
    if is_other:
        hint = "; what plays many games at once may be an opponent in batches and in training" if plays_many else ""
        raise ValueError(
            f"{player_name(player)} has act({', '.join(signature.parameters)}), expected an agent with "
            f"act(observation, info), which plays one game at a time{hint}"
        )
    return agent
