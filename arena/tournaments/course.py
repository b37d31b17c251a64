"""How far a tournament is: which games were played, which come next, and who plays no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...envs import Game
from ...envs.outside.spec import same_spec
from ...envs.vector.seed_sequences import seed_words, words_of
from ..records.opening import Opening
from ..records.record import GameRecord
from ..referee import Conditions
from .earlier import check_alike, differences
from .pairing import Pairing
from .schedules import Outcome, Schedule

__all__ = ["MAX_FAILURES", "Course", "Openings", "Task", "game_seeds"]

MAX_FAILURES = 3  # games


class Task(NamedTuple):
    """Games of one opening, from both sides or from one."""

    pairing: Pairing
    opening: int  # its number
    sides: tuple[int, ...]  # 0: the first of the pairing begins; 1: the other does


class Openings:
    """Openings by their numbers; those of an endless iterator are kept as they are asked for."""

    def __init__(self, openings: Iterator[Opening]) -> None:
        self._rest, self._known = openings, list[Opening]()

    def __getitem__(self, number: int) -> Opening:
        while len(self._known) <= number:
            self._known.append(next(self._rest))
        return self._known[number]


class Course:
    """The games of a tournament, in order: pairing by pairing, each opening from both sides.

    Args:
        game: what is played.
        labels: the players' names in the records.
        schedule: who plays whom.
        games: how many games a pairing has, an even number.
        openings: by number; a pairing begins with the first, and goes on where it was when it comes again. None where
            all games were played.
        seed: the tournament's seed.
        max_failures: a player that has failed in so many games is withdrawn: it plays no more.

    Attributes:
        games: how many games a pairing has.
        played: how many games were played.
        left_in_round: how many games are left of this round, if nobody else is withdrawn.
        withdrawn: who is, by number.
        is_over: whether all games were played.
        winner: by number, if the format has named one.
        byes: the points of those who sat out a round, by number, in a format that gives them some.
    """

    def __init__(
        self,
        game: Game,
        labels: Sequence[str],
        schedule: Schedule,
        games: int,
        openings: Openings | None = None,
        seed: int = 0,
        max_failures: int = MAX_FAILURES,
    ) -> None:
        self.game, self.labels, self.seed = game, list(labels), seed
        self.openings = Openings(iter(())) if openings is None else openings
        self.played, self.withdrawn, self.is_over = 0, set[int](), False
        self.winner: int | None = None
        self.byes = dict[int, float]()
        self.games = games
        self._schedule, self._max_failures = schedule, max_failures
        self._failures: Counter[int] = Counter()
        self._used: Counter[Pairing] = Counter()  # openings
        self._rounds = -1
        self._begin(next(schedule))

    def _begin(self, pairings: list[Pairing]) -> None:
        """Begin a round."""
        self._rounds += 1
        self._round, self._firsts = pairings, list[int]()
        for pairing in pairings:
            both = min(pairing), max(pairing)
            self._firsts.append(self._used[both])
            self._used[both] += self.games // 2
        self._points = [(0.0, 0.0)] * len(pairings)
        self._place, self._done = 0, 0  # the pairing, and its games that were played
        self._count_left()
        self._settle()

    def _count_left(self) -> None:
        """Count the games that are left of this round."""
        left = [pairing for pairing in self._round[self._place :] if self.accepts(pairing)]
        is_open = left[:1] == self._round[self._place : self._place + 1]
        self.left_in_round = len(left) * self.games - (self._done if is_open else 0)

    def _settle(self) -> None:
        """Go on to the next pairing that has games to play, in a round that has one."""
        while not self.is_over:
            while self._place < len(self._round):
                if self._done < self.games and self.accepts(self._round[self._place]):
                    return
                self._place, self._done = self._place + 1, 0
            try:
                upcoming = self._schedule.send(Outcome(self._points, set(self.withdrawn), self.byes))
            except StopIteration as end:
                self.is_over, self.winner = True, end.value
            else:
                self._begin(upcoming)

    def accepts(self, pairing: Pairing) -> bool:
        """Return whether games of these two count: none of them is withdrawn."""
        return self.withdrawn.isdisjoint(pairing)

    @property
    def place(self) -> tuple[int, int, int]:
        """Where the next game stands: the round, its pairing, and the number of the game in that, each from 0."""
        return self._rounds, self._place, self._done

    def tasks(self) -> Iterator[Task]:
        """Yield what is left of this round, but for games of those who are withdrawn by then."""
        done = self._done
        for pairing, first in list(zip(self._round, self._firsts, strict=True))[self._place :]:
            for number in range(done // 2, self.games // 2):
                if not self.accepts(pairing):
                    break
                yield Task(pairing, first + number, (1,) if done % 2 and number == done // 2 else (0, 1))
            done = 0

    def seeds_of(self, games: Sequence[tuple[int, int]]) -> list[int]:
        """Return the seed of each game, by the number of its opening and who begins: 0, or 1 for the other side."""
        return game_seeds(self.seed, games)

    def check(self, record: GameRecord, conditions: Conditions) -> None:
        """Raise `ValueError` if a record is not that of the next game; the message says what it is of.

        That it was played under these conditions is checked as far as `differences` says.
        """
        side = self._done % 2
        opening = self._firsts[self._place] + self._done // 2
        spec = self.game.source if same_spec(record.game, self.game.source) else record.game
        check_alike(
            f"game {self.played + 1} is of another match",
            (
                ("game is", spec, self.game.source),
                ("players are", " v ".join(record.players), " v ".join(self.labels[seat] for seat in self._seats())),
                ("seed is", record.seed, self.seeds_of([(opening, side)])[0]),
                ("start is", record.start, self.openings[opening].start),
                ("opening is", record.moves[: record.opening], self.openings[opening].moves),
                *differences(record, conditions, self.game),
            ),
            "; go on with the arguments of that one, or begin anew",
        )

    def add(self, record: GameRecord) -> int | None:
        """Count the next game, and return who failed in it, if somebody did."""
        seats = self._seats()
        own, other = record.points if seats == self._round[self._place] else record.points[::-1]
        points, opposite = self._points[self._place]
        self._points[self._place] = points + own, opposite + other
        failed = None
        if record.ending == "failed":
            failed = seats[record.outcome.index(min(record.outcome))]
            self._failures[failed] += 1
        self.played += 1
        self._done += 1
        self.left_in_round -= 1
        if failed is not None and self._failures[failed] >= self._max_failures:
            self.withdrawn.add(failed)
            self._count_left()
        self._settle()
        return failed

    def _seats(self) -> Pairing:
        """Return the players of the next game, the first to move first."""
        pairing = self._round[self._place]
        return (pairing[1], pairing[0]) if self._done % 2 else pairing


def game_seeds(seed: int, games: Sequence[tuple[int, int]]) -> list[int]:
    """Return the seeds of games of a tournament with this seed, as `Course.seeds_of` does."""
    words = words_of(seed)
    return seed_words([(*words, opening, side) for opening, side in games], 1)[:, 0].tolist()
