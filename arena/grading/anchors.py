"""Ratings of the rungs of a ladder, against which a player is rated.

Ratings of ladders for most games come with the package: they were measured once, by ``python -m
benchmarks.strength.ladder``, in more games than anybody would wait for, so that ratings of different days can be
compared. Ratings of other rungs, and of variants, are measured when they are needed: each rung plays the next two.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ...envs import Game, make_game
from ...envs.outside.arguments import is_between
from ...envs.outside.messages import shown
from ...envs.outside.spec import same_spec
from ...envs.outside.whole_files import write_whole
from ...envs.players import player_name
from ..matches import iter_match
from ..openings import default_opening_plies
from ..ratings import Ratings, fit_ratings, game_results
from ..records.record import GameRecord
from ..tournaments.course import MAX_FAILURES
from .failing import LadderError, telling_games

__all__ = [
    "Watch",
    "anchors_of",
    "committed_anchors",
    "is_played_out",
    "ladder_of",
    "measure_anchors",
    "pairings_of",
    "ratings_of",
    "save_anchors",
]

# Plays the games of an iterator, which are so many in all, and returns them. Returns fewer if it is stopped.
Watch = Callable[[Iterator[GameRecord], int], list[GameRecord]]

_FOLDER = Path(__file__).parent / "data"
_PRIOR = 1.0  # drawn games that are added between any two that have met, so that who lost all games has a rating


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON, in which a name may stand twice."""


def anchors_of(
    game: Game, rungs: Sequence[str], games: int, seed: int, opening_plies: int | None, jobs: int, watch: Watch
) -> tuple[dict[str, float] | None, bool]:
    """Return the ratings of these rungs, or None if measuring them was stopped; and whether they were measured now.

    Args:
        game: the game.
        rungs: specs without blanks, weakest first.
        games: games of each pairing, if ratings must be measured.
        seed: the seed of a measurement.
        opening_plies: random plies that open a game. Default: as when the committed ratings were measured.
        jobs: processes; -1 for one on each core.
        watch: plays the games of a measurement.

    Raises:
        LadderError: as `measure_anchors`.
    """
    is_committed = opening_plies in (None, default_opening_plies(game))
    known = {player_name(rung): elo for rung, elo in committed_anchors(game).items()} if is_committed else {}
    if set(rungs) <= set(known):
        return {rung: known[rung] for rung in rungs}, False
    if len(rungs) == 1:
        return {rungs[0]: 0.0}, True
    found = measure_anchors(game, rungs, games, seed, opening_plies=opening_plies, jobs=jobs, watch=watch)
    return (None if found is None else dict(found.elo)), True


def committed_anchors(game: Game) -> dict[str, float]:
    """Return the ratings that come with the package; empty for most games, and for others that go by their names."""
    known = _read(_FOLDER / f"ladder_{game.spec}.json")
    return known if known and make_game(game.spec) == game else {}


def ladder_of(game: Game, path: Path | None = None) -> dict[str, float]:
    """Return the ratings of a game's ladder, by the specs of its rungs.

    Args:
        game: the game.
        path: a file that `save_anchors` wrote. Default: that of the package.

    Raises:
        ValueError: no ladder of this game comes with the package, or the file is that of another game, or none at all,
            or a rung in it has two ratings, or one that is no finite number.
    """
    if path is None:
        if known := committed_anchors(game):
            return known
        games = ", ".join(sorted(one.stem.removeprefix("ladder_") for one in _FOLDER.glob("ladder_*.json")))
        raise ValueError(
            f"no ladder of {game.spec} comes with the package: those of {games} do, with their own rules "
            f"and weights; `plyground evaluate PLAYER --game '{game.source}' --ladder random --ladder "
            "'mcts(simulations=100)'` rates a player by others that you choose"
        )
    try:
        about: dict[str, Any] = dict(json.loads(path.read_text(), object_pairs_hook=_Pairs))
        found, rungs = str(about["game"]), about["elo"]
        if not isinstance(rungs, _Pairs):
            raise TypeError("expected an object")
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path} is no ladder: expected JSON, as in "
            f'{{"game": "{game.spec}", "elo": {{"random": 0, "mcts(simulations=100)": 900}}}}'
        ) from None
    if not same_spec(found, game.spec):
        raise ValueError(f"{path} is the ladder of {found}, not of {game.spec}")
    names = Counter(player_name(rung) for rung, _ in rungs)
    for rung, elo in rungs:
        if names[player_name(rung)] > 1:
            raise ValueError(f"{path}: the rung {shown(player_name(rung))} stands there twice: give it one rating")
        if isinstance(elo, bool) or not is_between(elo, -sys.float_info.max):
            raise ValueError(f"{path}: the rung {shown(rung)} has the rating {shown(elo)}, expected a finite number")
    return {rung: float(elo) for rung, elo in rungs}


