"""Earlier games, after which others go on: whether one is the game that would be played now, under these conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...envs import Game
from ..records.record import GameRecord
from ..referee import Conditions

__all__ = ["check_alike", "differences"]


def check_alike(found: str, compared: Iterable[tuple[str, object, object]], advice: str = "") -> None:
    """Raise `ValueError` for the first thing of an earlier game that is not as it would be now.

    Args:
        found: the game, and what it is then, as in ``"game 3 is of another match"``.
        compared: what it is, in words, what the record tells, and what was expected.
        advice: what to do, with which the message ends.
    """
    for what, told, expected in compared:
        if told != expected:
            raise ValueError(f"{found}: its {what} {told}, expected {expected}{advice}")


def differences(record: GameRecord, conditions: Conditions, game: Game) -> Iterator[tuple[str, str, str]]:
    """Yield what differs for certain: what it is, what the record tells, and what was expected, in words.

    A record keeps no conditions. It tells how the game ended, and how long each move took. So these are found:

    - an end by a clock or an adjudication that there is not, or not with these numbers;
    - moves that took longer than the clock allows.

    And these are not: a game that the other clock, or its absence, did not touch; one that would have been adjudicated
    now, and was not then; another margin of a clock, or the processor's time in place of the wall clock's, where the
    moves fit both. A store keeps the conditions themselves, and knows all of them.
    """
    control, reason = conditions.control, record.reason
    if record.ending == "adjudicated":
        judges = conditions.adjudication
        if not any(reason is None or judge.may_say(reason, game) for judge in judges):
            yield "adjudication is", repr(reason), f"one by {', '.join(map(repr, judges))}" if judges else "none"
    if record.ending == "time" and (control is None or not (reason is None or control.may_say(reason))):
        yield "end by time is", repr(reason), "none" if control is None else f"one by {control}"
    if control is not None:
        clock = control.clock()
        for seat, seconds in zip(record.movers, record.seconds, strict=True):
            late = None if seat < 0 else control.spend(clock, seat, seconds)
            if late is not None:
                yield "time is", f"another one, in which {record.players[seat]} {late}", str(control)
                return
