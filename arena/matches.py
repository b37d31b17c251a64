"""Matches: many games of every two players, each opening played twice with seats swapped, on one process or several."""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, ParamSpec

import numpy as np
from joblib import Parallel, delayed

from ..agents import Agent, as_agent, make
from ..envs import BoardGameEnv, Game, as_game
from ..envs.outside.elsewhere import absolute
from ..envs.players import PlayerLike, player_name
from ..envs.vector.opponents import prepare
from .loop import play
from .openings import default_opening_plies, random_openings
from .records.record import GameRecord

__all__ = ["iter_match", "labels_of", "match"]

_Arguments = ParamSpec("_Arguments")
_tokens = itertools.count()


def labels_of(players: Sequence[PlayerLike]) -> list[str]:
    """Return the names of the players of a match; those of the same name get numbers, as in ``random#1``."""
    names = [player_name(player) for player in players]
    counts, seen = Counter(names), Counter[str]()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(f"{name}#{seen[name]}" if counts[name] > 1 else name)
    return labels


def iter_match(
    game: Game | str,
    players: Sequence[PlayerLike],
    games: int = 100,
    seed: int = 0,
    *,
    opening_plies: int | None = None,
    jobs: int = 1,
    names: Sequence[str] | None = None,
    after: Sequence[GameRecord] = (),
) -> Iterator[GameRecord]:
    """Play a match, and yield each game as soon as it and those before it are finished.

    Games 2k and 2k + 1 have the same opening; the first player of the match has the first seat in the even ones. The
    games are the same for any number of jobs (as long as no player's budget is in seconds). Of more than two players
    every two play such a match, with the same openings: a round robin.

    Args:
        game: the game, or its name.
        players: two or more agents, functions or spec strings, see `plyground.agents.as_agent`. Agents and functions
            must be picklable if ``jobs`` is not 1.
        games: the number of games of every two players; even, so that every opening is played from both sides.
        seed: the seed of the openings and of every game.
        opening_plies: random plies before the players take over; default: 4, or fewer in short games.
        jobs: worker processes (joblib's ``n_jobs``: -1 for one on each core).
        names: the players' names in the records. Default: their specs, functions or classes; with numbers where some
            are the same.
        after: the first games of this very match, which were played before. It goes on after them.

    Raises:
        ValueError: a number is out of its range, a player or the game cannot be made, two of more than two players are
            given the same name, or ``after`` holds other games. Nothing is played then.
    """
    game = as_game(game)
    labels = labels_of(players) if names is None else list(names)
    if len(players) < 2:
        raise ValueError(f"it takes two players to play, got {labels}")
    if len(players) == 2 and labels[0] == labels[1]:
        labels = [f"{labels[0]}#1", f"{labels[1]}#2"]
    if len(set(labels)) < len(players):
        raise ValueError(f"players must have different names, one for each of {len(players)}, got {labels}")
    if games < 2 or games % 2:
        raise ValueError(f"games must be even and at least 2, to play every opening from both sides, got {games}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, got {seed}")
    if jobs == 0:
        raise ValueError("jobs must be a number of processes, or -1 for one on each core, got 0")
    pairs = list(itertools.combinations(zip(players, labels, strict=True), 2))
    total = games * len(pairs)
    if len(after) > total:
        raise ValueError(f"{len(after)} games of {' v '.join(labels)} were played before, and the match has {total}")
    plies = default_opening_plies(game) if opening_plies is None else opening_plies
    matches = []
    for number, ((one, one_label), (other, other_label)) in enumerate(pairs):
        openings = enumerate(itertools.islice(random_openings(game, plies, seed), games // 2))
        played = after[number * games : (number + 1) * games]
        matches.append(_of_two(game, (one, other), [one_label, other_label], openings, seed, jobs, played))
    return itertools.chain.from_iterable(matches)


def _listed(
    games_of: Callable[_Arguments, Iterator[GameRecord]],
) -> Callable[_Arguments, list[GameRecord]]:
    """Return ``match``, which takes the same arguments as `iter_match` and waits for all games."""

    def match(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> list[GameRecord]:
        """Play a match and return its games, in order. See `iter_match`, which yields them as they are finished."""
        return list(games_of(*args, **kwargs))

    match.__qualname__ = "match"  # by which processes find it
    signature = inspect.signature(games_of).replace(return_annotation="list[GameRecord]")
    match.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]  (for help and notebooks)
    return match


match = _listed(iter_match)


def _of_two(
    game: Game,
    players: tuple[PlayerLike, PlayerLike],
    labels: list[str],
    openings: Iterator[tuple[int, list[int]]],
    seed: int,
    jobs: int,
    after: Sequence[GameRecord],
) -> Iterator[GameRecord]:
    """Return the games of two players that come after those which were played before."""
    agents = tuple(as_agent(player, game) for player in players)  # whatever is wrong fails here, in the calling process
    for agent in agents:  # before any clock runs, and before there are workers, which find the code on disk
        prepare(agent)
    for pair, opening in itertools.islice(openings, len(after) // 2):
        _check_same(game, labels, opening, (seed, pair), after[2 * pair : 2 * pair + 2])
    rest = _games(game, agents, players, labels, openings, seed, jobs)
    if len(after) % 2:
        pair, opening = next(openings)
        _check_same(game, labels, opening, (seed, pair), after[-1:])
        half = (_play_pair(game, agents, labels, opening, (seed, pair), sides) for sides in ((1,),))  # when asked for
        return itertools.chain(itertools.chain.from_iterable(half), rest)
    return rest


def _check_same(
    game: Game, labels: Sequence[str], opening: list[int], seeds: tuple[int, int], records: Sequence[GameRecord]
) -> None:
    """Check that the records of an opening are those that this match would have made.

    Raises:
        ValueError: one is of another match; the message says what it is of.
    """
    for side, record in enumerate(records):
        number = 2 * seeds[1] + side + 1
        players = " v ".join(labels[::-1] if side else labels)
        for what, found, expected in (
            ("game is", record.game, game.source),
            ("players are", " v ".join(record.players), players),
            ("seed is", record.seed, _seed(seeds, side)),
            ("opening is", record.moves[: record.opening], opening),
        ):
            if found != expected:
                raise ValueError(f"game {number} is of another match: its {what} {found}, expected {expected}")


def _games(
    game: Game,
    agents: tuple[Agent, ...],
    players: Sequence[PlayerLike],
    labels: list[str],
    openings: Iterator[tuple[int, list[int]]],
    seed: int,
    jobs: int,
) -> Iterator[GameRecord]:
    if jobs == 1:
        for pair, opening in openings:
            yield from _play_pair(game, agents, labels, opening, (seed, pair))
        return
    token = next(_tokens)
    sent = tuple(absolute(player) if isinstance(player, str) else player for player in players)
    tasks = (
        delayed(_play_pair_in_worker)(token, game, sent, labels, opening, (seed, pair)) for pair, opening in openings
    )
    parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
    played = parallel(tasks)
    try:
        for pair_of_games in played:
            yield from pair_of_games
    finally:
        with warnings.catch_warnings():  # joblib warns where somebody has seen enough before all games are played
            warnings.simplefilter("ignore", UserWarning)
            played.close()


def _seed(seeds: tuple[int, int], side: int) -> int:
    """Return the seed of a game, from the match's seed and the number of the opening, and who begins."""
    return int(np.random.SeedSequence([*seeds, side]).generate_state(1)[0])


def _play_pair(
    game: Game,
    agents: Sequence[PlayerLike],
    labels: Sequence[str],
    opening: list[int],
    seeds: tuple[int, int],
    sides: Sequence[int] = (0, 1),
) -> list[GameRecord]:
    """Play one opening from both sides, or from one of them."""
    env: Any = BoardGameEnv(game)
    records = []
    for swapped in sides:
        seed = _seed(seeds, swapped)
        order = (1, 0) if swapped else (0, 1)
        records.append(
            play(
                env,
                [agents[i] for i in order],
                seed,
                names=[labels[i] for i in order],
                options={"moves": opening},
            )
        )
    return records


def _play_pair_in_worker(
    token: int,
    game: Game,
    players: tuple[PlayerLike, ...],
    labels: Sequence[str],
    opening: list[int],
    seeds: tuple[int, int],
) -> list[GameRecord]:
    specs = tuple(player if isinstance(player, str) else None for player in players)
    made = _agents_of_match(token, game, specs)
    agents: list[Any] = [player if agent is None else agent for agent, player in zip(made, players, strict=True)]
    return _play_pair(game, agents, labels, opening, seeds)


@lru_cache(maxsize=1)
def _agents_of_match(token: int, game: Game, specs: tuple[str | None, ...]) -> list[Agent | None]:
    """Make the agents once in each worker of a match, which ``token`` tells from the matches before."""
    return [None if spec is None else make(spec, game) for spec in specs]