def measure_anchors(
    game: Game,
    rungs: Sequence[str],
    games: int,
    seed: int = 0,
    *,
    opening_plies: int | None = None,
    jobs: int = 1,
    watch: Watch,
) -> Ratings | None:
    """Play each rung against the next two, and return the most likely ratings; None if it was stopped.

    A drawn game is added between any two that have met. The rung ``random`` is rated 0, or the first rung if ``random``
    is none.

    Raises:
        LadderError: as `ratings_of`.
    """
    pairings = pairings_of(rungs)
    matches = [
        iter_match(game, pairing, games, seed, opening_plies=opening_plies, jobs=jobs, names=pairing)
        for pairing in pairings
    ]
    records = watch((record for one in matches for record in one), games * len(pairings))
    if not all(is_played_out([one for one in records if set(one.players) == set(both)], games) for both in pairings):
        return None
    return ratings_of(rungs, records)


def is_played_out(records: Sequence[GameRecord], games: int) -> bool:
    """Return whether a match of so many games is over: all were played, or a player failed so often that it left."""
    failed = Counter(one.loser for one in records if one.ending == "failed")
    return len(records) >= games or max(failed.values(), default=0) >= MAX_FAILURES


def pairings_of(rungs: Sequence[str]) -> list[tuple[str, str]]:
    """Return who plays whom: each rung plays the next two."""
    return [(rungs[i], rungs[j]) for i in range(len(rungs)) for j in (i + 1, i + 2) if j < len(rungs)]


def ratings_of(rungs: Sequence[str], records: Sequence[GameRecord]) -> Ratings:
    """Return the most likely ratings of rungs by their games.

    A drawn game is added between any two that have met. The rung ``random`` is rated 0, or the first rung if ``random``
    is none. Pairs of games in which a rung failed count for nothing.

    Raises:
        LadderError: a `ValueError`: a rung has no other pairs, or none connect it with all the others.
    """
    telling = telling_games(records, both=True)
    missing = set(rungs).difference(*(one.players for one in telling))
    if missing:
        unknown = ", ".join(rung for rung in rungs if rung in missing)
        raise LadderError(f"cannot measure {unknown}: a rung failed in each pair of games", records)
    try:
        found = fit_ratings(game_results(telling), prior=_PRIOR)
    except ValueError as error:  # no games connect some of the rungs with the others
        raise LadderError("cannot measure the ladder: too many pairs of games had a failure", records) from error
    zero = found.elo["random" if "random" in rungs else rungs[0]]
    return Ratings({rung: found.elo[rung] - zero for rung in rungs}, {rung: found.errors[rung] for rung in rungs})


def save_anchors(path: Path, game: Game, found: Ratings, games: int, seed: int, commit: str = "") -> None:
    """Write ratings to a file of JSON, with the games of each pairing, and the commit of the players if it is given."""
    rounded = [{rung: round(value, 1) for rung, value in part.items()} for part in (found.elo, found.errors)]
    about: dict[str, Any] = {"game": game.spec, "games": games, "seed": seed}
    if commit:
        about["commit"] = commit
    about |= {"elo": rounded[0], "standard errors": rounded[1]}
    write_whole(path, (json.dumps(about, indent=2) + "\n").encode())


@cache
def _read(path: Path) -> dict[str, float]:
    if not path.is_file():
        return {}
    about: Any = json.loads(path.read_text())
    return {str(rung): float(value) for rung, value in about["elo"].items()}
