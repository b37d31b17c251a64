"""Matches and tournaments: every opening is played from both sides, on one process or several."""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, ParamSpec

from ..agents.engines import EngineError
from ..envs import Game, as_game
from ..envs.outside.arguments import check_jobs, checked_whole
from ..envs.outside.messages import shown
from ..envs.players import PlayerLike, player_name
from .openings import default_opening_plies, openings_of, random_openings
from .openings.files import OpeningsLike
from .records.opening import Opening, as_data
from .records.record import GameRecord, check_names
from .referee import Adjudicator, Conditions, Failures, TimeControl
from .store import Plan, Session
from .store.keys import digest
from .tournaments.course import MAX_FAILURES, Course, Openings
from .tournaments.formats import canonical_format, same_format, schedule_of
from .tournaments.games import MANY, played
from .tournaments.table import Table
from .tournaments.workers import JoblibWorkers, RayWorkers
from .wording import counted

__all__ = ["checked_games", "iter_match", "labels_of", "match", "tournament"]

_Arguments = ParamSpec("_Arguments")


def labels_of(players: Sequence[PlayerLike]) -> list[str]:
    """Return the names of the players of a match; those of the same name get numbers, as in ``random#1``."""
    names = [player_name(player) for player in players]
    counts, seen = Counter(names), Counter[str]()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(f"{name}#{seen[name]}" if counts[name] > 1 else name)
    return labels


def checked_games(games: int) -> int:
    """Return a number of games, each of whose openings is played from both sides.

    Raises:
        ValueError: it is no whole number from 2 on, or odd.
    """
    number = checked_whole("games", games, 2)
    if number % 2:
        raise ValueError(f"games must be even, to play every opening from both sides, got {number}")
    return number


