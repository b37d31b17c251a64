"""Time controls: for a whole game, with an increment, or for each move; whoever uses up the time loses."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

from ...agents import Isolated, Mixture
from ...agents.engines import ChessEngine, Engine
from ...agents.timing import limit, playing
from ...envs import Game
from ...envs.outside.arguments import checked_flag, is_between, is_positive
from ...envs.players import player_name
from ..wording import decimal_of
from .clock import Clock

__all__ = ["GameClock", "TimeControl"]

_TEXT = re.compile(r"(\d*\.?\d+)(?:(/move)|\+(\d*\.?\d+))?(\s+cpu)?")
_LAG = 0.005  # seconds of a move between the loop and a player in the same process


@dataclass(frozen=True)
class TimeControl:
    """How much time players have.

    Args:
        seconds: the time for the whole game, or for each move.
        increment: seconds that each move adds, after it was made.
        per_move: whether ``seconds`` are for each move, and none can be saved.
        cpu: whether the processor's time counts, of all threads of this process, in place of the wall clock's. So
            a game on a busy machine is as fair as on an idle one. Programs and isolated players, which run in other
            processes, have none.
        margin: seconds beyond its time that a player may use, in a game or, with ``per_move``, for each move: a search
            looks at the clock now and then only, and the machine may be doing something else.

    Raises:
        ValueError: a number is out of its range.
    """

    seconds: float
    increment: float = 0.0
    per_move: bool = False
    cpu: bool = False
    margin: float = 0.05

    def __post_init__(self) -> None:
        if not is_positive(self.seconds):
            raise ValueError(f"the time of a game or move must be a number of seconds above 0, got {self.seconds!r}")
        for name in ("increment", "margin"):
            value = getattr(self, name)
            if not is_between(value, 0):
                raise ValueError(f"{name} must be a number of seconds, at least 0, got {value!r}")
        if self.per_move and self.increment:
            raise ValueError(f"a time for each move has no increment, got {self.increment!r}")
        for name in ("seconds", "increment", "margin"):  # equal ones have one text, by which a store knows them
            object.__setattr__(self, name, float(getattr(self, name)))
        for name in ("per_move", "cpu"):
            object.__setattr__(self, name, checked_flag(name, getattr(self, name)))

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read a time control, such as ``"60"``, ``"60+0.5"``, ``"0.2/move"`` or ``"60+0.5 cpu"``.

        Raises:
            ValueError: it is none.
        """
        found = _TEXT.fullmatch(text.strip())
        if found is None:
            raise ValueError(
                f"cannot read the time control {text!r}: expected seconds for a game, as in '60' or '60+0.5' with an "
                "increment, or for a move, as in '0.2/move'; ' cpu' after it for the processor's time"
            )
        return cls(float(found[1]), float(found[3] or 0), bool(found[2]), bool(found[4]))

    def __str__(self) -> str:
        kind = "/move" if self.per_move else f"+{decimal_of(self.increment)}" if self.increment else ""
        return f"{decimal_of(self.seconds)}{kind}{' cpu' if self.cpu else ''}"

    def check(self, agent: Any) -> None:
        """Check that the time of a player can be measured.

        Raises:
            ValueError: it runs in another process, whose processor time is not known here.
        """
        if isinstance(agent, Mixture):
            for member in agent.agents:
                self.check(member)
        if not self.cpu:
            return
        named = None
        if isinstance(agent, Engine):
            named = agent.client.command
        elif isinstance(agent, ChessEngine):
            named = agent.command
        elif isinstance(agent, Isolated):
            named = player_name(agent)
        if named is not None:
            raise ValueError(f"the processor's time of {named!r} is not known: use a time without 'cpu'")

    def now(self) -> float:
        """Return the time by which moves are measured, in seconds."""
        return time.process_time() if self.cpu else time.perf_counter()

    def clock(self) -> Clock:
        """Return a clock on which both players have all of their time."""
        clock = Clock(lag=_LAG)
        if self.per_move:
            clock.set(0.0, self.seconds, 1)
        else:
            clock.set(self.seconds, increment=self.increment)
        return clock

    def spend(self, clock: Clock, seat: int, seconds: float) -> str | None:
        """Take the time of a move; return what happened in a line if the flag has fallen, else None."""
        left = clock.left(seat)
        if seconds > left + self.margin:
            return f"took {seconds:.3g} s, and had {max(left, 0.0):.3g} s {self._of_what}"
        clock.spend(seat, seconds)
        return None

    @property
    def _of_what(self) -> str:
        return "for a move" if self.per_move else f"left of {self}"

    def may_say(self, reason: str) -> bool:
        """Return whether `spend` may have said that a flag has fallen: with other times it says something else.

        It does not tell the margin, nor, of a time for each move, whose seconds count.
        """
        had = f" had {self.seconds:.3g} s" if self.per_move else " s"
        return reason.endswith(f"{had} {self._of_what}")


class GameClock:
    """The time of both players of a game in progress.

    An agent is told what it has as `plyground.agents.timing.limit` says; of a mixture, the agent that was drawn. A
    search gets a reasonable share, though never more than its own budget for a move.

    Args:
        control: the time control.
        agents: both players, the first to move first. `close` gives them their own budgets back.
    """

    def __init__(self, control: TimeControl, agents: tuple[Any, Any]) -> None:
        self.control, self._agents = control, agents
        for agent in agents:
            if isinstance(getattr(agent, "game", None), Game):
                agent.game.state_check.prepare()  # whose rule could else be compiled in the midst of a game
        self._own: list[tuple[Any, float | None]] = []  # who had a budget of its own, which `close` gives back
        self._clock = control.clock()

    def give(self, seat: int, plies_left: float) -> None:
        """Tell a player, before it moves, how much time there is.

        Args:
            seat: the player's.
            plies_left: plies that the game can still have, at most; infinite where nobody knows.
        """
        agent, allowance = playing(self._agents[seat]), self._clock.allowance(seat, plies_left)
        if allowance is not None:
            threads = getattr(agent, "threads", 1)
            if self.control.cpu and isinstance(threads, int) and threads > 1:
                allowance = allowance.shared(threads)
            allowance = allowance.within(self._budget_of(agent))
        limit(agent, allowance, clock=self._clock.told(seat))  # of the margin nobody is told

    def _budget_of(self, agent: Any) -> float | None:
        """Return what a player takes for a move if nobody tells it; None for one without a budget."""
        for known, own in self._own:
            if known is agent:
                return own
        self._own.append((agent, getattr(agent, "seconds", None)))
        return self._own[-1][1]

    def spend(self, seat: int, seconds: float) -> str | None:
        """Take the time of a move; return what happened in a line if the flag has fallen, else None."""
        return self.control.spend(self._clock, seat, seconds)

    def close(self) -> None:
        """Give the players their own budgets back."""
        for agent, own in self._own:
            if hasattr(agent, "seconds"):
                agent.seconds = own
            if getattr(agent, "hears", False):
                agent.listener = None
