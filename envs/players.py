"""What may sit at a table, and what it may answer: the least that environments and matches ask of a player."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .game import Game

__all__ = ["SEATS", "Player", "PlayerLike", "check_seat", "checked_answer", "forfeit", "meant", "player_name"]

SEATS = {"first": 0, "second": 1}  # a learner's seats, with the numbers of their players; "random" is either


@runtime_checkable
class Player(Protocol):
    """The least that a player is; where it has a ``reset(seed)`` too, that is called before each game."""

    def act(self, observation: Any, info: Any, /) -> Any:
        """Return a legal action, a whole number, for the player to move."""
        ...


_BLANKS = re.compile(r"\s*([()\[\],=])\s*")
_TEXTS = re.compile("""('[^']*'|"[^"]*")""")

PlayerLike = str | Player | Callable[[Any, Any], Any]
"""A spec string, an object with ``act(observation, info)``, or a function of these two."""


def player_name(player: Any) -> str:
    """Return what a player is called: its spec, without blanks between its parts; or its function's or class's name."""
    if isinstance(player, str):
        parts = _TEXTS.split(player)
        return "".join(part if number % 2 else _BLANKS.sub(r"\1", part) for number, part in enumerate(parts)).strip()
    return getattr(player, "__name__", None) or type(player).__name__


def meant(player: Any) -> str:
    """Return the end of an error message: what to give in place of what is nearly a player."""
    if isinstance(player, type):
        return f": make one of this class, as in {player.__name__}(…)" if hasattr(player, "act") else ""
    return ": a trained model plays as Policy(game, model)" if callable(getattr(player, "predict", None)) else ""


def check_seat(seat: Any) -> None:
    """Check what an environment is told of its learner's seat.

    Raises:
        ValueError: it is neither ``"first"`` nor ``"second"`` nor ``"random"``.
    """
    if seat not in (*SEATS, "random"):
        raise ValueError(f"seat must be 'first', 'second' or 'random', got {seat!r}")


def forfeit(game: Game) -> float:
    """Return what an illegal move gets the player who makes it: the worst result, or -1 where there is no worst."""
    return -float(game.max_utility) if math.isfinite(game.max_utility) else -1.0


def checked_answer(answer: Any, player: Any, game: Game | None = None, info: Mapping[str, Any] | None = None) -> int:
    """Return what a player answered, as the id of an action.

    Args:
        answer: what its ``act`` returned.
        player: who answered, for the message.
        game: the game, if it is one of ours.
        info: what the player was told, with the ``action_mask`` and the ``state``. Default: any action of the game
            will do.

    Raises:
        ValueError: it is no whole number, no action of the game, or illegal; the message names the player.
    """
    try:
        action = -1 if isinstance(answer, bool) else operator.index(answer)
    except TypeError:
        action = -1
    known = np.inf if game is None else game.num_actions
    if not 0 <= action < known:
        shape = getattr(answer, "shape", ())
        shown = f"an array of shape {tuple(shape)}" if shape else repr(answer)
        expected = f"a whole number from 0 to {known - 1}" if known < np.inf else "a whole number"
        raise ValueError(f"{player_name(player)} answered {shown[:100]}: expected an action, {expected}")
    if game is not None and info is not None and not info["action_mask"][action]:
        text = game.move_name(info["state"], action)
        name = "" if text == str(action) else f" ({text})"
        legal = np.flatnonzero(info["action_mask"]).tolist()
        raise ValueError(
            f"{player_name(player)} answered {action}{name}, which is illegal: expected one of {legal[:30]}"
        )
    return action
