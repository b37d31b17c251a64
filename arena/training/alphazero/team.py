"""What the actors of a run have in common, wherever they play: those that die are started again, but not forever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....envs import Game
from .config import AlphaZeroConfig

__all__ = ["PATIENCE", "ActorError", "Team"]

PATIENCE = 1.0  # seconds to wait for samples, before the run looks at its limits again
_FAILURES = 3  # times the number of actors: as many may die in a row before any sends samples


class ActorError(RuntimeError):
    """One actor after the other ends before it sends anything."""


class Team:
    """Actors by number; none ever gets the number of another, for the games that it plays depend on it.

    Samples come in no order that could be repeated: a run with actors goes on, but not bit for bit.

    Args:
        game: the game.
        config: the configuration.
        net: the net that plays first.
    """

    def __init__(self, game: Game, config: AlphaZeroConfig, net: Any) -> None:
        self.game, self.config, self.net = game, config, net
        self._started = 0  # actors that the run ever had
        self._failures = 0

    def _next_number(self) -> int:
        self._started += 1
        return self._started

    def _has_sent(self) -> None:
        """Note that samples have come."""
        self._failures = 0

    def _has_died(self, said: str, ended: str = "said nothing") -> None:
        """Note that an actor has died.

        Args:
            said: what it said at its end.
            ended: how it ended, which is told of one that said nothing.

        Raises:
            ActorError: one actor after the other ends before it sends anything.
        """
        self._failures += 1
        if self._failures >= _FAILURES * self.config.actors:
            lines = said.strip().splitlines()
            last = f"said: {lines[-1]}" if lines else ended
            raise ActorError(f"actors end before they send samples; the last one {last}")

    def state_dict(self) -> dict[str, Any]:
        """Return what the actors of the next session must not repeat."""
        return {"started": self._started}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let actors play other games than those before."""
        self._started = int(state["started"])
