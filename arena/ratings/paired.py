"""The games of many players, counted by pairs: the two games of one opening, from both sides.

The two games of a pair are not independent, for an opening that suits the first player gives each side a win. So they
are counted together. A game whose counterpart is missing is counted alone.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...envs.outside.messages import shown
from ...envs.outside.spec import same_spec
from ..records.record import GameRecord

__all__ = ["Counterparts", "PairCounter", "PairedGames", "paired_games"]

Item = TypeVar("Item")

_Opening = tuple[str, str, tuple[str | None, tuple[int, ...]]]


class PairedGames(NamedTuple):
    """How often each outcome came, in each pairing of two players.

    Outcomes are those of the player who has the game's first seat: 0 for a win, 1 for a draw, 2 for a loss.
    """

    game: str
    names: list[str]
    pairings: NDArray[np.int64]  # [pairings, 2]: numbers of two players who have met, the smaller one first
    pairs: NDArray[np.float64]  # [pairings, 3, 3]: by the outcome where the one begins, and where the other begins
    singles: NDArray[np.float64]  # [pairings, 2, 3]: games without counterpart, by who begins, and the outcome
    broken_off: int = 0  # games without a result, which are not counted

    @property
    def totals(self) -> NDArray[np.float64]:
        """The number of games [pairings, 2, 3], by who begins, and the outcome."""
        return np.stack([self.pairs.sum(axis=2), self.pairs.sum(axis=1)], axis=1) + self.singles


def paired_games(records: Iterable[GameRecord]) -> PairedGames:
    """Count games by pairs. Those of a pair may stand anywhere: they have the same players, opening, and other sides.

    Raises:
        TypeError: what is given is no game.
        ValueError: there are no games that have a result, or games of several kinds, or somebody plays against himself.
    """
    counter = PairCounter()
    for record in records:
        if not isinstance(record, GameRecord):
            raise TypeError(f"expected games, as `match` returns them and `read_games` reads them, got {shown(record)}")
        counter.add(record)
    return counter.counted()


class Counterparts(Generic[Item]):
    """What is kept of games that wait for their counterparts: the same players and opening, and other sides."""

    def __init__(self) -> None:
        self._waiting: defaultdict[_Opening, deque[Item]] = defaultdict(deque)

    def take(self, record: GameRecord, item: Item) -> Item | None:
        """Return what is kept of a game's counterpart, and forget it; None if none waits: then ``item`` is kept."""
        first, second = record.players
        opening = record.beginning
        if first != second and (others := self._waiting.get((second, first, opening))):
            earlier = others.popleft()
            if not others:
                del self._waiting[second, first, opening]
            return earlier
        self._waiting[first, second, opening].append(item)
        return None

    def alone(self) -> Iterator[tuple[str, str, Item]]:
        """Yield both players, who begins first, and what is kept of each game that waits."""
        for (first, second, _), items in self._waiting.items():
            for item in items:
                yield first, second, item


class PairCounter:
    """Counts games by pairs as they come; it keeps openings whose counterpart has not come, and no games.

    Games that were broken off have no result: they are left out, and their counterparts are alone.
    """

    def __init__(self) -> None:
        self._waiting = Counterparts[int]()  # outcomes
        self._pairs: Counter[tuple[str, str, int, int]] = Counter()
        self._game: str | None = None
        self._seen: dict[str, None] = {}
        self._broken_off = 0

    def add(self, record: GameRecord) -> None:
        """Count a game.

        Raises:
            ValueError: it is another game than those before, or somebody plays against himself.
        """
        first, second = record.players
        if self._game is not None and not same_spec(record.game, self._game):
            raise ValueError(f"there are games of {self._game} and of {record.game}: rate players by the games of one")
        if first == second:
            raise ValueError(f"{first!r} plays against itself, which tells nothing of its strength: name them apart")
        self._game = record.game
        if not record.has_result:
            self._broken_off += 1
            return
        self._seen.update({first: None, second: None})
        own, other = record.outcome
        outcome = 0 if own > other else 1 if own == other else 2
        earlier = self._waiting.take(record, outcome)
        if earlier is not None:
            self._pairs[second, first, earlier, outcome] += 1

    def counted(self) -> PairedGames:
        """Return the games until now.

        Raises:
            ValueError: there are none that have a result.
        """
        if self._game is None or not self._seen:
            left = f": {self._broken_off} were broken off, without a result" if self._broken_off else ""
            raise ValueError(f"there are no games to rate anybody by{left}")
        names = list(self._seen)
        number = {name: i for i, name in enumerate(names)}
        met = {(first, second) for first, second, *_ in itertools.chain(self._pairs, self._waiting.alone())}
        pairings = sorted({(min(number[a], number[b]), max(number[a], number[b])) for a, b in met})
        place = {pairing: i for i, pairing in enumerate(pairings)}
        both, alone = np.zeros((len(pairings), 3, 3)), np.zeros((len(pairings), 2, 3))
        for (first, second, outcome, other), count in self._pairs.items():
            i, j = number[first], number[second]
            if i < j:
                both[place[i, j], outcome, other] += count
            else:
                both[place[j, i], other, outcome] += count
        for first, second, outcome in self._waiting.alone():
            i, j = number[first], number[second]
            alone[place[min(i, j), max(i, j)], int(i > j), outcome] += 1
        return PairedGames(self._game, names, np.array(pairings, np.int64), both, alone, self._broken_off)
