"""What a game knows of good moves beside its rules: for rollouts that are not blind, and for new nodes of a tree.

All of it is optional. ``last`` and ``before`` are the latest action and the one before it, whoever played them, or -1
where that is not known.

* ``action(state, last, before, actions, rng)`` draws a move of a rollout, by rules of the game's own. It may write into
  ``actions`` [num_actions].
* ``local_features(state, last, before, actions, features)`` writes the candidates, at least one, into ``actions``, and
  what can be seen of each near by into its row of ``features`` [num_actions, slots]; it returns how many there are.
* ``priors(state, last, before, actions, count, visits, values)`` writes, for each of the first ``count`` ``actions``,
  which are the legal ones in any order, how many simulations its guess is worth, and the guessed mean utility for the
  player to move.

A row of ``features`` has ``slots`` numbers, each the index of a weight: for example, slot 0 is the 3x3 pattern around
the point, one of 1000, and slot 1 is the distance to the last move, one of 5, which have the numbers from 1000 to 1004.
A linear softmax policy plays an action with a probability proportional to exp of the sum of its weights.

Sources: S. Gelly, Y. Wang, R. Munos, O. Teytaud, "Modification of UCT with patterns in Monte-Carlo Go", INRIA RR-6062
(2006), for rollouts; S. Gelly and D. Silver, "Combining online and offline knowledge in UCT", ICML 2007, for priors as
equivalent experience; D. Silver et al., Nature 529 (2016), for linear softmax policies of local features.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .terms import Rule

__all__ = ["NO_KNOWLEDGE", "Knowledge"]


def _no_action(state: Any, last: int, before: int, actions: Any, rng: Any) -> int:
    return -1


def _no_features(state: Any, last: int, before: int, actions: Any, features: Any) -> int:
    return 0


def _no_priors(state: Any, last: int, before: int, actions: Any, count: int, visits: Any, values: Any) -> None:
    return


class Knowledge(NamedTuple):
    """What a game knows, as rules that the head of this module describes; what it does not know has its default."""

    action: Rule = _no_action
    local_features: Rule = _no_features
    slots: int = 0  # features of each action
    num_weights: int = 0  # the indices in ``features`` are less
    priors: Rule = _no_priors

    @property
    def has_action(self) -> bool:
        """Whether the game draws moves for rollouts itself."""
        return self.action is not _no_action

    @property
    def has_priors(self) -> bool:
        """Whether the game guesses values of moves."""
        return self.priors is not _no_priors


NO_KNOWLEDGE = Knowledge()
