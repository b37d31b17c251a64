"""Time management: how much of a clock to spend on a move, and when a search has had enough of it.

A move gets a share of what is left. The search goes on for longer if it has changed its mind of late, for shorter if it
has not, and never beyond a limit that leaves time for the moves to come (as in R. M. Hyatt, "Using time wisely", ICCA
Journal 7, 1984). A reserve is never planned with, and each move is taken to lose a little on its way to whoever holds
the clock. So a clock with an increment never runs out, however long the game.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .analysis import Analysis
from .listening import Listener
from .mixture import Mixture

__all__ = ["Allowance", "Patience", "allot", "limit", "playing"]

_LEAST_MOVES = 25  # of its own that a player expects to make yet
_USUAL_MOVES = 40  # the same, where the rules tell too little about how long a game lasts
_LONG = 2000  # plies: a bound on the length of games that is larger says nothing about most of them
_SHARE = 0.6  # of the plies that a game can have, for those it will have
_LAGS_IN_RESERVE = 10
_PART = 0.7  # of what may be used, for one of several moves at most
_LATE = 4  # times the aim, at most
_SURE = 0.75  # times the aim: for a search that has not changed its mind for long
_UNSURE = 2.0  # the same, for one that has done so just now
_MOST_GROWTH = 8.0  # of the time between two reports
_REPORT_SECONDS = 0.1  # between two reports, at most
_LEAST = 0.001  # seconds for a move
_NOTHING = 1e-6  # seconds that count as left where none are: a search without a budget would not move at all


class Allowance(NamedTuple):
    """How long a move may take, in seconds."""

    aim: float  # what it takes on the average
    most: float  # what it never exceeds

    def shared(self, threads: int) -> Allowance:
        """Return the same for so many threads at once, where the time of each of them counts."""
        return Allowance(self.aim / threads, self.most / threads)

    def within(self, seconds: float | None) -> Allowance:
        """Return the same for a player with a budget of its own for each move; None: it has none."""
        return self if seconds is None else Allowance(min(self.aim, seconds), min(self.most, seconds))


def allot(
    left: float, increment: float = 0.0, moves: int = 0, plies_left: float = math.inf, lag: float = 0.0
) -> Allowance:
    """Return how long the next move may take.

    Args:
        left: seconds that are left on the player's clock. Where none are, the move may take next to nothing, but never
            0: whoever holds the clock says whether the player has lost.
        increment: seconds that each move adds, after it was made.
        moves: for how many moves these seconds are; 0 for the whole game. The time for a single move is used up, as
            none of it can be saved.
        plies_left: plies that the game can still have, at most.
        lag: seconds of each move that are lost on the way to who holds the clock.
    """
    left = max(left, _NOTHING)
    floor = min(_LEAST, left / 8)
    if moves == 1:
        whole = max(left - lag, floor)
        return Allowance(whole, whole)
    usable = left - min(_LAGS_IN_RESERVE * lag, left / 2)
    expected = moves or _expected_moves(plies_left)
    most = max(_PART * usable, floor)
    aim = min(max(usable / expected + increment - lag, floor), most)
    return Allowance(aim, min(_LATE * aim, most))


def _expected_moves(plies_left: float) -> float:
    return _USUAL_MOVES if plies_left > _LONG else max(_LEAST_MOVES, round(_SHARE * plies_left / 2))


class Patience:
    """Tells a search that it has had enough time, whenever it has found something. It can be a listener's ``hear``.

    What is wanted lies between three quarters of the aim and twice the aim: twice if the best move has just become
    another, and less the longer ago that was in proportion to the whole time. The search ends with the report that
    comes nearest to it, and does not begin what it cannot finish: when the next report comes is guessed from the time
    between the last two.

    Args:
        allowance: how long the move may take. Its ``most`` must be a limit of the search itself.
        now: the time, in seconds.
    """

    def __init__(self, allowance: Allowance, now: Callable[[], float] = time.perf_counter) -> None:
        self._aim, self._most = allowance
        self._now = now
        self._start = now()
        self._last, self._interval = 0.0, 0.0  # the last report, and how long it took
        self._best, self._changed = -1, 0.0  # the best move, and when it became that

    def __call__(self, found: Analysis) -> bool:
        """Take notice of what was found so far; return whether that is enough."""
        elapsed = self._now() - self._start
        if self._best not in (-1, found.best_action):
            self._changed = elapsed
        self._best = found.best_action
        interval, before = elapsed - self._last, self._interval
        self._last, self._interval = elapsed, interval
        growth = min(max(interval / before, 1.0), _MOST_GROWTH) if before > 0 else 1.0
        coming = elapsed + growth * interval
        unrest = self._changed / elapsed if elapsed > 0 else 0.0
        wanted = min(self._aim * (_SURE + (_UNSURE - _SURE) * unrest), self._most)
        return elapsed + coming >= 2 * wanted or coming > self._most


def playing(player: Any) -> Any:
    """Return who is to be told of a clock: the player, or of a mixture the agent that was drawn for this game."""
    return player.drawn if isinstance(player, Mixture) else player


def limit(
    agent: Any,
    allowance: Allowance | None,
    *,
    clock: tuple[float, float, float, int] | None = None,
    is_forced: bool = False,
    hear: Callable[[Analysis], bool | None] | None = None,
) -> Listener | None:
    """Tell a player how long its next move may take.

    One with a method ``set_clock(own, other, increment, moves)``, as `plyground.agents.engines.Engine` has it, is told
    of the clock, if there is one, and decides by itself. A search is told by its attribute ``seconds``, and by a
    listener if it hears one; one that hears, and tells nothing until it has ended (``reports`` is False), has no more
    than the aim. One with a method ``take_time(allowance, clock, is_forced)`` stands for another player, whom it tells
    the same of its next move. Others take the time that they take.

    Args:
        agent: the player; nobody else is told, see `playing`.
        allowance: how long the move may take; None: as long as it likes. One that does not hear keeps its own budget
            then, as nobody could end its search.
        clock: what ``set_clock`` is told: seconds that are left to the player and to the other, seconds that each move
            adds, and for how many moves these seconds are, 0 for the whole game. None: there is no clock.
        is_forced: whether there is one legal move, so that the first report is enough.
        hear: called with all reports; it may end the search, too.

    Returns:
        The listener, if the search has one.
    """
    if callable(getattr(agent, "take_time", None)):
        agent.take_time(allowance, clock, is_forced)
        return None
    hears = bool(getattr(agent, "hears", False))
    reports = hears and bool(getattr(agent, "reports", True))
    if clock is not None and callable(getattr(agent, "set_clock", None)):
        agent.set_clock(*clock)
        allowance = None
    elif hasattr(agent, "seconds") and (hears or allowance is not None):
        agent.seconds = None if allowance is None else allowance.most if reports else allowance.aim
    if not hears:
        return None
    patience, every = None, _REPORT_SECONDS
    if allowance is not None and allowance.aim < allowance.most:
        patience, every = Patience(allowance), min(_REPORT_SECONDS, allowance.aim / 5)

    def listen(found: Analysis) -> bool:
        is_enough = hear is not None and bool(hear(found))
        return is_enough or (allowance is not None and is_forced) or (patience is not None and patience(found))

    agent.listener = Listener(listen, every)
    return agent.listener
