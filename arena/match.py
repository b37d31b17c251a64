"""Matches: many games between two players, every opening played twice with seats swapped, on one process or several."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ..agents import Agent, as_agent, make
from ..envs import BoardGameEnv, Game, as_game
from ..envs.vector.opponents import prepare
from .loop import play
from .openings import default_opening_plies, random_openings
from .records.record import GameRecord

__all__ = ["iter_match", "match", "player_name"]

_tokens = itertools.count()


def player_name(player: Agent | str) -> str:
    """Return the name of a player in tables and records: its spec without blanks, or its class."""
    return player.replace(" ", "") if isinstance(player, str) else type(player).__name__


def match(
    game: Game | str,
    players: Sequence[Agent | str],
    games: int = 100,
    seed: int = 0,
    *,
    opening_plies: int | None = None,
    jobs: int = 1,
    names: Sequence[str] | None = None,
) -> list[GameRecord]:
    """Play a match and return its games, in order. See `iter_match`, which yields them as they are finished."""
    return list(iter_match(game, players, games, seed, opening_plies=opening_plies, jobs=jobs, names=names))


def iter_match(
    game: Game | str,
    players: Sequence[Agent | str],
    games: int = 100,
    seed: int = 0,
    *,
    opening_plies: int | None = None,
    jobs: int = 1,
    names: Sequence[str] | None = None,
) -> Iterator[GameRecord]:
    """Play a match, and yield each game as soon as it and those before it are finished.

    Games 2k and 2k + 1 have the same opening; the first player of the match has the first seat in the even ones. The
    games are the same for any number of jobs (as long as no player's budget is in seconds).

    Args:
        game: the game, or its name.
        players: two agents or spec strings. Agents must be picklable if ``jobs`` is not 1.
        games: the number of games; even, so that every opening is played from both sides.
        seed: the seed of the openings and of every game.
        opening_plies: random plies before the players take over; default: 4, or fewer in short games.
        jobs: worker processes (joblib's ``n_jobs``: -1 for one on each core).
        names: the players' names in the records. Default: their specs or classes.

    Raises:
        ValueError: a number is out of its range, or a player or the game cannot be made. Nothing is played then.
    """
    game = as_game(game)
    if len(players) != 2:
        raise ValueError(f"a match is between two players, got {len(players)}")
    if games < 2 or games % 2:
        raise ValueError(f"games must be even and at least 2, to play every opening from both sides, got {games}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, got {seed}")
    if jobs == 0:
        raise ValueError("jobs must be a number of processes, or -1 for one on each core, got 0")
    labels = [player_name(player) for player in players] if names is None else list(names)
    if labels[0] == labels[1]:
        labels = [f"{labels[0]}#1", f"{labels[1]}#2"]
    agents = tuple(as_agent(player, game) for player in players)  # whatever is wrong fails here, in the calling process
    for agent in agents:  # before any clock runs, and before there are workers, which find the code on disk
        prepare(agent)
    plies = default_opening_plies(game) if opening_plies is None else opening_plies
    openings = itertools.islice(random_openings(game, plies, seed), games // 2)
    return _games(game, agents, players, labels, openings, seed, jobs)


def _games(
    game: Game,
    agents: tuple[Agent, ...],
    players: Sequence[Agent | str],
    labels: list[str],
    openings: Iterator[list[int]],
    seed: int,
    jobs: int,
) -> Iterator[GameRecord]:
    if jobs == 1:
        for pair, opening in enumerate(openings):
            yield from _play_pair(game, agents, labels, opening, (seed, pair))
        return
    token = next(_tokens)
    tasks = (
        delayed(_play_pair_in_worker)(token, game, tuple(players), labels, opening, (seed, pair))
        for pair, opening in enumerate(openings)
    )
    parallel: Any = Parallel(n_jobs=jobs, return_as="generator")
    for pair_of_games in parallel(tasks):
        yield from pair_of_games


def _play_pair(
    game: Game, agents: Sequence[Agent], labels: Sequence[str], opening: list[int], seeds: tuple[int, int]
) -> list[GameRecord]:
    """Play one opening from both sides."""
    env: Any = BoardGameEnv(game)
    records = []
    for swapped in (0, 1):
        seed = int(np.random.SeedSequence([*seeds, swapped]).generate_state(1)[0])
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
    players: tuple[Agent | str, ...],
    labels: Sequence[str],
    opening: list[int],
    seeds: tuple[int, int],
) -> list[GameRecord]:
    specs = tuple(player if isinstance(player, str) else None for player in players)
    made = _agents_of_match(token, game, specs)
    agents: list[Any] = [agent or player for agent, player in zip(made, players, strict=True)]
    return _play_pair(game, agents, labels, opening, seeds)


@lru_cache(maxsize=1)
def _agents_of_match(token: int, game: Game, specs: tuple[str | None, ...]) -> list[Agent | None]:
    """Make the agents once in each worker of a match, which ``token`` tells from the matches before."""
    return [None if spec is None else make(spec, game) for spec in specs]
