"""A ladder of players of rising strength, a player's score against each, and one rating from all of it.

Ratings are on Elo's scale. The rung ``random`` has 0, or the first rung if ``random`` is none. Where the ratings of the
rungs come from is said in `plyground.arena.grading.anchors`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...agents import make
from ...envs import Game, as_game
from ...envs.players import PlayerLike, player_name
from ..matches import iter_match
from ..ratings import Difference, elo_difference, pair_scores, rate_against
from ..records.record import GameRecord
from ..tournaments import Score
from .anchors import Watch, anchors_of, is_played_out
from .failing import NO_RUNG, LadderError, telling_games

__all__ = ["LADDERS", "Ladder", "Rung", "climb", "ladder_rungs"]

LADDERS: dict[str, tuple[str, ...]] = {  # weakest first, in Connect Four
    "full": (
        "random",
        "mcts(simulations=100)",
        "alphabeta(depth=1)",
        "mcts(simulations=1000)",
        *(f"alphabeta(depth={depth})" for depth in range(2, 6)),
        "mcts(simulations=10000)",
        *(f"alphabeta(depth={depth})" for depth in range(6, 9)),
        "mcts(simulations=100000)",
    ),
    "quick": (
        "random",
        "mcts(simulations=100)",
        "alphabeta(depth=1)",
        "mcts(simulations=1000)",
        "alphabeta(depth=2)",
        "alphabeta(depth=4)",
    ),
    "none": (),
}


@dataclass(frozen=True)
class Rung:
    """A player's games against one rung.

    Attributes:
        player: the spec of the rung.
        elo: the rating of the rung.
        result: the player's score and Elo difference, with the interval of 95 %.
        wins: games that the player won.
        draws: games that were drawn.
        losses: games that the player lost.
    """

    player: str
    elo: float
    result: Difference
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class Ladder:
    """A player's games against all rungs.

    Attributes:
        rungs: the rungs that were played, in order.
        rating: the player's rating by all games, with its interval of 95 %, and the score over all of them.
        measured_now: whether the ratings of the rungs were measured for this ladder, or for an earlier one of the same
            learning curve, in as many games of each pairing; else they are those that come with the package.
        complete: whether all games were played; those of a rung are fewer, where one of the two failed so often that it
            was withdrawn from that match.
        records: the games. Pairs in which the rung failed are among them, and count for nothing.
    """

    rungs: tuple[Rung, ...]
    rating: Difference
    measured_now: bool
    complete: bool
    records: tuple[GameRecord, ...] = field(repr=False)


def ladder_rungs(ladder: str | Sequence[str]) -> tuple[str, ...]:
    """Return the specs of a ladder: ``"quick"``, ``"full"``, ``"none"``, or the specs themselves, weakest first.

    Raises:
        ValueError: a spec comes twice.
    """
    if isinstance(ladder, str):
        rungs = LADDERS.get(ladder, (ladder,))
    else:
        rungs = LADDERS[ladder[0]] if len(ladder) == 1 and ladder[0] in LADDERS else tuple(ladder)
    rungs = tuple(map(player_name, rungs))
    if len(set(rungs)) < len(rungs):
        raise ValueError(f"the rungs of a ladder must be different, got {', '.join(rungs)}")
    return rungs


def climb(
    player: PlayerLike,
    game: Game | str,
    ladder: str | Sequence[str] = "quick",
    games: int = 40,
    seed: int = 0,
    *,
    opening_plies: int | None = None,
    jobs: int = 1,
    name: str | None = None,
    watch: Watch | None = None,
    anchors: dict[str, float] | None = None,
) -> Ladder | None:
    """Play a player against all rungs of a ladder, in paired openings, and rate it. The openings are always the same.

    Args:
        player: an agent or a spec string.
        game: the game.
        ladder: the rungs, as `ladder_rungs` takes them.
        games: games against each rung; even.
        seed: the seed of openings and games.
        opening_plies: random plies that open a game. Default: see `plyground.arena.iter_match`; with any other number
            the ratings of the rungs are measured anew.
        jobs: processes; -1 for one on each core.
        name: the player's name in the records. Default: its spec or class.
        watch: plays the games of an iterator, as `plyground.arena.play_with_progress` does; it may return fewer than
            all, to stop the climb. Default: play all.
        anchors: keeps the ratings of the rungs, if they are measured, for more climbs with the same games, ladder, seed
            and openings, which are given it too. Default: each measures them.

    Returns:
        The results; None if there are no rungs, or the climb was stopped before an opening was played from both sides.

    Raises:
        ValueError: as `ladder_rungs` and `iter_match`; nothing is played then.
        LadderError: a `ValueError` after the games: each pair had a rung that failed, or the ratings of the rungs were
            measured anew, and each pair of one had a failure.
    """
    game = as_game(game)
    watch = watch or (lambda played, total: list(played))
    rungs = ladder_rungs(ladder)
    for rung in rungs:
        make(rung, game)
    label = name or player_name(player)
    matches = [
        iter_match(game, (player, rung), games, seed, opening_plies=opening_plies, jobs=jobs, names=(label, rung))
        for rung in rungs
    ]
    if not rungs:
        return None
    if anchors:
        ratings, measured_now = anchors, True
    else:
        ratings, measured_now = anchors_of(game, rungs, games, seed, opening_plies, jobs, watch)
    if ratings is None:
        return None
    if anchors is not None and measured_now:
        anchors.update(ratings)
    met: list[str] = []  # the rung of each game: a match has fewer, if somebody fails too often and is withdrawn

    def played() -> Iterator[GameRecord]:
        for rung, one in zip(rungs, matches, strict=True):
            for record in one:
                met.append(rung)
                yield record

    records = watch(played(), games * len(rungs))
    parts: dict[str, list[GameRecord]] = {rung: [] for rung in rungs}
    for record, rung in zip(records, met, strict=False):  # the last game may have come too late
        parts[rung].append(record)
    is_complete = all(is_played_out(part, games) for part in parts.values())
    whole = sum(len(part) // 2 for part in parts.values())
    parts = {rung: telling_games(part) for rung, part in parts.items()}
    pairs = {rung: pair_scores(part) for rung, part in parts.items() if part}
    if not pairs and whole:
        raise LadderError(NO_RUNG, records, label)
    if not pairs:
        return None
    return Ladder(
        rungs=tuple(_rung(rung, ratings[rung], scores, parts[rung]) for rung, scores in pairs.items()),
        rating=rate_against(ratings, pairs),
        measured_now=measured_now,
        complete=is_complete,
        records=tuple(records),
    )


def _rung(rung: str, elo: float, pairs: Sequence[float], records: Sequence[GameRecord]) -> Rung:
    score = Score()
    for i, record in enumerate(records):
        own, other = record.outcome if i % 2 == 0 else record.outcome[::-1]
        score.add(own, other)
    return Rung(rung, elo, elo_difference(pairs), score.wins, score.draws, score.losses)
