"""Several players in one seat, one a game: opponents to learn against that are not all alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..envs import Game, as_game
from .agent import Agent, Info, Observation

__all__ = ["Mixture"]


class Mixture:
    """At every `reset` draws one of its agents, which plays that game.

    Args:
        game: the game, or its name.
        *agents: agents or spec strings.
        weights: how often each is drawn, relative to each other. Default: equally often.
        seed: of the draws; None takes one from the system's entropy.

    Raises:
        ValueError: there is no agent, or the weights are not one positive number for each.
    """

    def __init__(
        self,
        game: Game | str,
        *agents: Agent | str,
        weights: Sequence[float] | None = None,
        seed: int | None = None,
    ) -> None:
        from .registry import make  # the registry knows this class

        if not agents:
            raise ValueError("a mixture needs at least one agent, as in 'mixture(random, alphabeta(depth=2))'")
        self.game = as_game(game)
        self.agents: list[Any] = [make(agent, self.game) if isinstance(agent, str) else agent for agent in agents]
        shares = np.ones(len(agents)) if weights is None else np.asarray(weights, float)
        if shares.shape != (len(agents),) or not (shares > 0).all():
            raise ValueError(f"weights must be {len(agents)} positive numbers, one for each agent, got {weights!r}")
        self._shares = shares / shares.sum()
        self._rng = np.random.default_rng(seed)
        self._current = self.agents[0]

    def reset(self, seed: int | None = None) -> None:
        """Draw the agent of the next game."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._current = self.agents[int(self._rng.choice(len(self.agents), p=self._shares))]
        self._current.reset(None if seed is None else int(self._rng.integers(2**31)))

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the action of the agent that was drawn."""
        return self._current.act(observation, info)
