"""What the search does where nobody says: plain UCT, or what was tuned for games that know good moves.

The tuned numbers were found on 9x9 Go, in matches with as many simulations; ``docs/search.md`` has the gains.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...envs import Game

__all__ = ["KNOWING", "PLAIN", "Settings", "settings"]


class Settings(NamedTuple):
    """The arguments of `MCTS` whose defaults depend on the game."""

    c: float
    rollout: Any
    rave: float
    rave_bias: float
    prior: float


PLAIN = Settings(c=1.4, rollout="random", rave=0.0, rave_bias=0.0, prior=0.0)
KNOWING = Settings(c=0.0, rollout="heavy", rave=1.0, rave_bias=0.01, prior=1.0)


def settings(game: Game, *given: Any) -> Settings:
    """Return the settings of a search, of which those that are None are not ``given``."""
    knows = game.knowledge.has_action and game.knowledge.has_priors
    default = KNOWING if knows and all(one is None for one in given) else PLAIN
    return Settings(*(one if one is not None else other for one, other in zip(given, default, strict=True)))
