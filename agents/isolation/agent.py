"""A player in a process of its own: if it hangs, or ends its process, that is an error as any other."""

from __future__ import annotations

from typing import Any

import cloudpickle

from ...envs import Game, as_game
from ...envs.outside.arguments import checked_whole, is_positive
from ...envs.outside.elsewhere import absolute
from ...envs.outside.messages import shown
from ...envs.players import PlayerLike, checked_answer, player_name
from ..agent import Info, Observation
from ..analysis import Analysis
from ..described import Described
from ..engines.process import EngineError
from ..human import Human
from ..registry import as_agent, check_spec, kinds_in, registered
from ..timing import Allowance
from .process import MoveTime, PlayerError, PlayerProcess

__all__ = ["Isolated"]

_SHARE = 0.9  # of the time for a move, for a search that is told how long it may take: the rest is on the way
_MISTAKES: dict[str, type[Exception]] = {  # of whoever names a player
    "FileNotFoundError": FileNotFoundError,
    "ImportError": ImportError,
    "ModuleNotFoundError": ImportError,
    "ValueError": ValueError,
}


class Isolated(Described):
    """Runs a player in a process of its own, which is ended and started anew if it hangs, crashes or raises an error.

    For players in Python that nobody has tried for long: an endless loop, in code that holds the GIL too, `os._exit`
    or a fault in a library would stop or end the whole match. Here they are an `EngineError`, by which the player loses
    the game, as programs that others wrote do, and the next game begins with a new process. It plays the same games as
    without, for 0.1 ms more a move (0.13 in chess, 0.17 in Go on 19x19), and takes a second to start. What the player
    prints goes to standard error. Its process ends with this one, and so do those that the player has started in its
    process group; a program with a group of its own, such as an engine, finds its standard input closed.

    It works on systems like Unix. A search has no listener there, and the player is asked game by game: it has neither
    ``copies`` nor ``batched``.

    Args:
        game: the game, or its name.
        player: an agent, a function or a spec string, see `plyground.agents.as_agent`. Of a spec the process makes the
            player itself; an agent and a function are pickled, and every process begins with what they are then.
        answer_seconds: how long it may take for a move, and for a ``reset`` or a ``watch``. On a clock a search is told
            to take less than that.
        start_seconds: how long it may take to start, to make the player, and to let it compile, before any clock runs.
        memory_mb: the megabytes of data that the process may have, about 250 of which Python and its libraries take;
            whoever wants more gets a `MemoryError`. Only Linux counts them all.

    Attributes:
        player: the player, as it is given; a file in its spec with its whole path.
        last_analysis: what the player found when it was last asked; None where it tells nothing, and before.

    Raises:
        ValueError: there is no such player, it is a person, it cannot be pickled, or a number is out of its range. What
            only making the player shows, `prepare` raises.
    """

    def __init__(
        self,
        game: Game | str,
        player: PlayerLike,
        answer_seconds: float = 10.0,
        start_seconds: float = 600.0,
        memory_mb: int | None = None,
    ) -> None:
        self.game = as_game(game)
        for name, value in (("answer_seconds", answer_seconds), ("start_seconds", start_seconds)):
            if not is_positive(value):
                raise ValueError(f"{name} must be a number of seconds above 0, got {shown(value)}")
        self.answer_seconds, self.start_seconds = float(answer_seconds), float(start_seconds)
        self.memory_mb = None if memory_mb is None else checked_whole("memory_mb", memory_mb, 1)
        if isinstance(player, str):
            check_spec(player)
        else:
            as_agent(player, self.game)
        if isinstance(player, Human) or (isinstance(player, str) and "human" in kinds_in(player)):
            raise ValueError("a person cannot be isolated: nobody sits at the keyboard of that process")
        self._inner_name = player_name(player)
        self.__name__ = f"isolated({self._inner_name})"
        self.player: PlayerLike = absolute(player) if isinstance(player, str) else player
        self.last_analysis: Analysis | None = None
        self._process: PlayerProcess | None = None
        self._was_made = False  # once: what goes wrong with it later is no mistake in its spec
        self._watches = False
        self._time: MoveTime | None = None  # for the next move
        self._constructors = registered(self.player) if isinstance(self.player, str) else {}  # that this process knows
        self._parcel()  # whoever gives what cannot be pickled is told so before a match begins

    def prepare(self) -> None:
        """Start the process, make the player, and let it compile, before any clock runs.

        Raises:
            ValueError: the player cannot be made, or takes as long as `answer_seconds` for each move.
            FileNotFoundError: a file of it is missing.
            ImportError: a library that it needs is missing.
            EngineError: anything else went wrong there, or it takes too long.
        """
        if self._process is not None and not self._process.is_running:
            self._give_up()
        if self._process is not None:
            return
        self.last_analysis = None
        asked = self._parcel(), self.answer_seconds, self.memory_mb
        self._process = PlayerProcess(self._inner_name)
        try:
            self._watches = self._ask("make", *asked, seconds=self.start_seconds)
        except PlayerError as error:
            if self._was_made or error.kind not in _MISTAKES:
                raise
            raise _MISTAKES[error.kind](error.text) from error.__cause__
        self._was_made = True

    def reset(self, seed: int | None = None) -> None:
        """Begin a game. With a seed, start the player's random numbers anew.

        Raises:
            EngineError: the player failed.
        """
        self.prepare()
        self._time = self.last_analysis = None
        self._ask("reset", seed)

    def watch(self, action: int) -> None:
        """Tell the player of a move, if it must know the moves: see `plyground.agents.agent`.

        Raises:
            EngineError: the player failed.
        """
        if self._process is not None and self._watches:
            self._ask("watch", action)

    def take_time(
        self, allowance: Allowance | None, clock: tuple[float, float, float, int] | None, is_forced: bool
    ) -> None:
        """Take what the player is told of the time for its next move: see `plyground.agents.timing.limit`."""
        if allowance is not None:
            allowance = allowance.within(_SHARE * self.answer_seconds)
        self._time = None if allowance is None and clock is None else MoveTime(allowance, clock, is_forced)

    def act(self, observation: Observation, info: Info | None = None) -> int:
        """Return the player's action.

        Raises:
            EngineError: the player raised an error, took too long, ended its process, or answered with what is no
                action.
        """
        if self._process is None:
            self.prepare()
        time, self._time, self.last_analysis = self._time, None, None
        answer, found = self._ask("act", observation, info, time)
        self.last_analysis = found
        try:
            return checked_answer(answer, self._inner_name, self.game)
        except ValueError as error:
            self._give_up()
            raise EngineError(str(error)) from None

    def close(self) -> None:
        """End the process, and what the player has started; another is started when it is needed."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _ask(self, request: str, *arguments: Any, seconds: float | None = None) -> Any:
        assert self._process is not None
        try:
            return self._process.ask(request, arguments, self.answer_seconds if seconds is None else seconds)
        except BaseException:  # Ctrl-C, too: what it says now would answer no question
            self._give_up()
            raise

    def _give_up(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def _parcel(self) -> bytes:
        """Return the player and its game as they are sent, with the agents that only this process knows.

        Raises:
            ValueError: the player cannot be pickled.
        """
        try:
            return cloudpickle.dumps((self.player, self.game, self._constructors))
        except Exception as error:  # whatever a class of somebody's own may raise
            raise ValueError(
                f"{self._inner_name} cannot be sent to a process of its own ({error}): give the player by a spec, of "
                "which the process makes its own"
            ) from error

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the process: a copy has one of its own."""
        return vars(self) | {"_process": None, "_time": None, "_was_made": False}

    def __repr__(self) -> str:
        return self.__name__ if isinstance(vars(self).get("player"), str) else super().__repr__()
