"""How much time is left to each player."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...agents.timing import Allowance, allot

__all__ = ["Clock"]

_LAG = 0.1  # seconds of a move that are lost on the way


class _Left(NamedTuple):
    seconds: float
    stones: int  # to play in these seconds; 0: the main time, for the whole game


class Clock:
    """What is left to each player: a main time, and then some seconds for so many moves, again and again.

    That is Canadian overtime, which GTP's ``time_settings`` speaks of. Or each move adds some seconds to the main time,
    as R. Fischer's clock does (US patent 4,884,255). Without settings there is no limit.

    Args:
        lag: seconds of each move that are lost on the way to who holds the clock.
    """

    def __init__(self, lag: float = _LAG) -> None:
        self._lag = lag
        self._main, self._overtime, self._stones, self._increment = 0.0, 0.0, 0, 0.0
        self._is_limited = False  # by settings
        self._left: dict[int, _Left] = {}  # of the players who have a limit

    def set(self, main: float, overtime: float = 0.0, stones: int = 0, increment: float = 0.0) -> None:
        """Begin anew with these settings; an overtime above 0 for no moves means that there is no limit.

        Raises:
            ValueError: a number is below 0.
        """
        if not (main >= 0 and overtime >= 0 and stones >= 0 and increment >= 0):
            raise ValueError("times and stones are at least 0")
        self._main, self._overtime, self._stones, self._increment = main, overtime, stones, increment
        self._is_limited = not (overtime > 0 and stones == 0)
        self.restart()

    def restart(self) -> None:
        """Give both players the whole time again; without settings, no limit."""
        self._left = {player: self._full() for player in (0, 1)} if self._is_limited else {}

    def tell(self, player: int, seconds: float, stones: int) -> None:
        """Take from the referee what is left to a player: for so many moves, or, for 0, in the main time."""
        self._left[player] = _Left(max(seconds, 0.0), stones)

    def left(self, player: int) -> float:
        """Return the seconds that a player has until its time is over, or the overtime begins.

        They are below 0 where more was spent than there was: what a referee lets pass once is not given anew. Without a
        limit they are infinite.
        """
        left = self._left.get(player)
        return math.inf if left is None else left.seconds

    def told(self, player: int) -> tuple[float, float, float, int] | None:
        """Return what a player with a method ``set_clock`` is told: see `plyground.agents.timing.limit`.

        None: it has no limit. If the other has none, it is told that the other has as much.
        """
        left = self._left.get(player)
        if left is None:
            return None
        own, other = (max(one.seconds, 0.0) for one in (left, self._left.get(1 - player, left)))
        return own, other, self._increment, left.stones

    def spend(self, player: int, seconds: float) -> None:
        """Take the time of a move from what is left to a player, and add the increment."""
        left = self._left.get(player)
        if left is None:
            return
        rest = left.seconds - seconds
        if left.stones > 1:
            self._left[player] = _Left(rest, left.stones - 1)
        elif left.stones == 1 or (rest <= 0 and self._stones):
            self._left[player] = _Left(self._overtime, self._stones)
        else:
            self._left[player] = _Left(rest + self._increment, 0)

    def allowance(self, player: int, plies_left: float) -> Allowance | None:
        """Return how long a player's next move may take; None for no limit.

        Args:
            player: the player.
            plies_left: plies that the game can still have, at most.
        """
        left = self._left.get(player)
        if left is None:
            return None
        if left.stones or not self._stones:
            return allot(left.seconds, self._increment, left.stones, plies_left, self._lag)
        main = allot(left.seconds, 0.0, 0, plies_left, self._lag)  # and behind it there is the overtime
        share = max(self._overtime / self._stones - self._lag, 0.0)
        return Allowance(main.aim + share, main.most + share)

    def _full(self) -> _Left:
        return _Left(self._main, 0) if self._main or not self._stones else _Left(self._overtime, self._stones)
