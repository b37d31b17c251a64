"""What ``plyground ratings --over-time`` does: which games are of which time, and what is told of the ratings then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import NormalDist
from typing import Any

from ....envs.outside.messages import cut
from ....envs.outside.spec import nearest
from ...formats import read_games
from ...ratings.difference import check_confidence
from ...ratings.history import check_library, games_by_step, ratings_over_time
from ...records.names import is_store, split_name
from ...records.record import GameRecord
from ...store import tournaments_in
from ...store.keys import record_key

__all__ = ["TIMES", "history_notes", "history_of"]

TIMES = {"tournaments": "tournament", "steps": "steps of training"}  # what times are, and what their axis is called
_TITLE = 100  # signs
_CHECKPOINT = "network('az/checkpoints/step_000100000.safetensors')"


def history_of(
    files: Sequence[Path], times: str, confidence: float, first_move: bool, drift: float | None
) -> dict[str, Any]:
    """Return each player's ratings by time, as ``--json`` prints them: who is best in the end comes first.

    Args:
        files: files of games. Of a store, all tournaments count, or the one that is named.
        times: ``"tournaments"``: the first, the second and so on, in the order of the files and that within a store;
            ``"steps"``: the steps of training in the names of checkpoints.
        confidence: the probability that each interval is to have, if games were independent.
        first_move: whether the first move may be worth something.
        drift: Elo² that a unit of time adds, see `ratings_over_time`.

    Raises:
        ImportError: the library is not installed.
        ValueError: there is no such kind of time, or fewer than two times; or as `ratings_over_time` says.
    """
    if times not in TIMES:
        raise ValueError(f"unknown times {times!r}: {nearest(times, TIMES)}")
    check_confidence(confidence)
    check_library()  # before the games are read
    titles: dict[int, str] = {}
    left = 0
    if times == "steps":
        games, left = games_by_step(chain.from_iterable(games for _, games in _tournaments(files)))
    else:
        found = dict(enumerate(_tournaments(files), start=1))
        games = {number: played for number, (_, played) in found.items()}
        titles = {number: title for number, (title, _) in found.items()}
    _check_several(games, titles, times)
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
        "players": sorted(players, key=lambda one: -one["ratings"][-1]["elo"]),
    }


def _tournaments(files: Sequence[Path]) -> Iterator[tuple[str, list[GameRecord]]]:
    """Yield the title and the games of each tournament. A game that several of one store share is of the first."""
    known: dict[Path, set[bytes]] = {}
    for file in files:
        place, _ = split_name(file)
        if not is_store(place):
            if played := list(read_games(file)):
                yield file.name, played
            continue
        earlier = known.setdefault(place.resolve(), set())
        for one in tournaments_in(file):
            games = list(read_games(f"{place}#{one.number}"))
            keys = list(map(record_key, games))
            new = [game for game, key in zip(games, keys, strict=True) if key not in earlier]
            earlier.update(keys)
            if new:
                yield cut(f"{place.name}#{one.number}: {one.title}", _TITLE), new


def _check_several(games: dict[int, list[GameRecord]], titles: dict[int, str], times: str) -> None:
    """Raise `ValueError` if there is one time only, or none."""
    if len(games) > 1:
        return
    if times == "tournaments":
        found = "none" if not games else f"one: {titles[1]}"
        raise ValueError(
            f"ratings over time take two tournaments or more, got {found}; give more files, or a store of several"
        )
    found = "none" if not games else f"those of step {next(iter(games))} alone"
    raise ValueError(
        f"ratings over time take checkpoints of two steps or more, got {found}; a checkpoint has its step in its name, "
        f"as in {_CHECKPOINT}"
    )


def history_notes(found: dict[str, Any]) -> str:
    """Return what the table does not say of itself."""
    lines = [
        f"Elo by whole-history rating, with half of an interval of {100 * found['confidence']:.4g} % as if games were "
        "independent.",
        "Only differences tell anything.",
    ]
    lines += [f"{one['time']}: {one['title']}, games: {one['games']}" for one in found["times"] if "title" in one]
    if found["left_out"]:
        lines.append(f"Games left out, without a checkpoint or of checkpoints of different steps: {found['left_out']}.")
    return "\n".join(lines)
