"""Games that were lost otherwise than by the rules, of which a command tells beside its result."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ...lines import console, print_plain
from ...records.record import GameRecord
from ...wording import counted, plain

__all__ = ["Losses"]

_err = console(stderr=True)
_CAUSES = {"illegal": "illegal moves", "failed": "errors", "time": "running out of time"}


class Losses:
    """Counts who lost games by illegal moves, by errors and on time: such games tell little of how well they play."""

    def __init__(self) -> None:
        self._games: Counter[tuple[str, str]] = Counter()  # by their ending, and who has lost them
        self._earlier: Counter[tuple[str, str]] = Counter()  # those of them that an earlier run has played

    def add(self, record: GameRecord, earlier: bool = False) -> None:
        """Take notice of a game, however it ended, and of whether an earlier run has played it."""
        if record.ending in _CAUSES:
            self._games[record.ending, record.loser] += 1
            self._earlier[record.ending, record.loser] += earlier

    def tell(self, store: Path | None = None) -> None:
        """Say on standard error who lost how many games, a line for each player and cause.

        Args:
            store: a store that had games before: it yields them as if they were new.
        """
        for ending, cause in _CAUSES.items():
            for (how, name), count in self._games.items():
                if how == ending:
                    earlier = self._earlier[how, name]
                    before = f", {'all' if earlier == count else f'{earlier:,}'} in earlier runs" if earlier else ""
                    before = before if store is None else f", with those that were in {store} before"
                    print_plain(_err, f"{plain(name)} lost {counted(count, 'game')} by {cause}{before}")
