"""Ratings over time: the strength of players who change, such as a network in training, by whole-history rating.

R. Coulom, "Whole-History Rating: A Bayesian rating system for players of time-varying strength", Computers and Games
(2008): a player's rating is a random walk in time, and all of its games, earlier and later ones, tell of each point of
it. So a checkpoint that has played little is rated by its neighbours too, and a curve of checkpoints is smooth where
their games allow it. The work is done by the library ``whole-history-rating``, in the extra ``ratings``.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from ...envs.outside.extras import how_to_install
from ..records.record import GameRecord
from .difference import ELO_PER_LOGIT
from .lists import check_met
from .model import Model
from .paired import paired_games

__all__ = ["TimedRating", "check_library", "games_by_step", "ratings_over_time"]

_DRIFT = 300.0  # Elo² from one time to the next
_SECONDS = 60  # after which the fit gives up
_STEP = re.compile(r"(.*(?<![A-Za-z])step_)(\d+)", re.DOTALL)  # the last one in a name


class TimedRating(NamedTuple):
    """A player's strength at one time."""

    time: float
    elo: float
    error: float  # standard error of `elo`, as if games were independent


def check_library() -> None:
    """Raise `ImportError` if ratings over time lack their library."""
    if find_spec("whr") is None:
        raise ImportError(f"ratings over time need whole-history-rating: {how_to_install('ratings')}")


def ratings_over_time(
    records: Mapping[int, Iterable[GameRecord]] | Mapping[float, Iterable[GameRecord]],
    drift: float | None = None,
    first_move: bool = True,
) -> dict[str, list[TimedRating]]:
    """Return each player's ratings at the times at which it played, by all games of all times.

    All players may change, those who do not as well; an average player's first rating is near 0. Only differences tell
    anything. Elo have the unit of `plyground.arena.rating_list`.

    Args:
        records: the games of each time, such as the number of steps that a network had been trained for.
        drift: by how much strength changes: the variance, in Elo², that a unit of time adds. Default: 300 from one time
            to the next, in the median.
        first_move: whether the first move may be worth something.

    Raises:
        ImportError: the library is not installed.
        ValueError: there are no games, or of more than one game; players have never met the others, not even over some
            others; a number is out of range; or the fit does not end.
    """
    check_library()
    from whr import WHR, HandicapBaselineWarning, UnstableRatingException

    if drift is not None and not (0 < drift < math.inf):
        raise ValueError(f"drift must be a number above 0, in Elo² for a unit of time, got {drift!r}")
    games = {float(time): list(played) for time, played in records.items()}
    if wrong := [time for time in games if not math.isfinite(time)]:
        raise ValueError(f"times must be finite numbers, got {wrong[0]!r}")
    if drift is None:
        drift = _DRIFT / median([after - before for before, after in pairwise(sorted(games))] or [1.0])
    counted = paired_games(record for played in games.values() for record in played)
    check_met(counted, None)
    model = Model(counted, {}, first_move)
    draw = math.exp(model.most_likely().values[-1])  # Davidson's ν, which the library wants to be told
    unit = (2 + draw) / 2  # the library's ratings are of the unit that leaves out how many games are drawn
    whole = WHR(
        {
            "w2": drift * unit**2,
            "pinned_draw": draw,
            "estimate_handicap_zero": first_move,
            "display_uncertainty": "variance",
        }
    )
    for time, played in sorted(games.items()):
        for record in (one for one in played if one.has_result):
            own, other = record.outcome
            winner = "B" if own > other else "D" if own == other else "W"
            whole.create_game(record.players[0], record.players[1], winner, time, 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", HandicapBaselineWarning)
            _, is_done = whole.auto_iterate(time_limit=_SECONDS)
    except HandicapBaselineWarning:
        raise ValueError(
            "most games are of players who nearly always move first, or second: what the first move is worth cannot be "
            "told from their strength; take it for nothing, with first_move=False (--no-first-move)"
        ) from None
    except UnstableRatingException as error:
        raise ValueError(f"the ratings did not settle with the drift {drift:g}: give a larger one ({error})") from None
    if not is_done:
        raise ValueError(f"the ratings did not settle within {_SECONDS} s: give fewer games, or another drift")
    return {
        name: [
            TimedRating(day.day, day.elo / unit, ELO_PER_LOGIT * math.sqrt(day.uncertainty) / unit)
            for day in player.days
        ]
        for name, player in whole.players.items()
    }


def games_by_step(records: Iterable[GameRecord]) -> tuple[dict[int, list[GameRecord]], int]:
    """Return the games of checkpoints by the step of each, and the number of games that have none.

    A checkpoint has its step in its name, as in ``network('az/checkpoints/step_000100000.safetensors')``. Checkpoints
    that differ in that number alone become one player, whose name has a star in its place. A game is of the step of its
    checkpoint. Games without a checkpoint, and those of two of different steps, are of no one time, and are left out.
    """
    games: dict[int, list[GameRecord]] = {}
    left = 0
    for record in records:
        found = [_STEP.match(name) for name in record.players]
        steps = {int(one[2]) for one in found if one is not None}
        if len(steps) != 1:
            left += 1
            continue
        names = [
            name if one is None else f"{one[1]}*{name[one.end() :]}"
            for name, one in zip(record.players, found, strict=True)
        ]
        games.setdefault(steps.pop(), []).append(replace(record, players=names))
    return games, left
