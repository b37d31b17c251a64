"""Flat Monte Carlo: random games after each move of the root, and no tree.

The value of a move is the mean result of games that are played at random after it, so it is what the move is worth
against random play, whatever the number of simulations: unlike UCT's it does not approach the minimax value.

Sources: B. Abramson, "Expected-outcome: a general model of static evaluation", IEEE PAMI 12 (1990); as a bandit over
the moves of the root, C. Browne et al., "A survey of Monte Carlo tree search methods", IEEE TCIAIG 4 (2012), sections
2.3 and 3.3.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs import Game, State
from ...envs.jit import bind, kernel
from ...envs.jit.prng import new_rng
from ...envs.outside.arguments import is_between
from ..analysis import Analysis
from ..search import SearchAgent, in_turn
from ..settings import MOST_SIMULATIONS, Budget, Setting, check_arguments
from .policies import policy_rollout
from .tree import exploration, shuffle, ucb

__all__ = ["FlatMonteCarlo"]

_ALLOCATIONS = ("uniform", "ucb1")
_C = 1.4
_CHUNK_SECONDS = 0.01  # how long a kernel call may take, about: between two looks at the clock and at Ctrl-C


class _Samples(NamedTuple):
    """What was seen of each move, from the point of view of the player who chooses it."""

    visits: NDArray[np.int64]  # [moves]
    total: NDArray[np.float64]  # [moves] the sum of the utilities
    squares: NDArray[np.float64]  # [moves] the sum of their squares
    plies: NDArray[np.int64]  # [2] played in all games together, in the longest one


def _no_samples(moves: int) -> _Samples:
    return _Samples(np.zeros(moves, np.int64), np.zeros(moves), np.zeros(moves), np.zeros(2, np.int64))


@kernel
def _sample(game, root, scratch, moves, samples, buffer, rng, adaptive, c, simulations):
    """Play ``simulations`` random games from the state ``root[0]``, each after one of ``moves``.

    The move is the next in turn, or if ``adaptive`` the one with the highest `ucb`, those never tried first. The first
    call puts the moves into random order.
    """
    player = game.player(root[0])
    first = samples.visits.sum()
    if first == 0:
        shuffle(moves, moves.size, rng)
    for done in range(first, first + simulations):
        chosen = done % moves.size
        if adaptive and done >= moves.size:
            log_done = np.log(done)
            best = -np.inf
            for i in range(moves.size):
                score = ucb(samples.total[i] / samples.visits[i], samples.visits[i], log_done, c)
                if score > best:
                    best, chosen = score, i
        scratch[0] = root[0]
        state = scratch[0]
        game.play(state, moves[chosen])
        plies = 1 + policy_rollout(game, state, -1, -1, None, buffer, rng)
        utility = game.utility(state, player)
        samples.visits[chosen] += 1
        samples.total[chosen] += utility
        samples.squares[chosen] += utility * utility
        samples.plies[0] += plies
        samples.plies[1] = max(samples.plies[1], plies)


class FlatMonteCarlo(SearchAgent):
    """Flat Monte Carlo: plays the move after which random games end best.

    With the allocation ``"uniform"`` all moves are tried in turn, in random order, and the one with the best mean is
    played. With ``"ucb1"`` the moves are the arms of a bandit, better ones are tried more often, and the one with the
    most visits is played. (Of equals the one with the better mean, then the first that was tried.) Without a budget
    there are 1000 simulations. The same seed and number of simulations give the same move; seconds do not.

    In `analyse`, ``values`` are the means of the simulations after each action, for the player to move, ``visits``
    their numbers, and ``standard_error`` is that of the best action's mean, None if it was tried only once.
    ``selective_depth`` is the length of the longest random game.

    Args:
        game: the game, or its name.
        simulations: how many there are for each move.
        seconds: wall-clock time for each move. Of both budgets the first to run out ends the search.
        allocation: ``"uniform"`` or ``"ucb1"``.
        c: how much ``"ucb1"`` explores, in units of the game's ``max_utility``. The means run from -1 to 1 of these,
            twice the range for which UCB1's √2 is meant. (Of utilities without a limit, the unit is 1.)
        seed: the seed of the random games; None takes one from the system's entropy.

    Raises:
        ValueError: a budget is not positive, the allocation is unknown, or ``c`` is negative.
    """

    kind = "flat"
    seconds = Budget()
    allocation = Setting(lambda name: isinstance(name, str) and name in _ALLOCATIONS, "'uniform' or 'ucb1'")
    c = Setting(lambda c: is_between(c, 0), "a number of at least 0", float)

    def __init__(
        self,
        game: Game | str,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        allocation: str = "uniform",
        c: float = _C,
        seed: int | None = None,
    ) -> None:
        super().__init__(game)
        self.simulations = 1000 if simulations is None and seconds is None else simulations
        self.seconds, self.allocation, self.c = seconds, allocation, c
        fits = c == _C or allocation == "ucb1"
        check_arguments(("c", c, fits, f"{_C} without allocation='ucb1', which alone explores"))
        self._rng = new_rng(seed)

    @in_turn
    def reset(self, seed: int | None = None) -> None:
        """Start the random numbers anew, if a seed is given."""
        if seed is not None:
            self._rng = new_rng(seed)

    def _arguments(self, actions: NDArray[np.int32], samples: _Samples) -> tuple[Any, ...]:
        """Return the arguments of the kernel but the number of simulations, with room for the state at the root."""
        root, scratch = np.zeros((2, 1), self.game.dtype)
        buffer = np.empty(self.game.num_actions, np.int32)
        c = exploration(self.c, self.game)
        return self.game, root, scratch, actions, samples, buffer, self._rng, self.allocation == "ucb1", c

    def _compile(self) -> None:
        bind(_sample, *self._arguments(np.zeros(1, np.int32), _no_samples(1)), 1)

    def _search(self, state: State, actions: NDArray[np.int32]) -> Analysis:
        start = time.perf_counter()
        samples = _no_samples(actions.size)
        arguments = self._arguments(actions, samples)
        arguments[1][0] = state
        done, chunk, limit = 0, 1, self.simulations or MOST_SIMULATIONS
        now = start
        while done < limit and (done == 0 or self.seconds is None or now - start < self.seconds):
            wanted = min(chunk, limit - done)
            _sample(*arguments, wanted)
            done += wanted
            before, now = now, time.perf_counter()
            if now - before < _CHUNK_SECONDS:
                chunk *= 2
        return self._answer(actions, samples, time.perf_counter() - start)

    def _answer(self, actions: NDArray[np.int32], samples: _Samples, seconds: float) -> Analysis:
        tried = np.flatnonzero(samples.visits)
        means = samples.total[tried] / samples.visits[tried]
        ranks = means if self.allocation == "uniform" else samples.visits[tried]
        best = int(np.lexsort((-means, -ranks))[0])
        action, value, visits = int(actions[tried[best]]), float(means[best]), int(samples.visits[tried[best]])
        error = None
        if visits > 1:  # the sample variance needs two
            spread = max(float(samples.squares[tried[best]]) - visits * value * value, 0.0)
            error = math.sqrt(spread / (visits * (visits - 1)))
        simulations = int(samples.visits.sum())
        return Analysis(
            best_action=action,
            value=value,
            best_actions=(action,),
            values=dict(sorted(zip(actions[tried].tolist(), means.tolist(), strict=True))),
            visits=dict(sorted(zip(actions.tolist(), samples.visits.tolist(), strict=True))),
            pv=(action,),
            depth=1,
            nodes=1 + tried.size,
            leaves=simulations,
            exact=False,
            seconds=seconds,
            standard_error=error,
            selective_depth=int(samples.plies[1]),
            statistics={"plies per simulation": float(samples.plies[0] / simulations)},
        )
