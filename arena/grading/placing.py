"""A player's place on a game's ladder, found in few games: it plays where the next pair of games tells the most."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...agents import Agent, make
from ...envs import Game, as_game
from ...envs.outside.spec import same_spec
from ...envs.players import PlayerLike, player_name
from ..matches import checked_games, iter_match
from ..openings import default_opening_plies, random_openings
from ..ratings import Difference, pair_scores, rate_against
from ..ratings.difference import ELO_PER_LOGIT, check_confidence
from ..records.opening import Opening
from ..records.record import GameRecord
from ..seating import seated
from ..tournaments.course import MAX_FAILURES, Openings, game_seeds
from ..tournaments.earlier import check_alike
from .failing import NO_RUNG, LadderError, broken_rungs, has_failed, telling_games

__all__ = ["Placing", "iter_place", "most_telling", "placing_of", "rungs_at_hand"]

_LOG = logging.getLogger("plyground")
_BEYOND = 400.0  # Elo above and below the ladder, how far a player is looked for
_POINTS = 41  # ratings over which the next pair's worth is averaged
_LEAST = 10  # pairs before which no interval is narrow enough: fewer say too little of how pairs scatter


class Placing(NamedTuple):
    """Where a player stands by the games until now."""

    rating: Difference | None  # None before the first pair of games
    against: Mapping[str, int]  # games against each rung that was met, in the order of the ladder

    @property
    def width(self) -> float:
        """Half of the interval, in Elo."""
        return math.inf if self.rating is None else (self.rating.high - self.rating.low) / 2

    def is_sure(self, width: float) -> bool:
        """Return whether it reaches no farther than ``width`` to either side, after games enough to know that."""
        return self.width <= width and sum(self.against.values()) >= 2 * _LEAST


def most_telling(ladder: Mapping[str, float], rating: Difference | None) -> str:
    """Return the rung against which one more pair of games is expected to narrow the rating the most.

    A game tells as much as its score varies, p (1 - p), by which the variance of the estimate falls. It is averaged
    over where the player may be: the interval of its rating, or at first the whole ladder.

    Args:
        ladder: the ratings of the rungs.
        rating: the player's rating until now.
    """
    lowest, highest = min(ladder.values()) - _BEYOND, max(ladder.values()) + _BEYOND
    low, high = (-math.inf, math.inf) if rating is None else (rating.low, rating.high)
    grid = np.linspace(np.clip(low, lowest, highest), np.clip(high, lowest, highest), _POINTS)
    names, elo = list(ladder), np.array(list(ladder.values()))
    # p (1 - p) is 1 / (2 + 2 cosh(lead)), which overflows nowhere on a ladder.
    worth = (1 / (2 + 2 * np.cosh((grid[None, :] - elo[:, None]) / ELO_PER_LOGIT))).mean(axis=1)
    return names[int(worth.argmax())]


def placing_of(ladder: Mapping[str, float], records: Sequence[GameRecord], confidence: float = 0.95) -> Placing:
    """Return where the player stands who has played these games: the one that is no rung, in every second game first.

    The ratings of the rungs are taken as exact. A last game without its counterpart is left out, and so are pairs of
    games in which the rung failed.
    """
    whole = telling_games(records)
    pairs: defaultdict[str, list[float]] = defaultdict(list)
    for place in range(0, len(whole), 2):
        pairs[whole[place].players[1]] += pair_scores(whole[place : place + 2])
    against = {rung: 2 * len(pairs[rung]) for rung in ladder if rung in pairs}
    return Placing(rate_against(ladder, pairs, confidence) if pairs else None, against)


def rungs_at_hand(ladder: Mapping[str, float], game: Game) -> tuple[dict[str, float], dict[str, str]]:
    """Return the rungs of a ladder that can play here, and of the others, what they lack: a program."""
    here, lacking = dict(ladder), dict[str, str]()
    for rung in ladder:
        try:
            make(rung, game)
        except FileNotFoundError as error:
            del here[rung]
            lacking[rung] = str(error)
    return here, lacking


def iter_place(
    player: PlayerLike,
    game: Game | str,
    ladder: Mapping[str, float],
    games: int = 400,
    width: float = 30.0,
    seed: int = 0,
    *,
    confidence: float = 0.95,
    opening_plies: int | None = None,
    name: str | None = None,
    after: Sequence[GameRecord] = (),
) -> Iterator[tuple[GameRecord, Placing]]:
    """Play a player against the rungs of a ladder, and yield each game with where the player stands after it.

    Each pair of games has an opening of its own, which both play from both sides. It ends when the interval reaches no
    farther than ``width`` to either side on average, or after so many games; or when the player has failed in three,
    for which a match withdraws it too. A rung that has failed in three games is met no more, and the pairs in which it
    failed count for nothing. It ends, too, when no rung is left.

    Args:
        player: an agent, a function or a spec string.
        game: the game.
        ladder: the ratings of the rungs, by their specs.
        games: the number of games, at most; even.
        width: half of the interval that is narrow enough, in Elo.
        seed: the seed of openings and games.
        confidence: the probability that the interval is to have.
        opening_plies: random plies that open a game. Default: see `plyground.arena.iter_match`.
        name: the player's name in the records. Default: its spec or class.
        after: the first games of this very placing, which were played before. It goes on after them. Their rungs may be
            others of the ladder than would be met now.

    Raises:
        ValueError: a player or the game cannot be made, a number is out of range, or ``after`` holds other games: of
            another game, player, rung, seed or opening. Nothing is played then.
        LadderError: a `ValueError` in the midst of the games: each pair had a rung that failed, so that there is no
            rating when no rung is left, or after so many games.
    """
    game = as_game(game)
    label = name or player_name(player)
    if not ladder:
        raise ValueError(f"the ladder of {game.spec} has no rungs")
    if label in ladder:
        label += " (placed)"
    games = checked_games(games)
    if not width > 0:
        raise ValueError(f"width must be above 0 Elo, got {width!r}")
    check_confidence(confidence)
    agent = seated(player, game)  # an error of it is told before the openings compile anything
    plies = default_opening_plies(game) if opening_plies is None else opening_plies
    openings = Openings(map(Opening, random_openings(game, plies, seed)))
    done = list(after)
    seed_of = _seeds(done, seed)
    _check(done, game, label, ladder, seed_of, openings)
    placing = placing_of(ladder, done, confidence)
    rungs: dict[str, Agent] = {rung: make(rung, game) for rung in ladder}
    return _played(agent, game, ladder, games, width, seed_of, confidence, label, done, openings, placing, rungs)


def _played(
    agent: Agent,
    game: Game,
    ladder: Mapping[str, float],
    games: int,
    width: float,
    seed_of: Callable[[int], int],
    confidence: float,
    label: str,
    done: list[GameRecord],
    openings: Openings,
    placing: Placing,
    rungs: Mapping[str, Agent],
) -> Iterator[tuple[GameRecord, Placing]]:
    failures = sum(has_failed(record, label) for record in done)
    left = dict(ladder)
    while len(done) < games and not placing.is_sure(width):
        if len(done) % 2 == 0:
            if failures >= MAX_FAILURES:
                _LOG.warning("%s has failed too often: it is withdrawn, and plays no more", label)
                return
            for rung in broken_rungs(done, label):
                if left.pop(rung, None) is not None:
                    _LOG.warning("%s has failed in %s games: this rung is withdrawn", rung, MAX_FAILURES)
            if not left:
                if placing.rating is not None:
                    failed = ", ".join(ladder)
                    _LOG.warning("no rung is left, after failures of %s: the rating is by the games before", failed)
                break
        number, half = len(done) // 2, done[len(done) // 2 * 2 :]
        rung = half[0].players[1] if half else most_telling(left, placing.rating)
        two = [agent, rungs[rung]]
        opening, names = [openings[number]], [label, rung]
        for record in iter_match(game, two, 2, seed_of(number), openings=opening, names=names, after=half):
            done.append(record)
            failures += has_failed(record, label)
            if len(done) % 2 == 0:
                placing = placing_of(ladder, done, confidence)
            yield record, placing
    if placing.rating is None:  # games that are kept go on without the rungs that failed
        raise LadderError(NO_RUNG, done, label, ", and begin a new file")


def _seeds(done: Sequence[GameRecord], seed: int) -> Callable[[int], int]:
    """Return what tells the seed of the match that is a pair of games of a placing, by the number of the pair.

    Placings were once played with ``seed + number``, by which those of neighbouring seeds share most of their games.
    One that was begun so goes on so.
    """

    def derived(number: int) -> int:
        return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])

    def summed(number: int) -> int:
        return seed + number

    return summed if done and done[0].seed == _game_seed(summed(0), 0) else derived


def _game_seed(seed: int, side: int) -> int:
    """Return the seed of a game of such a match."""
    return game_seeds(seed, [(0, side)])[0]


def _check(
    done: Sequence[GameRecord],
    game: Game,
    label: str,
    ladder: Mapping[str, float],
    seed_of: Callable[[int], int],
    openings: Openings,
) -> None:
    """Raise `ValueError` if these are not the first games of this very placing, whichever of the rungs they met."""
    for place, record in enumerate(done):
        number, side = divmod(place, 2)
        own, rung = record.players if side == 0 else record.players[::-1]
        if not same_spec(record.game, game.source) or own != label or rung not in ladder:
            raise ValueError(
                f"game {place + 1} is {record.game}, {' v '.join(record.players)}: expected {game.source}, {label} "
                "against a rung of the ladder, each opening from both sides"
            )
        check_alike(
            f"game {place + 1} is of another placing",
            (
                ("seed is", record.seed, _game_seed(seed_of(number), side)),
                ("start is", record.start, openings[number].start),
                ("opening is", record.moves[: record.opening], openings[number].moves),
            ),
            "; go on with the seed and the opening plies that these games were begun with",
        )
