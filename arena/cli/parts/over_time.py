"""What ``plyground ratings --over-time`` does: which games are of which time, and what is told of the ratings then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import NormalDist
from typing import Any

from ....envs.outside.messages import cut
from ....envs.outside.spec import nearest
from ...ratings.difference import check_confidence
from ...ratings.history import check_library, games_by_step, ratings_over_time
from ...records.names import is_store, split_name
from ...records.record import GameRecord
from ...store import tournaments_in
from ...wording import counted, plain
from .each_once import each_once

__all__ = ["TIMES", "history_notes", "history_of"]

TIMES = {"tournaments": "tournament", "steps": "steps of training"}  # what times are, and what their axis is called
_TITLE = 100  # signs
_CHECKPOINT = "network('az/checkpoints/step_000100000.safetensors')"


def history_of(
    files: Sequence[Path],
    times: str,
    confidence: float,
    first_move: bool,
    drift: float | None,
    again: Counter[str] | None = None,
) -> dict[str, Any]:
    """Return each player's ratings by time, as ``--json`` prints them: who is best in the end comes first.

    Args:
        files: files of games. Of a store, all tournaments count, or the one that is named.
        times: ``"tournaments"``: the first, the second and so on, in the order of the files and that within a store;
            ``"steps"``: the steps of training in the names of checkpoints.
        confidence: the probability that each interval is to have, if games were independent.
        first_move: whether the first move may be worth something.
        drift: Elo² that a unit of time adds, see `ratings_over_time`.
        again: gets how many games of each file are left out, as `each_once` says.

    Raises:
        ImportError: the library is not installed.
        ValueError: there is no such kind of time, or fewer than two times; or as `ratings_over_time` says.
    """
    if times not in TIMES:
        raise ValueError(f"unknown times {times!r}: {nearest(times, TIMES)}")
    check_confidence(confidence)
    check_library()  # before the games are read
    titles: dict[int, str] = {}
    left = broken_off = 0
    if times == "steps":
        games, left = games_by_step(chain.from_iterable(games for _, games in _tournaments(files, again)))
    else:
        found = dict(enumerate(_tournaments(files, again), start=1))
        games = {number: played for number, (_, played) in found.items()}
        titles = {number: title for number, (title, _) in found.items()}
    at_first = len(games)
    for at, played in list(games.items()):
        games[at] = [record for record in played if record.has_result]
        broken_off += len(played) - len(games[at])
        if not games[at]:
            del games[at]
    _check_several(games, titles, times, at_first)
    reach = NormalDist().inv_cdf((1 + confidence) / 2)
    players = [
        {
            "name": name,
            "ratings": [
                {"time": int(at), "elo": elo, "low": elo - reach * error, "high": elo + reach * error}
                for at, elo, error in days
            ],
        }
        for name, days in ratings_over_time(games, drift, first_move).items()
    ]
    return {
        "game": next(record.game for record in chain.from_iterable(games.values())),
        "over": times,
        "confidence": confidence,
        "times": [
            {"time": at, "games": len(played)} | ({"title": titles[at]} if titles else {})
            for at, played in sorted(games.items())
        ],
        "left_out": left,
        "broken_off": broken_off,
        "players": sorted(players, key=lambda one: -one["ratings"][-1]["elo"]),
    }


def _tournaments(files: Sequence[Path], again: Counter[str] | None) -> Iterator[tuple[str, list[GameRecord]]]:
    """Yield the title of each tournament, and its games, see `each_once`; not of one that has none."""
    parts: list[tuple[str, str | Path]] = []
    for file in files:
        place, _ = split_name(file)
        if is_store(place):
            known = tournaments_in(file)
            parts += [
                (cut(f"{place.name}#{one.number}: {one.title}", _TITLE), f"{place}#{one.number}") for one in known
            ]
        else:
            parts.append((file.name, file))
    for (title, _), games in zip(parts, each_once((name for _, name in parts), again), strict=True):
        if played := list(games):
            yield title, played


def _check_several(games: dict[int, list[GameRecord]], titles: dict[int, str], times: str, at_first: int) -> None:
    """Raise `ValueError` if there is one time only, or none, that has a game with a result, of so many at first."""
    if len(games) > 1:
        return
    others = "; the others have no game with a result" if games else "; no game has a result"
    others = others if len(games) < at_first else ""
    if times == "tournaments":
        found = "none" if not games else f"one: {titles[next(iter(games))]}"
        raise ValueError(
            f"ratings over time take two tournaments or more, got {found}{others}; give more files, or a store of "
            "several"
        )
    found = "none" if not games else f"those of step {next(iter(games))} alone"
    raise ValueError(
        f"ratings over time take checkpoints of two steps or more, got {found}{others}; a checkpoint has its step in "
        f"its name, as in {_CHECKPOINT}"
    )


def history_notes(found: dict[str, Any]) -> str:
    """Return what the table does not say of itself."""
    lines = [
        f"Elo by whole-history rating, with half of an interval of {100 * found['confidence']:.4g} % as if games were "
        "independent.",
        "Only differences tell anything.",
    ]
    lines += [
        f"{one['time']}: {plain(one['title'])}, {counted(one['games'], 'game')}"
        for one in found["times"]
        if "title" in one
    ]
    if found["left_out"]:
        lines.append(f"Games left out, without a checkpoint or of checkpoints of different steps: {found['left_out']}.")
    if found["broken_off"]:
        lines.append(f"Games left out that were broken off, without a result: {found['broken_off']}.")
    return "\n".join(lines)
