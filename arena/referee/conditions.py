"""What the players of a game agree on beside its rules."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...agents.engines import EngineError
from ...envs import Game
from ...envs.outside.arguments import is_list
from ...envs.outside.messages import shown
from .adjudication import Adjudicator, adjudicator_of
from .time_control import TimeControl

__all__ = ["Conditions", "Failures"]

Failures = type[Exception] | tuple[type[Exception], ...]


def _checked_failures(failures: Any) -> Failures:
    """Return classes of errors, which Python would look at only when a player fails, hours later."""
    classes = failures if isinstance(failures, tuple) else (failures,)
    if not all(isinstance(one, type) and issubclass(one, Exception) for one in classes):
        raise ValueError(
            f"failures must be Exception, a class of such errors, or a tuple of them, got {shown(failures)}"
        )
    return failures


@dataclass(frozen=True)
class Conditions:
    """What ends a game beside its rules.

    Args:
        failures: errors of a player by which it loses the game, in place of their being raised. Default: those of
            programs that others wrote; ``Exception`` for any; ``()`` for none.
        control: how much time the players have, or None for any.
        adjudication: what ends games whose result is known, asked in this order.
        analyses: whether records keep what the players' searches thought. It changes no game.
    """

    failures: Failures = EngineError
    control: TimeControl | None = None
    adjudication: tuple[Adjudicator, ...] = ()
    analyses: bool = False

    @classmethod
    def of(
        cls,
        failures: Failures,
        control: str | float | TimeControl | None,
        adjudication: str | Adjudicator | Sequence[str | Adjudicator] | None,
        analyses: bool = False,
    ) -> Conditions:
        """Return the conditions that somebody names, by specs; a number is the seconds of a game.

        Raises:
            ValueError: one cannot be read, or ``failures`` are no classes of errors.
        """
        if control is not None and not isinstance(control, TimeControl):
            control = TimeControl.parse(control) if isinstance(control, str) else TimeControl(control)
        given: Any = () if adjudication is None else adjudication if is_list(adjudication) else [adjudication]
        return cls(_checked_failures(failures), control, tuple(map(adjudicator_of, given)), analyses)

    @property
    def described(self) -> dict[str, Any]:
        """What games depend on, by name, as values that JSON has; only what is not the default."""
        found: dict[str, Any] = {}
        if self.control is not None:
            found["time"] = repr(self.control)
        if self.adjudication:
            found["adjudication"] = [repr(one) for one in self.adjudication]
        return found

    def check(self, game: Game, agents: Sequence[Any]) -> None:
        """Check that they can be held to in games of these players.

        Raises:
            ValueError: a player's time cannot be measured, or an adjudicator cannot judge the game.
        """
        for agent in agents:
            if self.control is not None:
                self.control.check(agent)
        for adjudicator in self.adjudication:
            adjudicator.begin(game)

    def now(self) -> float:
        """Return the time by which moves are measured, in seconds."""
        return time.perf_counter() if self.control is None else self.control.now()
