"""Commands of GTP that tell what a search thinks while it goes on, as programs with graphical boards ask for it.

``lz-analyze`` and ``kata-analyze`` search until the next command comes; ``lz-genmove_analyze`` and
``kata-genmove_analyze`` play the move that the search ends with. Their lines are those of Leela Zero and of KataGo,
whose documentation says what they mean (https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md).
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...agents import Analysis, Listener, make
from ...agents.search import analyse_seen
from ...envs.vector.opponents import prepare
from .analysis import kata_line, lz_line
from .conversation import Answers, Commands, in_a_line
from .seat import Seat
from .words import COLOURS, RefusalError, number_of, player_of

__all__ = ["LIVE", "answer_live"]

_LONGEST = 60.0  # seconds of a search for an analysis …
_LIMITS = ("simulations", "depth", "nodes")  # … which has no other limit
_LOOK_SECONDS = 0.02  # between two looks whether it is to stop


class _Command(NamedTuple):
    line: Callable[..., str]  # what was found, in words
    plays: bool = False


LIVE = {
    "lz-analyze": _Command(lz_line),
    "lz-genmove_analyze": _Command(lz_line, plays=True),
    "kata-analyze": _Command(kata_line),
    "kata-genmove_analyze": _Command(kata_line, plays=True),
}


def answer_live(seat: Seat, name: str, arguments: list[str], number: str, lines: Commands, answers: Answers) -> None:
    """Answer one of the commands in `LIVE`, and the empty line after it.

    What goes wrong once the answer has begun is a line of it, and it ends all the same.

    Args:
        seat: the player at its board.
        name: the command.
        arguments: what stands after its name.
        number: the command's number; "" for none.
        lines: where the next command comes from, which ends an analysis.
        answers: where the lines go.
    """
    telling = _Telling(seat, LIVE[name].line, number, answers)
    try:
        if LIVE[name].plays:
            vertex = seat.choose(player_of(arguments), hear=telling.now_and_then(_interval(arguments)))
            telling.finish(f"play {vertex}")
        else:
            if arguments and arguments[0].lower() in COLOURS and player_of(arguments) != seat.to_move:
                raise RefusalError("only the player to move is analysed")
            _analyse(seat, telling, _interval(arguments), lines)
            telling.finish()
    except Exception as error:
        telling.fail(error)


class _Telling:
    """An answer of several lines, each of them what was found last, told at most once."""

    def __init__(self, seat: Seat, line: Callable[..., str], number: str, answers: Answers) -> None:
        self._seat, self._line, self._number, self._answers = seat, line, number, answers
        self._latest: list[Analysis] = []  # one at most
        self._has_begun = False

    def begin(self) -> None:
        """Say that the command is understood."""
        if not self._has_begun:
            self._has_begun = True
            self._answers.write(f"={self._number}")

    def hear(self, found: Analysis) -> None:
        """Take notice of what was found."""
        self._latest[:] = [found]

    def now_and_then(self, seconds: float) -> Callable[[Analysis], None]:
        """Return what hears a search, and tells what it found every so many seconds."""
        following = time.monotonic() + seconds

        def hear(found: Analysis) -> None:
            nonlocal following
            self.hear(found)
            if time.monotonic() >= following:
                self.tell()
                following = time.monotonic() + seconds

        return hear

    def tell(self) -> None:
        """Write what was found last, if that is new."""
        if self._latest:
            self.begin()
            self._answers.write(self._line(self._seat.game, self._latest.pop(), self._seat.vertices))

    def finish(self, *more: str) -> None:
        """Tell the last, and end the answer."""
        self.begin()
        self.tell()
        self._answers.write("\n".join([*more, ""]))

    def fail(self, error: Exception) -> None:
        """End the answer by what went wrong."""
        self._answers.write(f"{in_a_line(error)}\n" if self._has_begun else f"?{self._number} {in_a_line(error)}\n")


def _analyse(seat: Seat, telling: _Telling, seconds: float, lines: Commands) -> None:
    """Let the player search, and tell what it found every so many seconds, until there is a line to read.

    It searches for a minute at most. One that cannot be told to stop has its own limits, and as many seconds.

    Raises:
        RefusalError: it does not analyse.
    """
    agent: Any = make(seat.player, seat.game)
    if not callable(getattr(agent, "analyse", None)):
        raise RefusalError(f"{seat.player} does not analyse")
    prepare(agent)
    telling.begin()
    if seat.over:
        return
    hears = bool(getattr(agent, "hears", False))
    if hasattr(agent, "seconds"):
        agent.seconds = _LONGEST if hears else seconds
    for limit in _LIMITS if hears else ():
        if hasattr(agent, limit):
            setattr(agent, limit, None)
    listener = agent.listener = Listener(telling.hear, seconds)
    with _at_intervals(seconds, telling.tell, lambda: lines.is_one_waiting and listener.stop()):
        found = analyse_seen(agent, *seat.seen)
    telling.hear(found)


def _interval(arguments: list[str]) -> float:
    """Return the seconds between two lines, which are told in hundredths.

    The number comes first, or after the colour, or, as KataGo has it, after ``interval``. Other arguments are passed
    over, with their numbers.
    """
    first = int(bool(arguments) and arguments[0].lower() in COLOURS)
    numbers = [word for word in arguments[first : first + 1] if word.isdecimal()]
    numbers += [after for word, after in itertools.pairwise(arguments) if word == "interval"]
    return max(number_of(numbers[-1:] or ["50"], 0) / 100, 0.05)


@contextmanager
def _at_intervals(seconds: float, tell: Callable[[], object], look: Callable[[], object]) -> Iterator[None]:
    """Call ``tell`` every so many seconds, and ``look`` all the time, by a thread."""
    done = threading.Event()

    def work() -> None:
        following = time.monotonic() + seconds
        while not done.wait(_LOOK_SECONDS):
            look()
            if time.monotonic() >= following:
                tell()
                following += seconds

    thread = threading.Thread(target=work, name="analysis", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
