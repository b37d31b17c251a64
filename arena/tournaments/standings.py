"""The table of the results of games: wins, draws and losses of everyone against everyone."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...envs.html import html_table
from ..records.record import GameRecord

__all__ = ["Score", "Standing", "Tally", "standings"]


@dataclass
class Score:
    """Wins, draws and losses; a win is one point, a draw half of one."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, own: float, other: float) -> None:
        """Count a game by what both players got."""
        self.wins += own > other
        self.draws += own == other
        self.losses += own < other

    @property
    def games(self) -> int:
        """How many games were counted."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, half for a draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """Points per game; NaN without games."""
        return self.points / self.games if self.games else math.nan


@dataclass
class Standing:
    """One player's line of the table. Games that were broken off, without a result, are in no score.

    Attributes:
        name: the player's name.
        total: the score over all games.
        against: the score against each opponent, by the opponent's name.
        seconds: the time of all the player's moves together: the processor's where the match counted that.
        moves: the number of the player's moves.
        broken_off: how many of the player's games were broken off.
    """

    name: str
    total: Score = field(default_factory=Score)
    against: dict[str, Score] = field(default_factory=dict)
    seconds: float = 0.0
    moves: int = 0
    broken_off: int = 0

    def __repr__(self) -> str:
        total = self.total
        record = f"{total.wins}-{total.draws}-{total.losses}"
        return f"<Standing: {self.name}, {total.points:g} of {total.games} points, {record}>"

    def _repr_html_(self) -> str:
        """Return a table of the score against each opponent, for notebooks."""
        scores = {**self.against, "all": self.total}
        rows = [(name, f"{s.points:g}", f"{s.wins}-{s.draws}-{s.losses}") for name, s in scores.items()]
        return html_table(rows, ("against", "points", "win-draw-loss"), self.name)

    @property
    def seconds_per_move(self) -> float:
        """The mean time of a move; NaN where none is known: without moves, or of files that keep no times."""
        return self.seconds / self.moves if self.seconds else math.nan


class Tally:
    """The table of games that come one after the other, and are not kept."""

    def __init__(self) -> None:
        self._table: dict[str, Standing] = {}

    def add(self, record: GameRecord) -> None:
        """Count a game."""
        for seat, name in enumerate(record.players):
            line = self._table.setdefault(name, Standing(name))
            if record.has_result:
                own, other = record.outcome[seat], record.outcome[1 - seat]
                line.total.add(own, other)
                line.against.setdefault(record.players[1 - seat], Score()).add(own, other)
            else:
                line.broken_off += 1
            times = [s for s, mover in zip(record.seconds, record.movers, strict=True) if mover == seat]
            line.seconds += sum(times)
            line.moves += len(times)

    def standings(self) -> list[Standing]:
        """Return the table of the games until now, sorted by points per game, the best player first."""
        return sorted(self._table.values(), key=lambda line: -line.total.share if line.total.games else math.inf)


def standings(records: Iterable[GameRecord]) -> list[Standing]:
    """Return the table of these games, sorted by points per game, the best player first."""
    tally = Tally()
    for record in records:
        tally.add(record)
    return tally.standings()