def iter_match(
    game: Game | str,
    players: Sequence[PlayerLike],
    games: int = 100,
    seed: int = 0,
    *,
    format: str = "round_robin",
    opening_plies: int | None = None,
    openings: OpeningsLike | None = None,
    jobs: int | Literal["ray"] = 1,
    names: Sequence[str] | None = None,
    after: Sequence[GameRecord] = (),
    failures: Failures = EngineError,
    max_failures: int = MAX_FAILURES,
    time: str | float | TimeControl | None = None,
    adjudication: str | Adjudicator | Sequence[str | Adjudicator] | None = (),
    store: str | Path | None = None,
    resume: bool = False,
    analyses: bool = False,
    at_most: bool = False,
) -> Iterator[GameRecord]:
    """Play a match or a tournament, and yield each game as soon as it and those before it are finished.

    Games 2k and 2k + 1 of a pairing have the same opening; its first player has the first seat in the even ones. All
    pairings have the same openings. The games are the same for any number of jobs (as long as no player's budget is in
    seconds). Where many are left, those of players that can play many at once (``copies`` of an agent: `Random`,
    `AlphaBeta` and plain `MCTS` without seconds) are played side by side: the same games, many times as fast.

    Args:
        game: the game, or its name.
        players: two or more agents, functions or spec strings, see `plyground.agents.as_agent`. Agents and functions
            must be picklable if ``jobs`` is not 1.
        games: the number of games of each pairing; even, so that every opening is played from both sides.
        seed: the seed of the openings and of every game.
        format: who of more than two players plays whom: ``"round_robin"``, ``"gauntlet(seeds=1)"`` (the first ones
            against all others), ``"swiss(rounds=7)"``, ``"knockout"``, see `plyground.arena.tournaments.schedules`; or
            ``"bandit(pairings=30)"``, games where they tell most, see `plyground.arena.tournaments.allocation`.
        opening_plies: plies before the players take over. Default: of random openings 4, or fewer in short games; of
            others all.
        openings: the openings, in place of random ones: a file, see `plyground.arena.openings.read_openings`;
            ``"balanced"`` for those that come with the package; or the moves of each, or
            `plyground.arena.openings.Opening`, positions with moves. Each pairing plays them in their order, from the
            first on.
        jobs: worker processes (joblib's ``n_jobs``: -1 for one on each core). Within ``joblib.parallel_config``, as of
            ``backend="dask"``, they are those of that backend: then give -1. Or ``"ray"``: the processors of a Ray
            cluster, see `plyground.arena.cluster`, in which a machine may fail.
        names: the players' names in the records. Default: their specs, functions or classes; with numbers where some
            are the same.
        after: the first games of this very tournament, which were played before. It goes on after them. Games that
            were played with another time or adjudication are refused where a record tells of that, by its ending or by
            how long its moves took; a store always knows.
        failures: errors of a player by which it loses the game, see `plyground.arena.play`. Default: those of programs
            that others wrote; ``Exception`` for any; ``()`` for none. Others end the tournament.
        max_failures: a player that has failed in so many games is withdrawn: its other games are not played.
        time: the players' time, such as ``"60+0.5"`` for a game or ``"0.2/move"``, see `plyground.arena.play`. With
            several jobs, no more than there are idle cores, else players wait for each other.
        adjudication: what ends games whose result is known, such as ``"exact"``, see `plyground.arena.play`.
        store: a file that keeps the games, ``games.db``, each as soon as it is finished. Games that are in it are not
            played again, see `plyground.arena.store`. ``games.db#night`` gives a new tournament in it that title.
        resume: whether to go on with a tournament whose games are in the store, rather than raise an error.
        analyses: whether records keep what the players' searches thought of each move, see `plyground.arena.play`.
            Games are then played one by one.
        at_most: whether so many games are the most that may be needed, as for `plyground.arena.until_decided`; a store
            then notes that they are a limit, not a plan.

    Raises:
        ValueError: a number is out of its range, a player, the format, the game or a condition cannot be made, an
            opening cannot be played, or there are too few, there is not one name for each player, two of more than two
            players are given the same name, ``after`` holds other games, or the store has games of this tournament and
            ``resume`` is false, or another tournament of the title, or is damaged. Nothing is played then.
        OSError: the store cannot be written.
    """
    game = as_game(game)
    if isinstance(players, (str, Mapping)) or not isinstance(players, Sequence):
        raise ValueError(f"players must be a list of two or more, such as ['mcts', 'random'], got {shown(players)}")
    labels = labels_of(players) if names is None else list(names)
    if len(players) < 2:
        raise ValueError(f"it takes two players to play, got {labels}")
    check_names(labels, len(players))
    if len(players) == 2 and labels[0] == labels[1]:
        labels = [f"{labels[0]}#1", f"{labels[1]}#2"]
    if len(set(labels)) < len(players):
        raise ValueError(f"players must have different names, one for each of {len(players)}, got {labels}")
    games = checked_games(games)
    seed = checked_whole("seed", seed, 0)
    if not isinstance(jobs, str):
        check_jobs(jobs)
    elif jobs != "ray":
        raise ValueError(f"jobs must be a number of processes, -1 for one on each core, or 'ray', got {jobs!r}")
    max_failures = checked_whole("max_failures", max_failures, 1)
    conditions = Conditions.of(failures, time, adjudication, analyses)
    schedule = schedule_of(format, len(players))
    if store is not None and after:
        raise ValueError("give a store or the games after which the tournament goes on, not both")
    openings = None if openings is None else openings_of(game, openings, opening_plies)
    plies = default_opening_plies(game)
    if opening_plies is not None:
        plies = checked_whole("opening_plies", opening_plies, 0, game.max_plies)
    table = Table(game, players, labels, conditions)
    table.make()  # whatever is wrong with a player fails here, in this process, before anything is compiled
    lines = Openings(_lines(game, openings, plies, seed, games // 2))
    course = Course(game, labels, schedule, games, lines, seed, max_failures)
    for record in after:
        if course.is_over:
            were = f"{len(after)} games of {' v '.join(labels)} were played before"
            raise ValueError(f"{were}, and the match has {course.played}")
        course.check(record, conditions)
        course.add(record)
    # Before any clock runs, and before there are workers, which find the code on disk.
    table.prepare(together=course.left_in_round >= MANY)
    workers = None
    if jobs != 1:
        workers = RayWorkers(table) if isinstance(jobs, str) else JoblibWorkers(table, jobs)
    session = None
    if store is not None:  # only now: what is refused leaves no file
        described = (
            {"plies": plies}
            if openings is None
            else {"given": len(openings), "digest": digest(list(map(as_data, openings))).hex()}
        )
        limit = None if max_failures == MAX_FAILURES else max_failures
        plan = Plan(
            *(game, players, labels, canonical_format(format), games, seed, described, conditions.described, limit),
            remarks=_remarks(conditions, described, default_opening_plies(game), limit),
            same_format=same_format,
            at_most=at_most,
        )
        session = Session(store, plan, resume)
    records = played(course, table, workers, session)
    return records if session is None else _kept(session, records)


def _remarks(conditions: Conditions, openings: Mapping[str, Any], usual_plies: int, limit: int | None) -> list[str]:
    """Return what distinguishes a tournament beside game, format, seed and players: whatever is not the default."""
    remarks = []
    if "given" in openings:
        remarks.append(f"{openings['given']} openings ({openings['digest'][:8]})")
    elif openings["plies"] != usual_plies:
        remarks.append(f"opening plies {openings['plies']}")
    if conditions.control is not None:
        remarks.append(f"time {conditions.control}")
    remarks += [f"adjudication {judge!r}" for judge in conditions.adjudication]
    return remarks if limit is None else [*remarks, f"max_failures {limit}"]


def _kept(session: Session, games: Iterator[GameRecord]) -> Iterator[GameRecord]:
    """Yield the games, and close the store after them; until the first is asked for, nobody plays."""
    try:
        session.begin()
        yield from games
    finally:
        session.close()


def _lines(game: Game, given: list[Opening] | None, plies: int, seed: int, needed: int) -> Iterator[Opening]:
    """Return the openings in the order in which they are played, without end."""
    if given is None:
        return map(Opening, random_openings(game, plies, seed))
    if len(given) < needed:
        raise ValueError(f"a pairing of {2 * needed} games plays {counted(needed, 'opening')}, got {len(given)}")
    return itertools.cycle(given)  # a pairing that comes again may need more


def _listed(
    games_of: Callable[_Arguments, Iterator[GameRecord]],
) -> Callable[_Arguments, list[GameRecord]]:
    """Return the function that takes the same arguments as ``games_of``, an iterator, and waits for all games."""

    def waiting(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> list[GameRecord]:
        return list(games_of(*args, **kwargs))

    name = games_of.__name__
    waiting.__module__ = games_of.__module__
    waiting.__name__ = waiting.__qualname__ = name.removeprefix("iter_")  # by which processes find it
    waiting.__doc__ = f"Play all games and return them, in order. See `{name}`, which yields them as they are finished."
    signature = inspect.signature(games_of).replace(return_annotation="list[GameRecord]")
    waiting.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]  (for help and notebooks)
    return waiting


match = tournament = _listed(iter_match)  # a match is a tournament of two
