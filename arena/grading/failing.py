"""Games that a rung of a ladder lost by failing: they say nothing of its opponent's strength.

A rung fails where it raises an error, as a program does that has crashed or does not answer. An illegal move is no
failure, but an answer, by which the rules have it lose.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from ..records.record import GameRecord
from ..tournaments.course import MAX_FAILURES

__all__ = ["NO_RUNG", "LadderError", "broken_rungs", "has_failed", "telling_games"]

NO_RUNG = "no rung of the ladder is left to play against"


class LadderError(ValueError):
    """The rungs of a ladder fail, so that nothing can be said of who plays them, or of themselves.

    Args:
        what: what cannot be.
        records: the games, among them those that failed.
        player: who is no rung.
        then: what to do after the rungs are mended, or others are chosen.
    """

    def __init__(self, what: str, records: Sequence[GameRecord], player: str | None = None, then: str = "") -> None:
        reasons = {one.loser: one.reason for one in records if one.ending == "failed" and one.loser != player}
        told = "; ".join(f"{rung} failed: {reason}" if reason else f"{rung} failed" for rung, reason in reasons.items())
        super().__init__(f"{what} ({told}): mend them, or choose other rungs{then}")


def has_failed(record: GameRecord, name: str) -> bool:
    """Return whether this player has lost a game by an error."""
    return record.ending == "failed" and record.loser == name


def broken_rungs(records: Iterable[GameRecord], player: str) -> list[str]:
    """Return the rungs that have failed so often, against a player, that they are withdrawn."""
    failures = Counter(one.loser for one in records if one.ending == "failed" and one.loser != player)
    return [rung for rung, count in failures.items() if count >= MAX_FAILURES]


def telling_games(records: Iterable[GameRecord], both: bool = False) -> list[GameRecord]:
    """Return the games of those pairs in which the rung did not fail, by the rungs.

    The last game against a rung is left out if it has no counterpart.

    Args:
        records: games of a player, who begins the first of each pair, against rungs.
        both: whether the player is a rung, too.
    """
    matches: defaultdict[frozenset[str], list[GameRecord]] = defaultdict(list)
    for record in records:
        matches[frozenset(record.players)].append(record)
    games: list[GameRecord] = []
    for match in matches.values():
        for pair in zip(match[::2], match[1::2], strict=False):
            rungs = pair[0].players if both else pair[0].players[1:]
            if not any(has_failed(record, rung) for record in pair for rung in rungs):
                games += pair
    return games
