"""Games that a rung of a ladder lost by failing: they say nothing of its opponent's strength.

A rung fails where it raises an error, as a program does that has crashed or does not answer. An illegal move is no
failure, but an answer, by which the rules have it lose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..records.record import GameRecord
from ..tournaments.course import MAX_FAILURES

__all__ = ["LadderError", "broken_rungs", "has_failed", "telling_games"]


class LadderError(ValueError):
    """The rungs of a ladder fail, so that nothing can be said of who plays them."""

    def __init__(self, records: Sequence[GameRecord], player: str) -> None:
        reasons = {one.loser: one.reason for one in records if one.ending == "failed" and one.loser != player}
        told = "; ".join(f"{rung} failed: {reason}" if reason else f"{rung} failed" for rung, reason in reasons.items())
        super().__init__(f"no rung of the ladder is left to play against ({told}): mend them, or choose other rungs")


def has_failed(record: GameRecord, name: str) -> bool:
    """Return whether this player has lost a game by an error."""
    return record.ending == "failed" and record.loser == name


def broken_rungs(records: Iterable[GameRecord], player: str) -> list[str]:
    """Return the rungs that have failed so often, against a player, that they are withdrawn."""
    failures = Counter(one.loser for one in records if one.ending == "failed" and one.loser != player)
    return [rung for rung, count in failures.items() if count >= MAX_FAILURES]


def telling_games(records: Sequence[GameRecord]) -> list[GameRecord]:
    """Return the games of those pairs in which the rung did not fail; a last one without counterpart is left out.

    Args:
        records: games of a player, who begins the first of each pair, against rungs.
    """
    games: list[GameRecord] = []
    for place in range(0, len(records) - 1, 2):
        pair = records[place : place + 2]
        if not any(has_failed(record, pair[0].players[1]) for record in pair):
            games += pair
    return games
